import { expect, test } from 'vitest'
import type { LineText } from '../api/records.ts'
import { isLine } from '../lines/rows.ts'
import { TailRows } from './tail-rows.ts'

const BOUNDS = { following: 2_000, reading: 4_000 }
let notes = 0
const tail = () =>
  new TailRows(lines => ({ id: `note-${notes++}`, note: String(lines), kind: 'gap' }), BOUNDS)
const lines = (from: number, to: number): LineText[] =>
  Array.from({ length: to - from }, (_, at) => ({ id: String(from + at), timeMs: 0, text: '' }))
const ids = (rows: TailRows) =>
  rows
    .shown()
    .rows.filter(isLine)
    .map(({ id }) => Number(id))
/** Lines that notes speak of. */
const told = (rows: TailRows) =>
  rows.shown().rows.reduce((sum, row) => sum + (isLine(row) ? 0 : Number(row.note)), 0)

test('a followed tail holds the newest lines, and every one of them once', () => {
  const rows = tail()
  for (let at = 0; at < 10_000; at += 100) rows.add(lines(at, at + 100))
  const shown = ids(rows)
  expect(shown.length).toBeGreaterThanOrEqual(BOUNDS.following)
  expect(shown.length).toBeLessThanOrEqual(BOUNDS.following + 1_000)
  expect(shown).toEqual(Array.from({ length: shown.length }, (_, at) => 10_000 - shown.length + at))
  expect([rows.received, rows.shown().unseen]).toEqual([10_000, 0])
})

test('lines that come again after a reconnection are shown once', () => {
  const rows = tail()
  rows.add(lines(0, 10))
  rows.add(lines(5, 15))
  expect(ids(rows)).toEqual(Array.from({ length: 15 }, (_, at) => at))
  expect(rows.received).toBe(15)
})

test('while one reads further up nothing in sight is removed, and what is not held is told', () => {
  const rows = tail()
  rows.add(lines(0, 1_000))
  rows.follow(false)
  rows.add(lines(1_000, 9_000))
  expect(ids(rows).slice(0, 3)).toEqual([0, 1, 2])
  expect([ids(rows).length, rows.shown().unseen]).toEqual([BOUNDS.reading, 8_000])
  rows.follow(true)
  rows.add(lines(9_000, 9_010))
  expect(told(rows)).toBe(9_000 - BOUNDS.reading)
  expect(ids(rows).at(-1)).toBe(9_009)
  expect(rows.shown().unseen).toBe(0)
})

test('a pause shows nothing new, and afterwards what has waited, in order', () => {
  const rows = tail()
  rows.add(lines(0, 5))
  rows.pause(true)
  rows.add(lines(5, 10))
  expect([ids(rows).length, rows.shown().unseen]).toEqual([5, 5])
  rows.pause(false)
  expect(ids(rows)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(rows.shown().unseen).toBe(0)
})

test('a long pause tells how many lines it left out', () => {
  const rows = tail()
  rows.pause(true)
  rows.add(lines(0, 5_000))
  rows.pause(false)
  expect(ids(rows).length + told(rows)).toBe(5_000)
  expect(ids(rows).at(-1)).toBe(4_999)
})

test('a value of the rows stays the same until something changes', () => {
  const rows = tail()
  rows.add(lines(0, 2))
  const before = rows.shown()
  expect(rows.shown()).toBe(before)
  rows.add(lines(2, 3))
  expect(before.rows.length).toBe(2)
  expect(rows.shown()).not.toBe(before)
})
