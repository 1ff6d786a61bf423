import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useKeys } from '../shell/keys.ts'
import { TEXT } from '../texts.ts'
import { dayOf } from '../times/time.ts'
import { FindBar } from './find-bar.tsx'
import { useFind } from './find-lines.ts'
import { useFollowing } from './following.ts'
import style from './line-list.module.css'
import { LineRow } from './line-row.tsx'
import { type ListCursor, useListCursor } from './list-cursor.ts'
import { ListHead } from './list-head.tsx'
import { NoteLine } from './note-line.tsx'
import { isLine, type ListRow } from './rows.ts'
import { SelectedLines } from './selected-lines.tsx'
import { useTermMarks } from './term-marks.ts'

const ROW_PX = 24
const OVERSCAN = 24
/** Rows before the end at which further lines are read. */
const READ_AHEAD_ROWS = 100

export interface LineListProps {
  /** undefined in the place of a row that is not held. */
  readonly rows: readonly (ListRow | undefined)[]
  /** Id of the line whose details are open. */
  readonly selected: string | null
  /** Fields between the time and the line, by their names in the query language. */
  readonly columns: readonly string[]
  readonly isWrapped: boolean
  readonly zone: string
  /** Words of the query, which are marked. */
  readonly words: readonly string[]
  /** Keys that open the details of the line at the cursor, by the tab that they open. */
  readonly tabKeys: Readonly<Record<string, string>>
  /** Opens the details of a line, at a tab or at the present one. */
  readonly onOpen: (id: string, tab?: string) => void
  /** Called when the last rows are near. */
  readonly onEnd?: (() => void) | undefined
  /** Called with the index of a row in sight that is not held. */
  readonly onReleased?: ((row: number) => void) | undefined
  readonly onColumns: (columns: readonly string[]) => void
  /** Whether the newest row stays in sight, in a list that grows at its end. */
  readonly following?: { readonly isOn: boolean; readonly set: (isOn: boolean) => void } | undefined
}

/** Lines, one row each. Rows out of sight are not in the page. */
export function LineList(props: LineListProps) {
  const { rows, columns, isWrapped, zone, words, onEnd, onReleased, onColumns, following } = props
  const scroller = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_PX,
    getItemKey: at => rows[at]?.id ?? at,
    overscan: OVERSCAN,
  })
  const shown = virtual.getVirtualItems()
  const lastShown = shown.at(-1)?.index ?? 0
  const cursor = useListCursor(props, at => virtual.scrollToIndex(at))
  usePageKeys(scroller, cursor, props.selected === null)
  const find = useFind(rows, cursor.at, cursor.goTo)
  const [isFinding, setFinding] = useState(false)
  useFindKeys(find.go, () => setFinding(true))
  const marked = useMemo(() => (isFinding ? [...words, find.text] : words), [isFinding, words, find.text])
  const onScroll = useFollowing(scroller, rows, following)
  useTermMarks(scroller, marked, `${shown[0]?.key} ${shown.at(-1)?.key} ${rows.length} ${isWrapped}`)

  useEffect(() => {
    if (rows.length > 0 && lastShown >= rows.length - READ_AHEAD_ROWS) onEnd?.()
  }, [lastShown, rows.length, onEnd])

  const released = shown.find(({ index }) => rows[index] === undefined)?.index
  useEffect(() => {
    if (released !== undefined) onReleased?.(released)
  }, [released, onReleased])

  const isWrappedBefore = useRef(isWrapped)
  useLayoutEffect(() => {
    if (isWrappedBefore.current === isWrapped) return
    isWrappedBefore.current = isWrapped
    virtual.measure()
  }, [isWrapped, virtual])

  const hasDays = rows.length > 0 && !isOneDay(rows, zone)
  const { chosen } = cursor
  return (
    <>
      {isFinding && (
        <FindBar
          find={find}
          onClose={() => {
            setFinding(false)
            scroller.current?.focus({ preventScroll: true })
          }}
        />
      )}
      <div
        ref={scroller}
        className={style.list}
        role="grid"
        tabIndex={0}
        aria-label={TEXT.found}
        aria-rowcount={rows.length + 1}
        aria-multiselectable
        aria-activedescendant={`line-${cursor.at}`}
        data-wrapped={isWrapped}
        style={gridOf(columns, hasDays)}
        onKeyDown={cursor.onKeyDown}
        onScroll={onScroll}
      >
        <ListHead columns={columns} onColumns={onColumns} />
        <div className={style.all} role="rowgroup" style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ index, start, key }) => (
            <Row
              key={key}
              {...props}
              measure={isWrapped ? virtual.measureElement : undefined}
              index={index}
              startPx={start}
              cursor={cursor}
              hasDays={hasDays}
            />
          ))}
        </div>
      </div>
      {chosen !== undefined && (
        <SelectedLines
          lines={rows.slice(chosen.from, chosen.to + 1).filter(isLine)}
          columns={columns}
          zone={zone}
          onClear={cursor.clear}
        />
      )}
    </>
  )
}

/** Keys of the list that act wherever the focus is. Without a focus, all of them do. */
const PAGE_KEYS = /^[jkJKyYcw]$/

/** Lets keys of the list act on the whole page. The list gets the focus, unless the details have it. */
function usePageKeys(
  list: { readonly current: HTMLElement | null },
  cursor: ListCursor,
  takesFocus: boolean,
): void {
  useKeys((key, { target, shiftKey }) => {
    if (!PAGE_KEYS.test(key) && target !== document.body) return false
    // The first key shows where the cursor is.
    const isFirst = !cursor.isPlaced && /^[jk]$/.test(key)
    if (!cursor.act(isFirst ? 'Home' : key, shiftKey)) return false
    if (takesFocus) list.current?.focus({ preventScroll: true })
    return true
  })
}

/** Keys that look for a text in the loaded lines. */
function useFindKeys(go: (step: 1 | -1) => void, open: () => void): void {
  useKeys(key => {
    if (key === '=') open()
    if (key === 'n') go(1)
    if (key === 'N') go(-1)
    return key === '=' || key === 'n' || key === 'N'
  })
}

interface RowProps extends LineListProps {
  readonly measure: ((element: HTMLElement | null) => void) | undefined
  readonly index: number
  /** Distance from the beginning of the list. */
  readonly startPx: number
  readonly cursor: ListCursor
  readonly hasDays: boolean
}

function Row({
  rows,
  selected,
  columns,
  isWrapped,
  zone,
  measure,
  index,
  startPx,
  cursor,
  hasDays,
}: RowProps) {
  const row = rows[index]
  const { chosen } = cursor
  const isChosen = chosen !== undefined && index >= chosen.from && index <= chosen.to
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the list
    <div
      ref={measure}
      id={`line-${index}`}
      data-index={index}
      className={style.row}
      role="row"
      tabIndex={-1}
      aria-rowindex={index + 2}
      aria-selected={isChosen || (row !== undefined && row.id === selected)}
      data-cursor={index === cursor.at}
      data-note={row === undefined || isLine(row) ? undefined : row.kind}
      style={{ transform: `translateY(${startPx}px)` }}
      onClick={isLine(row) ? event => cursor.onRowClick(event, row) : undefined}
    >
      {isLine(row) ? (
        <LineRow
          line={row}
          columns={columns}
          isWrapped={isWrapped}
          zone={zone}
          hasDays={hasDays}
          onOpen={cursor.open}
        />
      ) : row === undefined ? (
        <ReleasedLine />
      ) : (
        <NoteLine row={row} />
      )}
    </div>
  )
}

/** The place of a line that is not held; it is read again while it is in sight. */
function ReleasedLine() {
  return (
    <span role="gridcell" tabIndex={-1} className="soft">
      {TEXT.loading}
    </span>
  )
}

function isOneDay(rows: readonly (ListRow | undefined)[], zone: string): boolean {
  const first = rows.find(isLine)
  const last = rows.findLast(isLine)
  return dayOf(first?.timeMs ?? 0, zone) === dayOf(last?.timeMs ?? 0, zone)
}

const WIDTHS: Readonly<Record<string, string>> = { level: '4.5rem', app: '8rem', host: '8rem' }

/** Widths of the columns; narrow lists show the time, the level and the line alone. */
function gridOf(columns: readonly string[], hasDays: boolean): Record<string, string> {
  const time = hasDays ? '8rem' : '6.75rem'
  const widths = columns.map(each => WIDTHS[each] ?? '9rem')
  const level = columns.includes('level') ? '4rem ' : ''
  return {
    '--columns': `1.5rem ${time} ${widths.join(' ')} minmax(20rem, 1fr)`,
    '--narrow-columns': `1.5rem ${time} ${level}minmax(16rem, 1fr)`,
  }
}
