import { expect, test } from 'vitest'
import { type Column, tableLines } from './table.ts'

const COLUMNS: Column<string>[] = [
  { title: 'APP', text: name => name },
  { title: 'LENGTH', align: 'right', text: name => String(name.length) },
]

test('a table is as wide as its widest cell or heading', () => {
  expect(tableLines(COLUMNS, ['web', 'database'], false)).toEqual([
    'APP       LENGTH',
    'web            3',
    'database       8',
  ])
})

test('columns are aligned behind wide characters, and behind those without width', () => {
  // A flag of two code points, and a letter with an accent of its own.
  expect(tableLines(COLUMNS, ['日志', '🇫🇷', 'e\u0301', 'plain'], false)).toEqual([
    'APP    LENGTH',
    '日志        2',
    '🇫🇷          4',
    'e\u0301           2',
    'plain       5',
  ])
})

test('a table of a million rows has all of them, with the width of the last', () => {
  const rows = Array.from({ length: 1_000_000 }, (_, row) => `app-${row}`)
  const lines = tableLines(COLUMNS, rows, false)
  expect(lines).toHaveLength(1_000_001)
  expect(lines[1]).toBe('app-0            5')
  expect(lines.at(-1)).toBe('app-999999      10')
})
