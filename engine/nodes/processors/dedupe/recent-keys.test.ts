import { expect, test } from 'vitest'
import { finish } from '../../../steps.ts'
import { keptKey, RecentKeys } from './recent-keys.ts'

const LIMIT = 4

/** Uses keys one after the other, each at its time. */
function used(...uses: readonly (readonly [key: string, usedMs: number])[]): RecentKeys {
  const keys = new RecentKeys()
  for (const [key, usedMs] of uses) keys.use(key, usedMs, LIMIT)
  return keys
}

/** Keys in the order in which further ones make them forgotten. */
function orderOf(keys: RecentKeys): string[] {
  const list = JSON.parse(Buffer.from(finish(keys.snapshot())).toString()) as unknown[]
  return (list.slice(1).flat(1) as [string, number, number][]).map(([key]) => key)
}

test('the key that was used least recently is forgotten, and a repeat counts as a use', () => {
  const keys = used(['a', 1], ['b', 2], ['c', 3], ['d', 4])
  expect([keys.use('a', 5, LIMIT), keys.use('e', 6, LIMIT)]).toEqual([true, false])
  expect(orderOf(keys)).toEqual(['c', 'd', 'a', 'e'])
  expect(keys.use('b', 7, LIMIT)).toBe(false)
})

test('a smaller limit forgets the surplus at the next use', () => {
  const keys = used(['a', 1], ['b', 1], ['c', 1], ['d', 1])
  expect(keys.use('d', 2, 2)).toBe(true)
  expect(orderOf(keys)).toEqual(['c', 'd'])
})

test('it agrees with a plain list over many uses, restarts and moves', () => {
  let keys = new RecentKeys()
  let list: string[] = []
  let random = 12345
  for (let step = 0; step < 5_000; step++) {
    random = (random * 1_103_515_245 + 12_345) % 2 ** 31
    const key = `k${random % 9}`
    expect(keys.use(key, Math.floor(step / 7), LIMIT)).toBe(list.includes(key))
    list = [...list.filter(each => each !== key), key].slice(-LIMIT)
    if (step % 50 === 0) keys = finish(RecentKeys.restore(finish(keys.snapshot())))
    if (step % 70 === 0) moveThere(keys, new RecentKeys())
  }
  expect(orderOf(keys)).toEqual(list)

  /** Moves all shares to other partitions and back, in another order. */
  function moveThere(home: RecentKeys, away: RecentKeys) {
    for (const piece of home.split([2, 0, 1], hash => hash % 3)) if (piece) away.absorb(piece.data)
    expect(home.count).toBe(0)
    for (const piece of away.split([1, 2, 0], hash => hash % 3)) if (piece) home.absorb(piece.data)
  }
})

test('shares from several partitions are in the order of use, not in that of their arrival', () => {
  const one = used(['a', 10], ['b', 30])
  const other = used(['c', 20], ['d', 40])
  const home = new RecentKeys()
  for (const partition of [other, one])
    for (const piece of partition.split([0], () => 0)) if (piece) home.absorb(piece.data)
  expect(orderOf(home)).toEqual(['a', 'c', 'b', 'd'])
})

test('uses at one time keep their order, however many there are, and their time is never ahead', () => {
  let keys = new RecentKeys()
  for (let use = 0; use < 5_000; use++) keys.use(`k${use % 7}`, 5, LIMIT)
  keys = finish(RecentKeys.restore(finish(keys.snapshot())))
  expect(orderOf(keys)).toEqual([4_996, 4_997, 4_998, 4_999].map(use => `k${use % 7}`))
  expect([keys.use(`k${4_999 % 7}`, 5, LIMIT), keys.twinMs]).toEqual([true, 5])
})

test('a move takes only the keys of its shares, in pieces of a bounded size', () => {
  const keys = new RecentKeys()
  for (let key = 0; key < 5_000; key++) keys.use(`${key}${'"'.repeat(500)}`, key, 5_000)
  const moved = [...keys.split([1], hash => hash % 4)].filter(piece => piece !== undefined)
  expect(moved.length).toBeGreaterThan(1)
  for (const { share, data } of moved) {
    expect(share).toBe(1)
    expect(data.length).toBeLessThan(900_000)
  }
  const target = new RecentKeys()
  for (const { data } of moved) target.absorb(data)
  expect(target.count + keys.count).toBe(5_000)
  expect(target.count).toBeGreaterThan(1_000)
})

test('a key of 512 bytes is stored as it is, and a longer one as its digest', () => {
  expect(keptKey('x'.repeat(512))).toBe('x'.repeat(512))
  expect(keptKey('x'.repeat(513))).toMatch(/^#[0-9a-f]{64}$/)
  expect(keptKey('é'.repeat(256))).toBe('é'.repeat(256))
  expect(keptKey('é'.repeat(257))).toMatch(/^#/)
})

test.each(['', '{}', '[2]', '[1,[["a",1]]]', '[1,[[1,1,1]]]', '[1'])(
  'bytes that are not a snapshot are refused: %s',
  text => {
    expect(() => finish(RecentKeys.restore(Buffer.from(text)))).toThrow(RangeError)
    expect(() => new RecentKeys().absorb(Buffer.from(text))).toThrow(RangeError)
  },
)
