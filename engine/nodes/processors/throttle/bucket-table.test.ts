import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finish } from '../../../steps.ts'
import { BucketTable, NO_BUCKET } from './bucket-table.ts'
import { ColumnReader, ColumnWriter } from './columns.ts'

function copyOf(table: BucketTable): BucketTable {
  const writer = new ColumnWriter()
  table.write(writer)
  return finish(BucketTable.read(new ColumnReader(finish(writer.writing()))))
}

test('finds exactly the present keys after any additions and removals', () => {
  const keys = Array.from({ length: 60 }, (_, number) => `${'k'.repeat(number % 30)}${number}`)
  const operation = fc.record({
    key: fc.constantFrom(...keys),
    what: fc.constantFrom('insert', 'insert', 'insert', 'remove', 'remove', 'touch', 'restore'),
  })
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 400, size: 'max' }), fc.nat(), (operations, seed) => {
      let table = new BucketTable(seed)
      const order = new Set<string>() // in the order of use, least recently used first
      for (const { key, what } of operations) {
        const bucket = table.find(key)
        expect(bucket !== NO_BUCKET).toBe(order.has(key))
        if (what === 'restore') table = copyOf(table)
        else if (bucket === NO_BUCKET && what === 'insert') table.insert(key)
        else if (bucket !== NO_BUCKET && what === 'remove') table.remove(bucket)
        else if (bucket !== NO_BUCKET && what === 'touch') table.touch(bucket)
        else continue
        if (what !== 'restore') order.delete(key)
        if (what === 'insert' || what === 'touch') order.add(key)
      }
      for (const key of keys) expect(table.find(key) !== NO_BUCKET).toBe(order.has(key))
      expect([...table.inOrderOfUse()]).toEqual([...order].map(key => table.find(key)))
      expect(table.size).toBe(order.size)
    }),
    { numRuns: 200 },
  )
})

test('one bucket after the other can be removed, and all others are still found', () => {
  const table = new BucketTable(3)
  const keys = Array.from({ length: 3000 }, (_, number) => `host-${number}`)
  for (const key of keys) table.insert(key)
  for (const [index, key] of keys.entries()) {
    table.remove(table.find(key))
    if (index % 100 !== 0) continue
    const missing = keys.filter(other => table.find(other) === NO_BUCKET)
    expect(missing).toEqual(keys.slice(0, index + 1))
  }
})
