import { expect, test } from 'vitest'
import { askerOfKey } from '../../../engine/turns/asker.ts'
import { BodyRoom, STRANGERS } from './body-room.ts'

test('one holder gets at most half of the room, and another one still finds some', () => {
  const room = new BodyRoom(100)
  for (let count = 0; count < 5; count++) expect(room.take(askerOfKey('greedy'), 10)).toBe(true)
  expect(room.take(askerOfKey('greedy'), 1)).toBe(false)
  expect(room.take(askerOfKey('other'), 10)).toBe(true)
  expect(room.take(askerOfKey('other'), 15)).toBe(true)
  expect(room.take(askerOfKey('other'), 1)).toBe(false)
  expect(room.usedBytes).toBe(75)
})

test('many accounts of an enterprise leave room to another enterprise, and to each other', () => {
  const room = new BodyRoom(1_200)
  const hold = (account: string) => {
    let held = 0
    while (room.take(askerOfKey(account), 1)) held++
    return held
  }
  expect(['e/1', 'e/2', 'e/3', 'e/4'].map(hold)).toEqual([600, 200, 66, 22])
  for (let account = 5; account < 100; account++) hold(`e/${account}`)
  expect(room.usedBytes).toBeLessThanOrEqual(900)
  expect(hold('a')).toBeGreaterThan(140)
})

test('an enterprise with one account holds as much as an account without enterprise', () => {
  const room = new BodyRoom(100)
  expect(room.take(askerOfKey('e/1'), 50)).toBe(true)
  expect(room.take(askerOfKey('e/1'), 1)).toBe(false)
})

test('returned bytes can be taken again', () => {
  const room = new BodyRoom(100)
  expect(room.take(askerOfKey('a'), 50)).toBe(true)
  expect(room.take(askerOfKey('a'), 10)).toBe(false)
  room.give(askerOfKey('a'), 10)
  expect(room.take(askerOfKey('a'), 10)).toBe(true)
  room.give(askerOfKey('a'), 50)
  expect(room.usedBytes).toBe(0)
})

test('senders without a key have an eighth together', () => {
  const room = new BodyRoom(80)
  expect(room.take(STRANGERS, 10)).toBe(true)
  expect(room.take(STRANGERS, 1)).toBe(false)
  expect(room.take(askerOfKey('known'), 35)).toBe(true)
})

test('the first bytes of a holder only need to be free', () => {
  const room = new BodyRoom(100)
  expect(room.take(askerOfKey('a'), 40)).toBe(true)
  expect(room.take(askerOfKey('b'), 61)).toBe(false)
  expect(room.take(askerOfKey('b'), 60)).toBe(true)
  expect(room.take(askerOfKey('c'), 1)).toBe(false)
})

test('an empty room accepts any number of bytes', () => {
  const room = new BodyRoom(100)
  expect(room.take(askerOfKey('a'), 1000)).toBe(true)
  expect(room.take(askerOfKey('b'), 1)).toBe(false)
})
