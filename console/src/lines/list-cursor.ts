import { type KeyboardEvent, type MouseEvent, useCallback, useMemo, useState } from 'react'
import { type LineText, membersOf, shownValue } from '../api/records.ts'
import { copyOf } from './line-copies.ts'
import { isLine, type ListRow } from './rows.ts'

const PAGE_ROWS = 20

/** Place of the keyboard in a list of lines, and the lines that are chosen from there. */
export interface ListCursor {
  /** Index of the row. */
  readonly at: number
  /** Whether a line was gone to, opened or clicked. */
  readonly isPlaced: boolean
  /** Indexes of the first and the last chosen row; undefined if none are chosen. */
  readonly chosen: { readonly from: number; readonly to: number } | undefined
  /** Opens the details of a line. */
  open(id: string): void
  /** Gives up the choice. */
  clear(): void
  /** Moves to a row. */
  goTo(at: number): void
  /** Carries out the meaning of a key on the line at the cursor. @returns whether it means something */
  act(key: string, isExtending: boolean): boolean
  onKeyDown(event: KeyboardEvent): void
  onRowClick(event: MouseEvent, row: LineText): void
}

interface ListedRows {
  readonly rows: readonly (ListRow | undefined)[]
  /** Id of the line whose details are open. */
  readonly selected: string | null
  /** Fields of copies, and the zone of their times. */
  readonly columns: readonly string[]
  readonly zone: string
  /** Keys that open the details of a line at one of their tabs. */
  readonly tabKeys: Readonly<Record<string, string>>
  /** Opens the details of a line, at a tab or at the present one. */
  readonly onOpen: (id: string, tab?: string) => void
}

export function useListCursor(
  { rows, selected, columns, zone, tabKeys, onOpen }: ListedRows,
  scrollTo: (at: number) => void,
): ListCursor {
  const [cursorId, setCursorId] = useState<string>()
  /** Id of the line at the other end of the chosen ones. */
  const [anchorId, setAnchorId] = useState<string>()
  const placeId = cursorId ?? selected ?? undefined
  const cursor = useMemo(() => Math.max(0, indexOf(rows, placeId)), [rows, placeId])
  const chosen = useMemo(() => range(rows, cursorId, anchorId), [rows, cursorId, anchorId])

  const open = useCallback(
    (id: string) => {
      setCursorId(id)
      setAnchorId(undefined)
      onOpen(id)
    },
    [onOpen],
  )
  const move = (to: number, isExtending: boolean) => {
    const next = Math.max(0, Math.min(rows.length - 1, to))
    const row = rows[next]
    if (row === undefined) {
      // It is read again once it is in sight.
      if (next < rows.length) scrollTo(next)
      return
    }
    if (isExtending) setAnchorId(anchorId ?? rows[cursor]?.id)
    else setAnchorId(undefined)
    setCursorId(row.id)
    scrollTo(next)
    // Open details follow the cursor.
    if (selected !== null && !isExtending && isLine(row)) onOpen(row.id)
  }
  const act = (key: string, isExtending: boolean): boolean => {
    const target = targetOf(key, cursor, rows.length)
    if (target !== undefined) {
      move(target, isExtending)
      return true
    }
    const row = rows[cursor]
    if (!isLine(row)) return false
    const tab = tabKeys[key]
    if (key === 'Enter') open(row.id)
    else if (key === 'y') void navigator.clipboard.writeText(shownValue(membersOf(row)._line))
    else if (key === 'Y') void navigator.clipboard.writeText(linkTo(row.id))
    else if (tab !== undefined && selected === null) onOpen(row.id, tab)
    else return false
    return true
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if ((event.ctrlKey || event.metaKey) && event.key === 'c' && chosen !== undefined) {
      event.preventDefault()
      const lines = rows.slice(chosen.from, chosen.to + 1).filter(isLine)
      void navigator.clipboard.writeText(copyOf(lines, 'sent', { columns, zone }))
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (act(event.key, event.shiftKey)) event.preventDefault()
    if (event.key === 'Escape' && anchorId !== undefined) {
      event.stopPropagation()
      setAnchorId(undefined)
    }
  }
  const onRowClick = (event: MouseEvent, row: LineText) => {
    // A click that selected text selects text alone.
    if (!event.shiftKey && !getSelection()?.isCollapsed) return
    if (event.shiftKey) {
      getSelection()?.removeAllRanges()
      setAnchorId(anchorId ?? cursorId ?? row.id)
    } else {
      setAnchorId(undefined)
    }
    setCursorId(row.id)
  }
  return {
    at: cursor,
    isPlaced: placeId !== undefined,
    chosen,
    open,
    goTo: at => move(at, false),
    clear: () => setAnchorId(undefined),
    act,
    onKeyDown,
    onRowClick,
  }
}

/** Address of a line, with the search around it. */
function linkTo(id: string): string {
  const url = new URL(window.location.href)
  url.searchParams.set('line', id)
  return url.href
}

function targetOf(key: string, cursor: number, length: number): number | undefined {
  switch (key) {
    case 'j':
    case 'J':
    case 'ArrowDown':
      return cursor + 1
    case 'k':
    case 'K':
    case 'ArrowUp':
      return cursor - 1
    case 'PageDown':
      return cursor + PAGE_ROWS
    case 'PageUp':
      return cursor - PAGE_ROWS
    case 'Home':
      return 0
    case 'End':
      return length - 1
    default:
      return undefined
  }
}

function indexOf(rows: readonly (ListRow | undefined)[], id: string | undefined): number {
  return id === undefined ? -1 : rows.findIndex(each => each?.id === id)
}

/** First and last chosen row; undefined if none was chosen, or one of the ends is not held any more. */
function range(
  rows: readonly (ListRow | undefined)[],
  cursorId: string | undefined,
  anchorId: string | undefined,
) {
  if (anchorId === undefined) return undefined
  const ends = [indexOf(rows, cursorId), indexOf(rows, anchorId)]
  return ends.includes(-1) ? undefined : { from: Math.min(...ends), to: Math.max(...ends) }
}
