import { expect, test } from 'vitest'
import { TailRooms } from './tail-rooms.ts'

const MEBIBYTE = 1024 * 1024
const lone = (account: string) => ({ account, enterprise: account })

test('few tails have the whole of their rooms', () => {
  const rooms = new TailRooms()
  const opened = Array.from({ length: 8 }, () => rooms.open(lone('a')))
  expect(opened.map(({ bytes }) => bytes)).toEqual(Array(8).fill(1.5 * MEBIBYTE))
})

test('the tails of an account share its memory, and those of other accounts keep theirs', () => {
  const rooms = new TailRooms()
  const other = rooms.open(lone('b'))
  const opened = Array.from({ length: 20 }, () => rooms.open(lone('a')))
  expect(opened.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(12 * MEBIBYTE)
  expect(other.bytes).toBe(1.5 * MEBIBYTE)
  for (const room of opened.slice(1)) rooms.close(room)
  expect(opened[0]?.bytes).toBe(1.5 * MEBIBYTE)
  expect([rooms.count, rooms.countOf(lone('a'))]).toEqual([2, 1])
})

test('the tails of all accounts share the memory of the process', () => {
  const rooms = new TailRooms()
  const opened = Array.from({ length: 1_000 }, (_, number) => rooms.open(lone(`account ${number}`)))
  const sum = opened.reduce((all, { bytes }) => all + bytes, 0)
  expect(sum).toBeLessThanOrEqual(96 * MEBIBYTE)
  expect(sum).toBeGreaterThan(95 * MEBIBYTE)
})

test('the tails of many accounts of an enterprise leave half of the memory to another one', () => {
  const rooms = new TailRooms()
  const child = (account: number) => rooms.open({ account: `child ${account}`, enterprise: 'e' })
  const opened = Array.from({ length: 180 }, (_, number) => child(number % 9))
  const others = Array.from({ length: 20 }, () => rooms.open(lone('b')))
  const sum = (of: typeof opened) => of.reduce((all, { bytes }) => all + bytes, 0)
  expect(sum(others)).toBeGreaterThan(11.9 * MEBIBYTE)
  expect(sum(opened)).toBeGreaterThan(83.9 * MEBIBYTE)
  expect(sum(opened) + sum(others)).toBeLessThanOrEqual(96 * MEBIBYTE)
})

test('a room that is closed twice counts once', () => {
  const rooms = new TailRooms()
  const room = rooms.open(lone('a'))
  rooms.open(lone('a'))
  rooms.close(room)
  rooms.close(room)
  expect([rooms.count, rooms.countOf(lone('a'))]).toEqual([1, 1])
})
