import { describe, expect, test } from 'vitest'
import { BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import type { Cut } from '../../../schemas/log/control.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { readNativeBlock } from '../../../test/support/native-reader.ts'
import { exclusion, node, SOURCE } from '../../../test/support/world.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { encodeControl } from '../control-record.ts'
import { PartitionFold } from '../partition-fold.ts'
import { behaviourOfCut, CUT_NAMES, cutsOfTopic, kindOf } from './registry.ts'

const IDENTITY = { topic: INGEST_TOPIC, partition: 0, partitions: 1, logId: 'log' }
const accountId = SAMPLE_ACCOUNT

function cut(kind: Cut['kind'], entity: string, payload: unknown, version = 1): Cut {
  return { kind, entity, version, payload: payload === '' ? '' : JSON.stringify(payload) }
}

const pipeline = { id: 'p', accountId, title: 'p', revision: 1, nodes: [SOURCE] }
const exemption = { accountId, pipeline: 'p', node: 'limit', key: 'a', untilMs: 5_000, forgetMs: 5_000 }

/**
 * One cut of each kind, with the behaviour number that it needs, and whether workers send it to its home and elsewhere.
 */
const EVERY_KIND: readonly (readonly [Cut, behaviour: number, home: boolean, elsewhere: boolean])[] = [
  [cut('pipeline', 'p', pipeline), 1, true, false],
  [cut('account', accountId, { accountId, retentionDays: 7 }), 1, true, false],
  [cut('slice', INGEST_TOPIC, 2_000), 1, false, false],
  [cut('spread', accountId, { isSpread: true }), 2, true, true],
  [cut('dead-letter', 'p', { accountId, isEnabled: true }), 2, true, false],
  [cut('exemption', 'p/limit/a', exemption), 2, true, false],
  [cut('line-rules', accountId, { accountId, exclusions: [], retentionRules: [] }), 3, true, false],
  [cut('quota', accountId, { accountId, periods: [] }), 3, true, false],
  [cut('loss', `${INGEST_TOPIC}/0`, { from: 0, to: 1 }), 5, false, false],
  [cut('profile-reset', 'p/profile', { accountId, pipeline: 'p', node: 'profile' }), 12, true, false],
  [cut('state-variables', 'p', { accountId, state: { operational_state: 'incident' } }), 12, true, false],
]

test('every kind is tested here, and is registered under its own name', () => {
  expect(EVERY_KIND.map(([{ kind }]) => kind)).toEqual(CUT_NAMES)
  expect(CUT_NAMES.map(kind => kindOf({ kind }).kind)).toEqual(CUT_NAMES)
})

describe.each(EVERY_KIND)('a cut of $kind', (each, behaviour, home, elsewhere) => {
  test('is recognised by its kind, needs its behaviour and has its address', () => {
    expect(kindOf(each).kind).toBe(each.kind)
    expect(behaviourOfCut(CATALOGUE, each)).toBe(behaviour)
    expect(kindOf(each).goesTo({ isHome: true, isSpread: false })).toBe(home)
    expect(kindOf(each).goesTo({ isHome: false, isSpread: false })).toBe(elsewhere)
  })

  test('takes effect once it is read, also after a restart, unless it only marks a place', () => {
    const version = kindOf(each).isPlace ? 0 : 1
    const partition = new Partition()
    partition.cut(each)
    expect(partition.fold.cutVersion(each.kind, each.entity)).toBe(version)
    if (kindOf(each).isPlace) return // the fold is not at rest there
    partition.restart()
    expect(partition.fold.cutVersion(each.kind, each.entity)).toBe(version)
    expect(partition.fold.sliceMs).toBe(each.kind === 'slice' ? 2_000 : 1_000)
  })
})

describe('the behaviour of a pipeline cut is the highest that its nodes need', () => {
  const throttled = { ...pipeline, nodes: [SOURCE, node('transform', 'gather', 'reduce', ['source'])] }
  test.each([
    ['a withdrawn one', '', 1],
    ['a paused one', { ...pipeline, paused: true }, 2],
    ['a paused one that drops its events', { ...pipeline, paused: true, drops: true }, 13],
    ['one with windows', throttled, 3],
    ['one with a gateway route', { ...pipeline, nodes: [node('source', 'door', 'http')] }, 4],
  ] as const)('%s', (_title, payload, behaviour) => {
    expect(behaviourOfCut(CATALOGUE, cut('pipeline', 'p', payload))).toBe(behaviour)
    expect(behaviour).toBeLessThanOrEqual(BEHAVIOUR)
  })
})

test.each(EVERY_KIND)(
  '$0.kind: keyed partitions receive it with the state of its account, or not at all',
  each => {
    const isShared = !['slice', 'spread', 'loss'].includes(each.kind)
    expect(kindOf(each).sharedAccountOf(each)).toBe(isShared ? accountId : undefined)
  },
)

test('a withdrawn pipeline does not say its account', () => {
  expect(kindOf({ kind: 'pipeline' }).sharedAccountOf(cut('pipeline', 'p', ''))).toBeUndefined()
})

test('an exemption has no meaning any more from its last time on', () => {
  const each = cut('exemption', 'p/limit/a', exemption)
  expect(kindOf(each).isOver(each, 4_999)).toBe(false)
  expect(kindOf(each).isOver(each, 5_000)).toBe(true)
})

test('an exemption that is over is forgotten, and no other cut', () => {
  const partition = new Partition()
  for (const [each] of EVERY_KIND) if (!kindOf(each).isPlace) partition.cut(each)
  const known = () => EVERY_KIND.map(([each]) => partition.fold.cutVersion(each.kind, each.entity))
  partition.tick(4_999)
  expect(known()).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1])
  partition.tick(5_000)
  expect(known()).toEqual([1, 1, 1, 1, 1, 0, 1, 1, 0, 1, 1])
})

test('the change of an account between one partition and many is known by its account', () => {
  const partition = new Partition()
  for (const [each] of EVERY_KIND) if (!kindOf(each).isPlace) partition.cut(each)
  expect([...partition.fold.spreads]).toEqual([[accountId, 1]])
  partition.cut(cut('spread', accountId, { isSpread: false }, 2))
  expect([...partition.fold.spreads]).toEqual([[accountId, 2]])
  partition.tick(5_000)
  partition.restart()
  expect([...partition.fold.spreads]).toEqual([[accountId, 2]])
})

test('a topic with more than 16 partitions has longer slices, by a cut of its workers', () => {
  expect(cutsOfTopic({ name: INGEST_TOPIC, partitions: 16 })).toEqual([])
  expect(cutsOfTopic({ name: INGEST_TOPIC, partitions: 17 })).toEqual([
    { kind: 'slice', entity: INGEST_TOPIC, version: 17, payload: '1063' },
  ])
})

test('retention and rules hold for lines behind their cuts, and after a restart', () => {
  const partition = new Partition()
  partition.cut(cut('account', accountId, { accountId, retentionDays: 7 }))
  const exclusions = [exclusion('e', { apps: ['noise'] })]
  partition.cut(cut('line-rules', accountId, { accountId, exclusions, retentionRules: [] }))
  expect(partition.stored()).toEqual([['signal', 7]])
  partition.restart()
  expect(partition.stored()).toEqual([['signal', 7]])
})

class Partition {
  fold = new PartitionFold(CATALOGUE, IDENTITY)
  #offset = 0n
  #timeMs = 1_000

  cut(cut: Cut): void {
    this.#append(encodeControl(CATALOGUE, { 'weir.Cut': cut }))
  }

  /** Appends two lines. @returns app and retention of those that are stored */
  stored(): (readonly [app: unknown, retention: unknown])[] {
    const lines = ['noise', 'signal'].map(app => ({ line: 'text', app }))
    this.#append(lineBatchValue([{ lines }]))
    return this.tick(this.#timeMs + 10_000)
      .flatMap(({ tables }) => tables)
      .filter(({ table }) => table === 'lines')
      .flatMap(({ block }) => readNativeBlock(block).rows)
      .map(({ app, retention }) => [app, retention])
  }

  tick(deadlineMs: number) {
    this.#timeMs = deadlineMs
    return this.#append(encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs } }))
  }

  restart(): void {
    const { checkpoint } = this.fold.checkpointAtRest()
    this.fold = PartitionFold.restored(CATALOGUE, IDENTITY, checkpoint as Buffer)
  }

  #append(value: Buffer) {
    return this.fold.apply({ offset: this.#offset++, appendTimeMs: this.#timeMs, producer: null, value })
  }
}
