import { expect, test } from 'vitest'
import { lineText } from '../api/records.ts'
import { copyOf } from './line-copies.ts'

const record = (line: string, app: string) =>
  lineText(JSON.stringify({ _id: '1', _ts: 1_800_000_000_000, _app: app, _line: line }))
const options = { columns: ['app'], zone: 'UTC' }

test('lines are copied byte for byte as they were sent', () => {
  expect(copyOf([record(' a\tb ', 'x'), record('c\nd', 'y')], 'sent', options)).toBe(' a\tb \nc\nd')
})

test('records are copied one a line', () => {
  const line = record('a', 'x')
  expect(copyOf([line, line], 'ndjson', options)).toBe(`${line.text}\n${line.text}\n`)
})

test('a table has one row for each line, and no cell is a formula', () => {
  expect(copyOf([record('=1+1', '@x'), record('a\tb\nc', 'y')], 'table', options)).toBe(
    ['time\tapp\tline', "2027-01-15T08:00:00.000Z\t'@x\t'=1+1", '2027-01-15T08:00:00.000Z\ty\ta b c'].join(
      '\n',
    ),
  )
})
