import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { HOUR_MS } from '../times/duration.ts'
import { ENTERPRISE_ITSELF, EqualShares } from './enterprise-shares.ts'

const SHARED = { bytesPerHour: 1_000, atOnce: 8_000, atJoining: 50 }

function opened() {
  const clock = manualClock()
  const shares = new EqualShares(clock, SHARED)
  const useUp = (holder: string) => {
    let taken = 0
    for (; shares.waitMs(holder, 1) <= 0; taken++) shares.take(holder, 1)
    return taken
  }
  return { clock, shares, useUp }
}

test('holders have equal shares of what is saved up, and of each hour', () => {
  const { clock, shares, useUp } = opened()
  for (let account = 0; account < 3; account++) shares.add()
  expect(['a', 'b', ENTERPRISE_ITSELF].map(useUp)).toEqual([2_000, 2_000, 2_000])
  clock.advance(HOUR_MS)
  expect(['a', 'b'].map(useUp)).toEqual([250, 250])
  expect(useUp('c')).toBe(2_000)
})

test('a wait is as long as it was foretold, and infinite for more than a share ever has', () => {
  const { clock, shares, useUp } = opened()
  shares.add()
  useUp('a')
  const waitMs = shares.waitMs('a', 100)
  expect(waitMs).toBe(HOUR_MS / 5)
  clock.advance(waitMs)
  expect(shares.waitMs('a', 100)).toBe(0)
  expect(shares.waitMs('a', 4_001)).toBe(Infinity)
})

test('holders of the beginning that go do not enlarge the saved shares of the others', () => {
  const { shares, useUp } = opened()
  for (let account = 0; account < 99; account++) shares.add()
  let taken = 0
  for (let account = 0; account < 99; account++) {
    taken += useUp(`${account}`)
    shares.leave(`${account}`)
  }
  expect(taken).toBe(99 * 80)
})

test('a holder that comes while the others have saved up everything has a whole share', () => {
  const { shares, useUp } = opened()
  for (let account = 0; account < 3; account++) shares.join(`${account}`)
  expect(['2', '0', ENTERPRISE_ITSELF].map(useUp)).toEqual([2_000, 2_000, 2_000])
})

test('a holder that comes when nothing is left has the bytes of a new one', () => {
  const { shares, useUp } = opened()
  useUp(ENTERPRISE_ITSELF)
  shares.join('a')
  expect(useUp('a')).toBe(50)
})

test('holders that come, use their shares and go use nothing that others saved before', () => {
  const { shares, useUp } = opened()
  let taken = 0
  for (let account = 0; account < 100; account++) {
    shares.join(`${account}`)
    taken += useUp(`${account}`)
    shares.leave(`${account}`)
  }
  taken += useUp(ENTERPRISE_ITSELF)
  expect(taken).toBeLessThanOrEqual(SHARED.atOnce + 100 * SHARED.atJoining)
})

test('what holders leave behind, or never used, is not paid out twice', () => {
  const { clock, shares, useUp } = opened()
  for (let account = 0; account < 99; account++) shares.join(`${account}`)
  clock.advance(80 * HOUR_MS)
  // Each uses up its share and goes, so that the shares of the others get larger.
  let taken = 0
  for (let account = 0; account < 99; account++) {
    taken += useUp(`${account}`)
    shares.leave(`${account}`)
  }
  expect(taken).toBeLessThanOrEqual(SHARED.atOnce)
})

test('returned bytes can be used again, but never make more than a whole share', () => {
  const { shares, useUp } = opened()
  shares.take('', 100)
  shares.give('', 100)
  shares.give('', 100)
  expect(useUp('')).toBe(8_000)
})
