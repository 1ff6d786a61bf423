import { expect, test } from 'vitest'
import { MAX_DEAD_LETTER_DAYS } from '../../../schemas/log/dead-letters.ts'
import { DAY_MS } from '../../times/duration.ts'
import { DeadLetterMemory } from './dead-letter-memory.ts'

const LETTER = { topic: 'weir.ingest', partition: 0, offset: 7, row: 2 }
const MAX_AGE_MS = (MAX_DEAD_LETTER_DAYS + 1) * DAY_MS

test('a pipeline keeps dead letters once it is asked to, and until it is asked not to', () => {
  const memory = new DeadLetterMemory()
  expect([memory.isUnused, memory.has('p'), memory.isEnabled('p')]).toEqual([true, false, false])
  memory.set('p', true)
  expect([memory.isUnused, memory.isEnabled('p'), memory.isEnabled('q')]).toEqual([false, true, false])
  memory.set('p', false)
  expect([memory.isUnused, memory.has('p'), memory.isEnabled('p')]).toEqual([false, true, false])
})

test('a letter is replayed once, whatever the order', () => {
  const memory = new DeadLetterMemory()
  const replay = (letter: object) => memory.advance({ ...LETTER, ...letter }, 0, 0)
  expect([replay({}), replay({})]).toEqual([true, false])
  expect([replay({ row: 1 }), replay({ offset: 6 }), replay({ partition: 1 })]).toEqual([true, true, true])
  expect(replay({ row: 1 })).toBe(false)
})

test('a letter is remembered for longer than it is kept; one that is older is refused', () => {
  const memory = new DeadLetterMemory()
  expect(memory.advance(LETTER, 0, MAX_AGE_MS)).toBe(true)
  expect(memory.advance({ ...LETTER, row: 3 }, 0, MAX_AGE_MS + 1)).toBe(false)
})

test('a snapshot has the letters that may still be replayed', () => {
  const memory = new DeadLetterMemory()
  memory.set('p', true)
  memory.advance(LETTER, 0, 0)
  const restored = (timeMs: number) => {
    const other = new DeadLetterMemory()
    other.restore(memory.snapshot(timeMs))
    return other
  }
  expect(restored(0).isEnabled('p')).toBe(true)
  expect(restored(MAX_AGE_MS).advance(LETTER, 0, MAX_AGE_MS)).toBe(false)
  expect(
    restored(MAX_AGE_MS + 1)
      .snapshot(0)
      .toString(),
  ).toBe('{"enabled":[["p",true]],"replayed":[]}')
})
