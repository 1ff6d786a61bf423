import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { type LineMembers, type LineText, membersOf, parseExact, shownValue } from '../api/records.ts'
import { TEXT } from '../texts.ts'
import { clockTime, dayAndTime, rfc3339 } from '../times/time.ts'
import { levelKind } from './levels.ts'
import style from './line-list.module.css'
import { fieldText } from './record-fields.ts'
import { oneRow, visibleText } from './visible-text.ts'

/** A row shows this many characters; the details show all. */
const MAX_ROW_CHARACTERS = 2_000

interface RowProps {
  readonly line: LineText
  readonly columns: readonly string[]
  readonly isWrapped: boolean
  readonly zone: string
  readonly hasDays: boolean
  readonly onOpen: (id: string) => void
}

/** Cells of one line. A row is drawn again only when something of it changes. */
export const LineRow = memo(({ line, columns, isWrapped, zone, hasDays, onOpen }: RowProps) => {
  const members = membersOf(line)
  const show = (text: string) => {
    const cut = text.length > MAX_ROW_CHARACTERS ? `${text.slice(0, MAX_ROW_CHARACTERS)}\u2026` : text
    return isWrapped ? visibleText(cut) : oneRow(cut)
  }
  const { text, rest } = readable(members)
  return (
    <>
      <button
        type="button"
        className={style.open}
        role="gridcell"
        tabIndex={-1}
        aria-label={TEXT.openDetails}
        onClick={() => onOpen(line.id)}
      >
        <ChevronRight size={14} aria-hidden />
      </button>
      <span role="gridcell" tabIndex={-1} className={style.time} title={rfc3339(line.timeMs, 'UTC')}>
        {hasDays ? dayAndTime(line.timeMs, zone).slice(5) : clockTime(line.timeMs, zone)}
      </span>
      {columns.map(column => {
        const text = fieldText(members, column)
        return (
          <span
            key={column}
            role="gridcell"
            tabIndex={-1}
            className={column === 'level' ? style.level : style.name}
            data-level={column === 'level' ? levelKind(text) : undefined}
          >
            {oneRow(text.slice(0, MAX_ROW_CHARACTERS))}
          </span>
        )
      })}
      <span role="gridcell" tabIndex={-1} className={style.text}>
        <span data-text>{show(text)}</span>
        {rest !== '' && <span className={style.rest}> {show(rest)}</span>}
      </span>
    </>
  )
})

/**
 * Text of a line for reading. A JSON line with a message shows that first and its other members behind it; the details
 * and every copy show the line as it was sent.
 */
function readable(members: LineMembers): { readonly text: string; readonly rest: string } {
  const line = shownValue(members._line)
  const { message } = members
  if (typeof message !== 'string' || message === '' || !line.startsWith('{')) return { text: line, rest: '' }
  const sent = sentMembers(line)
  const rest = Object.entries(sent)
    .filter(([name]) => name !== 'message')
    .map(([name, value]) => `${name}=${shownValue(value)}`)
  return { text: message, rest: rest.join(' ') }
}

function sentMembers(line: string): LineMembers {
  try {
    return parseExact(line) as LineMembers
  } catch {
    return {}
  }
}
