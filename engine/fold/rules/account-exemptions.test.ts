import { expect, test } from 'vitest'
import { AccountExemptions } from './account-exemptions.ts'

const exemption = { accountId: 'a', pipeline: 'p', node: 'limit', key: 'k', untilMs: 5_000, forgetMs: 9_000 }

test('a key is exempt until its end, for the node that is named', () => {
  const exemptions = new AccountExemptions()
  const keys = exemptions.keysOf('p', 'limit')
  exemptions.set('e', exemption)
  expect([keys.holds('k', 4_999), keys.holds('k', 5_000)]).toEqual([true, false])
  expect(keys.holds('other', 0)).toBe(false)
  for (const [pipeline, node] of [
    ['p', 'other'],
    ['other', 'limit'],
  ] as const)
    expect(exemptions.keysOf(pipeline, node).holds('k', 0)).toBe(false)
})

test('a key of null is that of events without a key', () => {
  const exemptions = new AccountExemptions()
  exemptions.set('e', { ...exemption, key: null })
  expect(exemptions.keysOf('p', 'limit').holds(undefined, 0)).toBe(true)
})

test('an exemption is forgotten when no earlier version of it can have an effect', () => {
  const exemptions = new AccountExemptions()
  exemptions.set('e', exemption)
  exemptions.set('f', { ...exemption, key: 'l', forgetMs: 7_000 })
  expect(exemptions.forgetMs).toBe(7_000)
  expect(exemptions.forget(6_999)).toEqual([])
  expect(exemptions.forget(7_000)).toEqual(['f'])
  expect([exemptions.has('e'), exemptions.has('f'), exemptions.forgetMs]).toEqual([true, false, 9_000])
})
