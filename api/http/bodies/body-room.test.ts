import { expect, test } from 'vitest'
import { BodyRoom, STRANGERS } from './body-room.ts'

test('one holder gets at most half of the room, and another one still finds some', () => {
  const room = new BodyRoom(100)
  for (let count = 0; count < 5; count++) expect(room.take('greedy', 10)).toBe(true)
  expect(room.take('greedy', 1)).toBe(false)
  expect(room.take('other', 10)).toBe(true)
  expect(room.take('other', 15)).toBe(true)
  expect(room.take('other', 1)).toBe(false)
  expect(room.usedBytes).toBe(75)
})

test('returned bytes can be taken again', () => {
  const room = new BodyRoom(100)
  expect(room.take('a', 50)).toBe(true)
  expect(room.take('a', 10)).toBe(false)
  room.give('a', 10)
  expect(room.take('a', 10)).toBe(true)
  room.give('a', 50)
  expect(room.usedBytes).toBe(0)
})

test('senders without a key have an eighth together', () => {
  const room = new BodyRoom(80)
  expect(room.take(STRANGERS, 10)).toBe(true)
  expect(room.take(STRANGERS, 1)).toBe(false)
  expect(room.take('known', 35)).toBe(true)
})

test('the first bytes of a holder only need to be free', () => {
  const room = new BodyRoom(100)
  expect(room.take('a', 40)).toBe(true)
  expect(room.take('b', 61)).toBe(false)
  expect(room.take('b', 60)).toBe(true)
  expect(room.take('c', 1)).toBe(false)
})

test('an empty room accepts any number of bytes', () => {
  const room = new BodyRoom(100)
  expect(room.take('a', 1000)).toBe(true)
  expect(room.take('b', 1)).toBe(false)
})
