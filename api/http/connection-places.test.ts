import { expect, test } from 'vitest'
import { askerOfKey } from '../../engine/turns/asker.ts'
import { ConnectionPlaces } from './connection-places.ts'

/** Takes places while there are any. @returns their number, and the sentence of the refusal */
function taking(places: ConnectionPlaces) {
  return (key: string): [number, string] => {
    for (let taken = 0; ; taken++) {
      try {
        places.assertFree(askerOfKey(key))
      } catch (error) {
        expect(error).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
        return [taken, (error as Error).message]
      }
      places.take(askerOfKey(key))
    }
  }
}

test('the accounts of an enterprise leave as many places to others as one account may have', () => {
  const take = taking(new ConnectionPlaces('tail', { perProcess: 10, perAccount: 3 }))
  expect(take('e/1')).toEqual([3, 'The account has 3 tails open in this process: close one of them first'])
  expect(take('e/2')).toEqual([
    2,
    'The accounts of the enterprise have 5 tails open in this process: close one of them first',
  ])
  expect([take('e/3')[0], take('e/4')[0]]).toEqual([1, 1])
  expect(take('e/5')).toEqual([
    0,
    'The accounts of the enterprise have 7 tails open in this process: close one of them first',
  ])
  expect(take('a')).toEqual([3, 'This process has 10 tails open: close one of them first'])
})

test('nine accounts of an enterprise that take all they get leave places to the tenth', () => {
  const take = taking(new ConnectionPlaces('tail', { perProcess: 200, perAccount: 20 }))
  const taken = Array.from({ length: 10 }, (_, number) => take(`e/${number}`)[0])
  expect(taken).toEqual([20, 20, 20, 20, 20, 20, 20, 20, 10, 5])
  expect(take('e/last')[0]).toBe(3)
})

test('a place that is given back twice is free once', () => {
  const places = new ConnectionPlaces('tail', { perProcess: 6, perAccount: 2 })
  const leave = places.take(askerOfKey('a'))
  places.take(askerOfKey('a'))
  leave()
  leave()
  expect(taking(places)('a')[0]).toBe(1)
})
