import { useState } from 'react'
import { membersOf, shownValue } from '../api/records.ts'
import { isLine, type ListRow } from './rows.ts'

/** A text that is looked for in the loaded lines. */
export interface Find {
  readonly text: string
  /** Whether the last step found nothing. */
  readonly isMissed: boolean
  setText(text: string): void
  /** Goes to the next or the previous line with the text; behind the last one, it begins again. */
  go(step: 1 | -1): void
}

/** @param goTo moves the cursor of the list to a row */
export function useFind(
  rows: readonly (ListRow | undefined)[],
  cursor: number,
  goTo: (at: number) => void,
): Find {
  const [text, setText] = useState('')
  const [isMissed, setMissed] = useState(false)
  return {
    text,
    isMissed,
    setText: next => {
      setText(next)
      setMissed(false)
    },
    go: step => {
      if (text === '') return
      const at = nextWith(rows, text, { from: cursor, step })
      setMissed(at === undefined)
      if (at !== undefined) goTo(at)
    },
  }
}

/**
 * Index of the next line whose text contains the wanted one, in any case; the row at `from` comes last. Rows that are not held
 * are passed over.
 */
export function nextWith(
  rows: readonly (ListRow | undefined)[],
  wanted: string,
  { from, step }: { readonly from: number; readonly step: 1 | -1 },
): number | undefined {
  const word = wanted.toLowerCase()
  // Records are JSON: few of them have to be parsed.
  const written = JSON.stringify(word).slice(1, -1)
  for (let passed = 1; passed <= rows.length; passed++) {
    const at = (from + step * passed + rows.length * 2) % rows.length
    const row = rows[at]
    if (!isLine(row) || !row.text.toLowerCase().includes(written)) continue
    if (shownValue(membersOf(row)._line).toLowerCase().includes(word)) return at
  }
  return undefined
}
