import { expect, test } from 'vitest'
import { BytePool } from './byte-pool.ts'

const MIB = 1024 * 1024

test('a piece that was given back is lent again for a similar size', () => {
  const pool = new BytePool(MIB)
  const piece = pool.borrow(100_000)
  expect(piece.byteLength).toBeGreaterThanOrEqual(100_000)
  expect(piece.byteLength).toBeLessThanOrEqual(125_000)
  expect(pool.borrow(100_000)).not.toBe(piece)
  pool.giveBack(piece)
  expect(pool.freeBytes).toBe(piece.byteLength)
  expect(pool.borrow(99_000)).toBe(piece)
  expect(pool.freeBytes).toBe(0)
})

test('every size has room for what was asked, and at most a fifth of it is unused', () => {
  const pool = new BytePool(0)
  for (let bytes = 4_097; bytes < 40 * MIB; bytes = Math.ceil(bytes * 1.013)) {
    const { byteLength } = pool.borrow(bytes)
    expect(byteLength).toBeGreaterThanOrEqual(bytes)
    expect(byteLength - bytes).toBeLessThanOrEqual(byteLength / 5)
  }
  expect(pool.borrow(1).byteLength).toBe(4_096)
})

test('a piece has one user, even if it is given back twice; other memory is not taken', () => {
  const pool = new BytePool(MIB)
  const piece = pool.borrow(8_000)
  pool.giveBack(piece)
  pool.giveBack(piece)
  expect(pool.borrow(8_000)).toBe(piece)
  expect(pool.borrow(8_000)).not.toBe(piece)
  pool.giveBackAll([new Uint8Array(8_192), Buffer.from('of node')])
  expect(pool.freeBytes).toBe(0)
})

test('free pieces beyond the limit are left to the collector', () => {
  const pool = new BytePool(10_000)
  const pieces = [pool.borrow(8_192), pool.borrow(8_192)]
  for (const piece of pieces) pool.giveBack(piece)
  expect(pool.freeBytes).toBe(8_192)
})

test('on request, a piece is overwritten when it is given back', () => {
  const pool = new BytePool(MIB)
  pool.overwriteFreePieces()
  const bytes = new Uint8Array(pool.borrow(5_000)).fill(1)
  pool.giveBackAll([bytes])
  expect(new Set(bytes)).toEqual(new Set([0xdd]))
})
