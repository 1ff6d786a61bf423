import { describe, expect, test } from 'vitest'
import { DAY_MS } from '../times/duration.ts'
import { IdempotencyKeys, MAX_STREAMS, Producers, STREAM_WINDOW } from './repeats.ts'

const digest = (text: string) => Buffer.from(text)

describe('producers', () => {
  test('a passed sequence is a repeat, a higher one is not, and gaps do not matter', () => {
    const producers = new Producers()
    expect(producers.advance('a', 0, 1)).toBe(true)
    expect(producers.advance('a', 0, 2)).toBe(false)
    expect(producers.advance('a', 7, 3)).toBe(true)
    expect(producers.advance('a', 6, 4)).toBe(false)
    expect(producers.advance('b', 0, 5)).toBe(true)
  })

  test('a producer is forgotten a day of log time after its last record, not a millisecond earlier', () => {
    const producers = new Producers()
    producers.advance('a', 5, 1000)
    expect(producers.advance('a', 5, 1000 + DAY_MS - 1)).toBe(false)
    expect(producers.advance('a', 5, 1000 + 2 * DAY_MS - 1)).toBe(true)
  })

  test('a snapshot restores every judgement', () => {
    const producers = new Producers()
    producers.advance('a', 5, 1000)
    producers.advance('old', 9, 1000 - DAY_MS)
    const restored = new Producers()
    const snapshot = producers.snapshot(1000)
    restored.restore(snapshot)
    expect(snapshot.map(({ id }) => id)).toEqual(['a'])
    expect(restored.advance('a', 5, 1001)).toBe(false)
    expect(restored.advance('a', 6, 1001)).toBe(true)
  })
})

describe('idempotency keys', () => {
  test('the same key with the same body is a repeat', () => {
    const keys = new IdempotencyKeys()
    expect(keys.advance({ key: 'k', digest: digest('1') }, 0)).toBe(true)
    expect(keys.advance({ key: 'k', digest: digest('1') }, 1)).toBe(false)
  })

  test('another body under a used key is kept, because it was acknowledged', () => {
    const keys = new IdempotencyKeys()
    keys.advance({ key: 's/1', digest: digest('1') }, 0)
    expect(keys.advance({ key: 's/1', digest: digest('2') }, 1)).toBe(true)
  })

  test('numbers of a stream may arrive out of order within the window', () => {
    const keys = new IdempotencyKeys()
    const advance = (number: number) =>
      keys.advance({ key: `s/${number}`, digest: digest(String(number)) }, 0)
    expect(advance(100)).toBe(true)
    expect(advance(100 - STREAM_WINDOW + 1)).toBe(true)
    expect(advance(100 - STREAM_WINDOW + 1)).toBe(false)
    expect(advance(101)).toBe(true)
    expect(advance(100)).toBe(false)
  })

  test('a number that is too far behind to be recognised as a repeat is kept, because it was acknowledged', () => {
    const keys = new IdempotencyKeys()
    keys.advance({ key: 's/100', digest: digest('100') }, 0)
    expect(keys.advance({ key: `s/${100 - STREAM_WINDOW}`, digest: digest('old') }, 0)).toBe(true)
  })

  test('a key without a number is forgotten after a day', () => {
    const keys = new IdempotencyKeys()
    keys.advance({ key: 'k', digest: digest('1') }, 0)
    expect(keys.advance({ key: 'k', digest: digest('1') }, DAY_MS - 1)).toBe(false)
    expect(keys.advance({ key: 'k', digest: digest('1') }, DAY_MS)).toBe(true)
  })

  test('beyond the bound the stream that was unused longest is forgotten, also in a replay from a snapshot', () => {
    const advance = (keys: IdempotencyKeys, name: string) =>
      keys.advance({ key: `${name}/1`, digest: digest('1') }, 0)
    const keys = new IdempotencyKeys()
    advance(keys, 'first')
    advance(keys, 'second')
    for (let index = 2; index < MAX_STREAMS; index++) advance(keys, `s${index}`)
    expect(advance(keys, 'first')).toBe(false)
    const restored = new IdempotencyKeys()
    restored.restore(keys.snapshot(0))
    for (const each of [keys, restored]) {
      expect(advance(each, 'one more')).toBe(true)
      expect(advance(each, 'first')).toBe(false)
      expect(advance(each, 'second')).toBe(true)
    }
  })

  test('a judgement of a request notes nothing', () => {
    const keys = new IdempotencyKeys()
    keys.advance({ key: 's/100', digest: digest('100') }, 0)
    keys.advance({ key: 'k', digest: digest('k') }, 0)
    const judge = (key: string, body: string) => keys.judge({ key, digest: digest(body) }, 1)
    for (let twice = 0; twice < 2; twice++) {
      expect(judge('s/100', '100')).toBe('repeat')
      expect(judge('s/100', 'other')).toBe('conflict')
      expect(judge('s/99', '99')).toBe('new')
      expect(judge(`s/${100 - STREAM_WINDOW}`, 'any')).toBe('passed')
      expect(judge('k', 'k')).toBe('repeat')
      expect(judge('k', 'other')).toBe('conflict')
      expect(judge('unknown', 'k')).toBe('new')
    }
  })

  test('a snapshot restores every judgement', () => {
    const keys = new IdempotencyKeys()
    keys.advance({ key: 's/8', digest: digest('8') }, 0)
    keys.advance({ key: 'k', digest: digest('k') }, 0)
    const restored = new IdempotencyKeys()
    restored.restore(keys.snapshot(10))
    expect(restored.advance({ key: 's/8', digest: digest('8') }, 11)).toBe(false)
    expect(restored.advance({ key: 'k', digest: digest('k') }, 11)).toBe(false)
    expect(restored.advance({ key: 's/9', digest: digest('9') }, 11)).toBe(true)
  })
})
