import { expect, test } from 'vitest'
import { LostRecords, reachedTables } from './lost-records.ts'

const record = (offset: bigint, appendTimeMs: number) => {
  return { offset, appendTimeMs, producer: null, value: Buffer.alloc(0) }
}

test('the facts of a loss are kept until its places are passed', () => {
  const lost = new LostRecords()
  expect(lost.pass()).toBeUndefined()
  lost.note(record(5n, 100), { from: 5, to: 7, witnessed: { timeMs: 90, reached: ['lines'] } })
  lost.note(record(6n, 101), { from: 5, to: 7 })
  expect(lost.isOpen).toBe(true)
  const passed = lost.pass()
  expect(passed).toEqual({
    from: 5n,
    to: 7n,
    witnessed: [{ timeMs: 100, reached: ['lines'] }, { timeMs: 101 }],
  })
  expect([...reachedTables(passed?.witnessed ?? [])]).toEqual(['lines'])
  expect(lost.isOpen).toBe(false)
})

test('a loss within an accepted one extends it, and both are one gap', () => {
  const lost = new LostRecords()
  lost.note(record(5n, 100), { from: 5, to: 7 })
  lost.note(record(6n, 100), { from: 6, to: 9 })
  expect(lost.pass()).toMatchObject({ from: 5n, to: 9n })
})
