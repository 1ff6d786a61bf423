import { expect, test } from 'vitest'
import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { readNativeBlock } from '../../../test/support/native-reader.ts'
import { noCounts } from '../../graph/node-counters.ts'
import { newStoredLine } from '../../lines/stored-line/stored-line.ts'
import { OpenTables } from './open-tables.ts'

const NOON_MS = Date.UTC(2031, 4, 6, 12)
const NODE = { account: 'a', pipeline: 'p', node: 'n' }

/** One line and one counted event at noon. */
function filled(): OpenTables {
  const tables = new OpenTables()
  tables.minute.noteTime(NOON_MS)
  tables.minute.activity.add(NODE, { ...noCounts(), eventsIn: 2 })
  tables.lines.begin(NOON_MS, BEHAVIOUR)
  tables.lines.append({ offset: 4n, row: 1 }, newStoredLine())
  return tables
}

test('lines end with their slice, counts with their minute', () => {
  const tables = filled()
  expect(tables.deadlineMs(5_000)).toBe(NOON_MS + 5_000)
  expect(tables.endsBefore(NOON_MS + 4_999, 5_000)).toBe(false)
  expect(tables.endsBefore(NOON_MS + 5_000, 5_000)).toBe(true)
  expect(tables.take(5n, NOON_MS + 5_000).map(({ table }) => table)).toEqual(['slotted_lines'])
  expect(tables.deadlineMs(5_000)).toBe(NOON_MS + 60_000)
  const [metrics] = tables.take(6n, NOON_MS + 60_000)
  expect(metrics).toMatchObject({ table: 'node_metrics', rows: 1, first: { offset: 6n, row: 0 } })
  expect(readNativeBlock(metrics?.block ?? []).rows).toMatchObject([{ node: 'n', events_in: 2n }])
  expect(tables.deadlineMs(5_000)).toBe(Number.POSITIVE_INFINITY)
})

test('the highest position of every table is known until the next flush', () => {
  const tables = filled()
  tables.take(5n, NOON_MS + 60_000)
  expect(tables.given('slotted_lines')).toEqual({ offset: 4n, row: 1 })
  const restored = new OpenTables()
  restored.restoreGiven(tables.allGiven)
  expect(restored.given('node_metrics')).toEqual({ offset: 5n, row: 0 })
})

test('at lost records everything ends, and counts that the store has are not given again', () => {
  expect(
    filled()
      .takeAtGap(5n, new Set())
      .map(({ table }) => table),
  ).toEqual(['slotted_lines', 'node_metrics'])
  expect(
    filled()
      .takeAtGap(5n, new Set(['node_metrics']))
      .map(({ table }) => table),
  ).toEqual(['slotted_lines'])
})
