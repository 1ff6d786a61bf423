import { expect, test } from 'vitest'
import type { JsonObject } from '../../../schemas/json.ts'
import { testInstallation } from '../../../test/support/test-installation.ts'
import { type IngestionExclusion, lineRules } from '../../configuration/kinds/line-rules.ts'
import { quotaStates } from '../../configuration/kinds/quotas.ts'
import { TailRules } from './tail-rules.ts'

const ACCOUNT = '0123456789'
const rule = (id: string, given: Partial<IngestionExclusion>): IngestionExclusion => ({
  id,
  title: '',
  active: true,
  apps: [],
  hosts: [],
  query: '',
  indexonly: false,
  ...given,
})
const record = (line: string, app = 'a', level = ''): JsonObject => ({
  _host: 'web-1',
  _app: app,
  _line: line,
  level,
  _retention: 30,
})

test('tails show lines that are only kept out of the store, and not lines that are dropped entirely', async () => {
  const { write, configuration, app } = await testInstallation()
  const rules = new TailRules(configuration)
  expect(rules.hidesAny(ACCOUNT)).toBe(false)
  expect(rules.sees(ACCOUNT, record('x'), 0)).toBe(true)
  const exclusions = [
    rule('1', { apps: ['stored-not'], indexonly: true }),
    rule('2', { apps: ['off'], active: false }),
    rule('3', { apps: ['gone'] }),
    rule('4', { query: 'secret level:debug' }),
    rule('5', { query: '_retention:30' }),
  ]
  const value = {
    account: ACCOUNT,
    exclusions,
    streamExclusions: [rule('6', { apps: ['a'] })],
    retentionRules: [],
  }
  await write({ kind: lineRules, id: ACCOUNT, expectedVersion: 0, value })
  expect(rules.hidesAny(ACCOUNT)).toBe(true)
  const seen = [
    record('x', 'stored-not'),
    record('x', 'off'),
    record('x', 'gone'),
    record('a secret', 'a', 'DEBUG'),
    record('a secret', 'a', 'INFO'),
  ].map(each => rules.sees(ACCOUNT, each, 0))
  expect(seen).toEqual([true, true, false, false, true])
  // The last line was compared with the query, and pays for that.
  expect(rules.spentUnits).toBeGreaterThan(0)
  expect(rules.hidesAny('9876543210')).toBe(false)
  // A change holds from the next line on.
  await write({ kind: lineRules, id: ACCOUNT, expectedVersion: -1, value: { ...value, exclusions: [] } })
  expect(rules.sees(ACCOUNT, record('x', 'gone'), 0)).toBe(true)
  await app.close()
})

test('rules of a quota hide lines until its period is over, and lines that a quota discards are shown', async () => {
  const { write, configuration, app } = await testInstallation()
  const rules = new TailRules(configuration)
  const ofQuota = { percent: 80, active: true, apps: [], hosts: [], query: '' }
  const inForce = [
    {
      period: 'daily' as const,
      untilMs: 1_000,
      discards: true,
      rules: [
        { ...ofQuota, number: 1, apps: ['hidden'], indexonly: false },
        { ...ofQuota, number: 2, apps: ['seen'], indexonly: true },
      ],
    },
  ]
  await write({
    kind: quotaStates,
    id: ACCOUNT,
    expectedVersion: 0,
    value: { account: ACCOUNT, inForce },
  })
  expect(rules.sees(ACCOUNT, record('x', 'hidden'), 999)).toBe(false)
  expect(rules.sees(ACCOUNT, record('x', 'hidden'), 1_000)).toBe(true)
  expect(rules.sees(ACCOUNT, record('x', 'seen'), 999)).toBe(true)
  expect(rules.sees(ACCOUNT, record('x', 'other'), 999)).toBe(true)
  await app.close()
})
