import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import { quotaLedgerOn } from '../configuration/kinds/quota-ledger.ts'
import {
  type Quota,
  type QuotaLimit,
  type QuotaRule,
  quotaStates,
  quotas,
} from '../configuration/kinds/quotas.ts'
import { DAY_MS } from '../times/duration.ts'
import { QuotaWatch } from './quota-watch.ts'

const ACCOUNT = '0123456789'
const NOON = Date.UTC(2026, 10, 22, 12)
const MIDNIGHT = Date.UTC(2026, 10, 23)
const NEXT_MONTH = Date.UTC(2026, 11, 1)
const NONE: QuotaLimit = { limit: 0, discard: false, rules: [] }
const rule = (percent: number, given: Partial<QuotaRule> = {}): QuotaRule => ({
  percent,
  active: true,
  apps: ['a'],
  hosts: [],
  query: '',
  indexonly: true,
  ...given,
})

let installation: TestInstallation
let watch: QuotaWatch
/** Bytes by the beginning of a period. */
let used: Map<number, number>
let asked: { fromMs: number; toMs: number }[]

beforeEach(async () => {
  installation = await testInstallation()
  used = new Map()
  asked = []
  watch = new QuotaWatch(quotaLedgerOn(installation.configuration), async ({ fromMs, toMs }) => {
    asked.push({ fromMs, toMs })
    return used.get(fromMs) ?? 0
  })
})
afterEach(() => installation.app.close())

async function limit(quota: Partial<Quota>): Promise<void> {
  const value = { account: ACCOUNT, daily: NONE, monthly: NONE, ...quota }
  await installation.write({ kind: quotas, id: ACCOUNT, expectedVersion: -1, value })
}

async function check(wallMs = NOON) {
  await watch.check({ wallMs, monotonicMs: 0 })
  const entity = installation.configuration.get(quotaStates, ACCOUNT)
  return { inForce: entity?.value.inForce, version: entity?.version }
}

const today = (bytes: number) => used.set(Date.UTC(2026, 10, 22), bytes)
const thisMonth = (bytes: number) => used.set(Date.UTC(2026, 10, 1), bytes)

test('nothing is reported before a limit is reached, and one event when it is', async () => {
  await limit({ daily: { limit: 1_000, discard: true, rules: [] } })
  today(999)
  expect((await check()).inForce).toBeUndefined()
  expect(asked).toEqual([{ fromMs: Date.UTC(2026, 10, 22), toMs: MIDNIGHT - 1 }])
  today(1_000)
  const reached = await check()
  expect(reached.inForce).toEqual([{ period: 'daily', untilMs: MIDNIGHT, discards: true, rules: [] }])
  today(1_500)
  expect(await check()).toEqual(reached)
  // An ended measure is not withdrawn: partitions find its end by the time of their log.
  expect(await check(MIDNIGHT)).toEqual(reached)
})

test('a day and a month have limits of their own', async () => {
  await limit({
    daily: { limit: 1_000, discard: true, rules: [] },
    monthly: { limit: 5_000, discard: true, rules: [] },
  })
  today(1_000)
  thisMonth(5_000)
  expect((await check()).inForce).toMatchObject([
    { period: 'daily', untilMs: MIDNIGHT },
    { period: 'monthly', untilMs: NEXT_MONTH },
  ])
  expect((await check(MIDNIGHT)).inForce).toHaveLength(2)
  used.set(MIDNIGHT, 1_000)
  expect((await check(MIDNIGHT + 1)).inForce).toMatchObject([
    { period: 'daily', untilMs: MIDNIGHT + DAY_MS },
    { period: 'monthly', untilMs: NEXT_MONTH },
  ])
})

test('active rules act from their percentage of the quota on', async () => {
  const rules = [rule(50), rule(90, { active: false }), rule(90, { apps: ['b'] }), rule(100)]
  await limit({ daily: { limit: 1_001, discard: false, rules } })
  const numbers = async (bytes: number) => {
    today(bytes)
    return (await check()).inForce?.flatMap(each => each.rules.map(({ number }) => number)) ?? []
  }
  expect(await numbers(500)).toEqual([])
  expect(await numbers(501)).toEqual([1])
  expect(await numbers(900)).toEqual([1])
  expect(await numbers(901)).toEqual([1, 3])
  expect(await numbers(1_000)).toEqual([1, 3])
  expect(await numbers(1_001)).toEqual([1, 3, 4])
  expect((await check()).inForce?.[0]).toMatchObject({ discards: false })
})

describe('a change of the quota', () => {
  test('makes the next check due at once', async () => {
    expect(watch.isDue(0)).toBe(true)
    await check()
    expect([watch.isDue(4_999), watch.isDue(5_000)]).toEqual([false, true])
    await limit({ daily: { limit: 10, discard: true, rules: [] } })
    expect(watch.isDue(0)).toBe(true)
  })

  test('below the stored amount acts, and one above it, or none, ends all effects', async () => {
    today(100)
    await limit({ daily: { limit: 50, discard: true, rules: [] } })
    expect((await check()).inForce).toHaveLength(1)
    await limit({ daily: { limit: 101, discard: true, rules: [] } })
    expect((await check()).inForce).toEqual([])
    await limit({ daily: { limit: 100, discard: true, rules: [] } })
    expect((await check()).inForce).toHaveLength(1)
    await limit({})
    const { inForce, version } = await check()
    expect(inForce).toEqual([])
    asked = []
    expect((await check()).version).toBe(version)
    expect(asked).toEqual([]) // Accounts without a limit cost no statement.
  })
})

test('of two simultaneous decisions one takes effect, and the other process checks again', async () => {
  await limit({ daily: { limit: 10, discard: true, rules: [] } })
  today(10)
  const other = new QuotaWatch(quotaLedgerOn(installation.configuration), async () => 10)
  await Promise.all([check(), other.check({ wallMs: NOON, monotonicMs: 0 })])
  expect((await check()).inForce).toHaveLength(1)
})
