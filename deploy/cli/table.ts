import { styleText } from 'node:util'
import stringWidth from 'string-width'

export interface Column<Row> {
  readonly title: string
  readonly align?: 'left' | 'right'
  readonly text: (row: Row) => string
}

/** Builds the lines of a table. A column is as wide on the terminal as its widest cell; the heading is bold with colours. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  colours: boolean,
): string[] {
  const cells = rows.map(row => columns.map(column => printable(column.text(row))))
  const widths = columns.map((column, index) =>
    cells.reduce((widest, line) => Math.max(widest, widthOf(line[index] as string)), widthOf(column.title)),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) => {
        const blanks = ' '.repeat((widths[index] as number) - widthOf(text))
        return columns[index]?.align === 'right' ? blanks + text : text + blanks
      })
      .join('  ')
      .trimEnd()
  const heading = line(columns.map(column => column.title))
  return [colours ? styleText('bold', heading, { validateStream: false }) : heading, ...cells.map(line)]
}

/** Number of places of a text on the terminal. Most cells are ASCII, and a table may have a million of them. */
function widthOf(text: string): number {
  return /^[ -~]*$/.test(text) ? text.length : stringWidth(text)
}

/**
 * Shows control characters instead of sending them to the terminal: a log line must not move the cursor, change colours
 * or rename the reader's window.
 */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
  return text.replace(/[\u0000-\u0008\u000a-\u001f\u007f-\u009f]/g, character =>
    character === '\n'
      ? '\\n'
      : character === '\r'
        ? '\\r'
        : `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}
