import { styleText } from 'node:util'

export interface Column<Row> {
  readonly title: string
  readonly align?: 'left' | 'right'
  readonly text: (row: Row) => string
}

/** Lines of a table whose columns are as wide as their widest cell; the heading is bold where colours are on. */
export function tableLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  colours: boolean,
): string[] {
  const cells = rows.map(row => columns.map(column => printable(column.text(row))))
  const widths = columns.map((column, index) =>
    cells.reduce((widest, line) => Math.max(widest, (line[index] as string).length), column.title.length),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, index) =>
        columns[index]?.align === 'right'
          ? text.padStart(widths[index] as number)
          : text.padEnd(widths[index] as number),
      )
      .join('  ')
      .trimEnd()
  const heading = line(columns.map(column => column.title))
  return [colours ? styleText('bold', heading, { validateStream: false }) : heading, ...cells.map(line)]
}

/**
 * Shows control characters instead of sending them to the terminal: a line in a log must not be able to move
 * the cursor, change colours or rename the window of whoever reads it.
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
