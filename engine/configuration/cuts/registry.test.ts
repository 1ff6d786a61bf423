import { describe, expect, test } from 'vitest'
import type { Cut } from '../../../schemas/log/control.ts'
import { CONFIG_TOPIC } from '../../../schemas/log/topics.ts'
import { manualClock } from '../../clock/manual-clock.ts'
import { seededEntropy } from '../../entropy/seeded-entropy.ts'
import { CUT_NAMES, kindOf } from '../../fold/cuts/registry.ts'
import { memoryLog } from '../../log/memory-log.ts'
import { silentLogger } from '../../logger.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { bootstrap } from '../bootstrap.ts'
import { ConfigurationLog, create, remove } from '../configuration-log.ts'
import {
  type Account,
  accounts,
  deadLetterSettings,
  deployments,
  exemptions,
  revisions,
  spreads,
} from '../entities.ts'
import type { AnyKind } from '../kind.ts'
import { lineRules, noLineRules } from '../kinds/line-rules.ts'
import { profileResets } from '../kinds/profile-reset.ts'
import { quotaStates } from '../kinds/quotas.ts'
import { stateVariables } from '../kinds/state-variables.ts'
import { isUnexplained } from '../lost-configuration.ts'
import { ENTITY_CUTS, entityCutsOf } from './registry.ts'

const clock = manualClock()
const author = { subjectId: 'tester', account: '' }
const account = 'a'.repeat(10)
const document = { id: 'p', accountId: account, title: '', revision: 1, nodes: [] }
const exclusion = {
  id: 'e',
  title: '',
  active: true,
  apps: ['noise'],
  hosts: [],
  query: '',
  indexonly: true,
}
const quotaPeriod = { period: 'daily', untilMs: 5, discards: true, rules: [] } as const
const exemption = { account, pipeline: 'p', node: 'n', key: 'k', untilMs: 5, lastMs: 9, reason: 'r' }

/** Entity of each kind whose changes partitions receive; with the payload of a cut that takes a lost creation back. */
const EVERY_KIND: readonly {
  readonly cut: Cut['kind']
  readonly kind: AnyKind
  readonly id: string
  readonly value: unknown
  readonly payload: unknown
  readonly takenBack: unknown
}[] = [
  {
    cut: 'account',
    kind: accounts,
    id: account,
    value: { id: 'uuid', retentionDays: 7 } satisfies Partial<Account>,
    payload: { accountId: account, retentionDays: 7 },
    takenBack: undefined,
  },
  {
    cut: 'pipeline',
    kind: deployments,
    id: 'p',
    value: { account, number: 3, revisionId: 'r', paused: true },
    payload: { ...document, paused: true },
    takenBack: '',
  },
  {
    cut: 'dead-letter',
    kind: deadLetterSettings,
    id: 'p',
    value: { account, enabled: true, retentionDays: 30, giveUpAfterS: 5 },
    payload: { accountId: account, isEnabled: true },
    takenBack: { accountId: account, isEnabled: false },
  },
  {
    cut: 'exemption',
    kind: exemptions,
    id: 'p/n/k',
    value: { ...exemption, createdAtMs: 1 },
    payload: { accountId: account, pipeline: 'p', node: 'n', key: 'k', untilMs: 5, forgetMs: 9 },
    takenBack: { accountId: account, pipeline: 'p', node: 'n', key: 'k', untilMs: 0, forgetMs: 9 },
  },
  {
    cut: 'profile-reset',
    kind: profileResets,
    id: 'p/n',
    value: { account, pipeline: 'p', node: 'n', resetAtMs: 5 },
    payload: { accountId: account, pipeline: 'p', node: 'n' },
    takenBack: undefined,
  },
  {
    cut: 'state-variables',
    kind: stateVariables,
    id: 'p',
    value: { account, state: { operational_state: 'incident' }, updatedAtMs: 5 },
    payload: { accountId: account, state: { operational_state: 'incident' } },
    takenBack: { accountId: account, state: { operational_state: 'normal' } },
  },
  {
    cut: 'line-rules',
    kind: lineRules,
    id: account,
    value: { ...noLineRules(account), exclusions: [exclusion, { ...exclusion, active: false }] },
    payload: {
      accountId: account,
      exclusions: [{ id: 'e', title: '', apps: ['noise'], hosts: [], query: '', entirely: false }],
      retentionRules: [],
    },
    takenBack: { accountId: account, exclusions: [], retentionRules: [] },
  },
  {
    cut: 'quota',
    kind: quotaStates,
    id: account,
    value: { account, inForce: [quotaPeriod] },
    payload: { accountId: account, periods: [quotaPeriod] },
    takenBack: { accountId: account, periods: [] },
  },
  {
    cut: 'spread',
    kind: spreads,
    id: account,
    value: { account, enabled: true, change: 3, spans: [] },
    payload: { isSpread: true },
    takenBack: { isSpread: false },
  },
]

test.each(CUT_NAMES)(
  'a cut of kind %s comes from the configuration exactly when workers bring it to partitions',
  kind => {
    const isBrought = kindOf({ kind }).goesTo({ isHome: true, isSpread: true })
    expect(ENTITY_CUTS.filter(({ cut }) => cut === kind)).toHaveLength(isBrought ? 1 : 0)
    expect(EVERY_KIND.filter(({ cut }) => cut === kind)).toHaveLength(isBrought ? 1 : 0)
  },
)

describe.each(EVERY_KIND)('the cut of $cut', ({ cut: name, kind, id, value, payload, takenBack }) => {
  const cuts = entityCutsOf({ kind: name })
  if (cuts === undefined) throw new Error(`no cut of kind ${name}`)
  const cutIn = (log: ConfigurationLog): Cut => {
    const entity = log.get(kind, id)
    if (entity === undefined) throw new Error(`${id} is missing`)
    return cuts.cutOf(entity, { catalogue: CATALOGUE, log })
  }
  const payloadOf = (cut: Cut) => (cut.payload === '' ? '' : JSON.parse(cut.payload))

  test('has the entity of the configuration as its payload', async () => {
    const cut = cutIn(await configured(kind, id, value))
    expect(cut).toMatchObject({ kind: name, entity: id })
    expect(payloadOf(cut)).toEqual(payload)
  })

  test('is explained by the configuration in the present version, and in no newer one', async () => {
    const log = await configured(kind, id, value)
    const cut = cutIn(log)
    expect(isUnexplained(log, cut)).toBe(false)
    expect(isUnexplained(log, { ...cut, version: cut.version + 1 })).toBe(true)
    const older = await configured(undefined)
    expect(isUnexplained(older, { ...cut, version: older.highestVersion + 1 })).toBe(true)
  })

  test('of a removed entity is explained, unless its version counts its own changes', async () => {
    const log = await configured(kind, id, value)
    const cut = cutIn(log)
    const entity = log.get(kind, id)
    if (entity !== undefined) await log.append([remove(kind, entity)], author)
    expect(isUnexplained(log, cut)).toBe(cuts.countsChanges)
  })

  test('of a lost change gives way to the present value', async () => {
    const log = await configured(kind, id, value)
    const present = cutIn(log)
    const lost = { ...present, version: present.version + 10, payload: '{"another": "payload"}' }
    const change = cuts.changeBeyond(lost, log)
    if (change === undefined) throw new Error('no change')
    await log.append([change], author)
    const after = cutIn(log)
    expect(payloadOf(after)).toEqual(payload)
    expect(after.version).toBeGreaterThan(cuts.countsChanges ? lost.version : present.version)
  })

  test('of a lost creation gives way to a value without effect, if there is one', async () => {
    const cut = cutIn(await configured(kind, id, value))
    const log = await configured(undefined)
    const change = cuts.changeBeyond(cut, log)
    if (change === undefined) return expect(takenBack).toBeUndefined()
    await log.append([change], author)
    expect(payloadOf(cutIn(log))).toEqual(takenBack)
  })
})

test('a withdrawal of a pipeline that the configuration does not have needs no change', async () => {
  const log = await configured(undefined)
  const withdrawal: Cut = { kind: 'pipeline', entity: 'gone', version: 2, payload: '' }
  expect(entityCutsOf(withdrawal)?.changeBeyond(withdrawal, log)).toBeUndefined()
})

/** A configuration with the revision 'r', and with an entity unless the kind is undefined. */
async function configured(kind: AnyKind | undefined, id = '', value?: unknown): Promise<ConfigurationLog> {
  const topic = await memoryLog({ clock, entropy: seededEntropy(1) }).topic(CONFIG_TOPIC, 1)
  const log = await ConfigurationLog.open({
    topic,
    clock,
    entropy: seededEntropy(2),
    secretKey: Buffer.alloc(32),
    logger: silentLogger,
  })
  await bootstrap(log, { clock, entropy: seededEntropy(3) })
  const revision = { account, pipeline: 'p', document, createdAtMs: 0 }
  await log.append([create(revisions, 'r', revision as never)], author)
  if (kind !== undefined) await log.append([create(kind, id, value as never)], author)
  return log
}
