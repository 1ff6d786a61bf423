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

test('a table of a million rows has them all, at the width of the last', () => {
  const rows = Array.from({ length: 1_000_000 }, (_, row) => `app-${row}`)
  const lines = tableLines(COLUMNS, rows, false)
  expect(lines).toHaveLength(1_000_001)
  expect(lines[1]).toBe('app-0            5')
  expect(lines.at(-1)).toBe('app-999999      10')
})
