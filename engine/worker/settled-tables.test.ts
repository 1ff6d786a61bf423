import { expect, test } from 'vitest'
import type { Position } from '../../schemas/log/position.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import type { TableBatch } from '../fold/flush.ts'
import { SettledTables } from './settled-tables.ts'

const at = (offset: bigint, row: number): Position => ({ offset, row })

function batch(first: Position, last: Position, table: StoreTable = 'lines'): TableBatch {
  return { table, block: [], rows: 1, first, last, sinceMs: 0 }
}

test('batches up to the stored position are stored, the next one is not', () => {
  const settled = new SettledTables(new Map([['lines', at(9n, 4)]]))
  expect(settled.toString()).toBe('lines 9/4')
  expect(settled.has(batch(at(5n, 0), at(8n, 7)))).toBe(true)
  expect(settled.has(batch(at(8n, 8), at(9n, 4)))).toBe(true)
  expect(settled.has(batch(at(9n, 5), at(12n, 0)))).toBe(false)
  expect(settled.toString()).toBe('nothing')
})

test('the end of what is stored is that of the table that reaches furthest', () => {
  expect(new SettledTables().endOffset).toBe(0n)
  const highest = new Map<StoreTable, Position>([
    ['lines', at(9n, 4)],
    ['node_metrics', at(3n, 0)],
  ])
  expect(new SettledTables(highest, 5n).endOffset).toBe(10n)
  expect(new SettledTables(highest, 12n).endOffset).toBe(12n)
})

test('tables are settled one by one', () => {
  const settled = new SettledTables(new Map([['lines', at(9n, 4)]]))
  expect(settled.has(batch(at(5n, 0), at(8n, 7), 'node_metrics'))).toBe(false)
  expect(settled.has(batch(at(5n, 0), at(8n, 7)))).toBe(true)
})

test('a store that ends within a batch does not belong to the log', () => {
  const settled = new SettledTables(new Map([['lines', at(9n, 4)]]))
  expect(() => settled.has(batch(at(8n, 0), at(9n, 5)))).toThrow(
    'table lines ends at position 9/4, which is not the end of a batch (8/0 to 9/5)',
  )
})

test('everything below an offset is known to be stored, even when retention has removed the rows', () => {
  const settled = new SettledTables(new Map(), 9n)
  expect(settled.has(batch(at(5n, 0), at(8n, 7)))).toBe(true)
  expect(settled.has(batch(at(8n, 8), at(9n, 0)))).toBe(false)
})

test('rows of lost records do not settle the batches behind the gap', () => {
  const settled = new SettledTables(new Map([['lines', at(9n, 4)]]))
  const gap = { from: 8n, sinceMs: 0, untilMs: 0 }
  settled.pass({ ...gap, to: 9n })
  expect(settled.toString()).toBe('lines 9/4')
  settled.pass({ ...gap, to: 10n })
  expect(settled.has(batch(at(10n, 0), at(12n, 0)))).toBe(false)
})

test('a table with rows of lost records has the counts before them', () => {
  const gap = { from: 8n, to: 12n, sinceMs: 0, untilMs: 0 }
  const counts = batch(at(12n, 0), at(12n, 1), 'node_metrics')
  for (const offset of [8n, 11n])
    expect(new SettledTables(new Map([['node_metrics', at(offset, 0)]])).has(counts, gap)).toBe(true)
  const before = new SettledTables(new Map([['node_metrics', at(7n, 0)]]))
  expect(() => before.has(counts, gap)).toThrow('table node_metrics ends at position 7/0')
  expect(new SettledTables().has(counts, gap)).toBe(false)
})
