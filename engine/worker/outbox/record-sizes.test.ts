import { expect, test } from 'vitest'
import { RecordSizes } from './record-sizes.ts'

const MIB = 1024 * 1024
const records = (count: number, bytes: number, first = 0) =>
  Array.from({ length: count }, (_, index) => ({
    offset: BigInt(first + index),
    value: { length: bytes } as Buffer,
  }))

test('the mean is that of all records, and older ones count less after many bytes', () => {
  const sizes = new RecordSizes()
  expect(sizes.mean).toBe(0)
  sizes.note(records(3, 100))
  sizes.note(records(1, 500))
  expect(sizes.mean).toBe(200)
  for (let round = 0; round < 10; round++) sizes.note(records(64, MIB))
  sizes.note(records(64, 2 * MIB))
  expect(sizes.mean).toBeGreaterThan(1.3 * MIB)
})

test('the bytes behind a place are those of its records, and estimated before the first that was noted', () => {
  const sizes = new RecordSizes()
  sizes.sample(records(10, 2 * MIB))
  sizes.begin(100n)
  expect([sizes.bytesFrom(100n), sizes.bytesFrom(90n)]).toEqual([0, 20 * MIB])
  sizes.note(records(40, 2 * MIB, 100))
  sizes.note(records(20, MIB, 140))
  expect([sizes.bytesFrom(130n), sizes.bytesFrom(150n)]).toEqual([40 * MIB, 10 * MIB])
  expect(sizes.bytesFrom(160n)).toBe(0)
  sizes.forget(145n)
  expect(sizes.bytesFrom(150n)).toBe(10 * MIB)
})
