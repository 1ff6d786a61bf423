import { describe, expect, test } from 'vitest'
import { Event } from '../../engine/event/event.ts'
import { encodeControl } from '../../engine/fold/control-record.ts'
import type { Flush } from '../../engine/fold/flush.ts'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { fieldCipher } from '../../engine/nodes/processors/encryption/field-cipher.ts'
import { Preview } from '../../engine/replay/preview/preview.ts'
import type { LeftEvent } from '../../engine/replay/preview/preview-side.ts'
import { simulate } from '../../engine/replay/preview/simulation.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { LooseFold, linesOf } from '../support/loose-fold.ts'
import { readNativeBlock } from '../support/native-reader.ts'
import { SpreadRun } from '../support/spread-run.ts'
import { node, SOURCE } from '../support/world.ts'

/** The vector of an event tells its place: these nodes encrypt the line, and write the vector in place of the app. */
const KEY = 'sixteen byte key'
const ALGORITHM = 'AES-128-OFB'
const encrypting = (id: string, input: string) =>
  node('transform', id, 'encrypt-fields', [input], {
    ...{ field: '.line', algorithm: ALGORITHM, key: KEY, iv_field: '.app' },
  })

/** Copies on two branches that join again, and windows of all lines. */
const NODES: readonly NodeDocument[] = [
  SOURCE,
  encrypting('left', 'source'),
  encrypting('right', 'source'),
  node('transform', 'gather', 'reduce', ['source'], {
    duration_ms: 2_000,
    merge_strategies: [{ field: '.line', strategy: 'concat' }],
  }),
  encrypting('gathered', 'gather'),
  node('sink', 'store', 'log-analysis', ['left', 'right', 'gathered']),
]

interface StoredLine {
  readonly line: string
  readonly iv: string
}

const LOG = { topic: 'weir.ingest', partition: 0, partitions: 1, logId: 'log' }
const DOCUMENT = { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision: 1, nodes: NODES }

/** Applies records, and returns what they store. */
function applied(fold: PartitionFold, records: readonly LogRecord[]): StoredLine[] {
  return records.flatMap(record => storedBy(fold.apply(record)))
}

function storedBy(flushes: readonly Flush[]): StoredLine[] {
  return flushes
    .flatMap(({ tables }) => tables)
    .filter(({ table }) => table === 'lines' || table === 'slotted_lines')
    .flatMap(({ block }) => readNativeBlock(block).rows)
    .map(row => ({ line: textOf(row), iv: String(row.app) }))
}

function textOf({ line, slots }: Record<string, unknown>): string {
  return String(line ?? slots)
}

function deployed(version: number, document = DOCUMENT): Buffer {
  const payload = JSON.stringify(document)
  return encodeControl(CATALOGUE, { 'weir.Cut': { kind: 'pipeline', entity: 'p', version, payload } })
}

const tick = (deadlineMs: number) => encodeControl(CATALOGUE, { 'weir.Tick': { deadlineMs } })
const lines = (...texts: string[]) => lineBatchValue([{ lines: texts.map(line => ({ line })) }])

/** Lines, further revisions, and times at which windows end without lines. */
const VALUES = [
  ...[deployed(1), lines('a', 'b', 'c'), lines('a'), tick(9_000), deployed(2), lines('a', 'b')],
  ...[tick(20_000), lines('c'), lines('c', 'c'), tick(40_000), tick(99_000)],
]
const RECORDS: readonly LogRecord[] = VALUES.map((value, index) => ({
  ...{ offset: BigInt(index), appendTimeMs: index * 1_000, producer: null },
  value,
}))
const newFold = (identity = LOG) => new PartitionFold(CATALOGUE, identity)

describe('the place of an event', () => {
  const stored = applied(newFold(), RECORDS)

  test('is that of no other event: neither on another branch, nor in a window, nor in a later record', () => {
    expect(stored.length).toBeGreaterThan(18)
    expect(new Set(stored.map(({ iv }) => iv)).size).toBe(stored.length)
  })

  test('is repeated by a replay, from the beginning and from each checkpoint', () => {
    expect(applied(newFold(), RECORDS)).toEqual(stored)
    const fold = newFold()
    const before: StoredLine[] = []
    for (const [index, record] of RECORDS.entries()) {
      before.push(...storedBy(fold.apply(record)))
      if (!fold.atRest) continue
      const checkpoint = fold.checkpointAtRest().checkpoint as Buffer
      const restarted = PartitionFold.restored(CATALOGUE, LOG, checkpoint)
      expect([...before, ...applied(restarted, RECORDS.slice(index + 1))]).toEqual(stored)
    }
    expect(before).toEqual(stored)
  })

  test.each([
    ['log', { ...LOG, logId: 'another' }],
    ['partition', { ...LOG, partition: 1, partitions: 2 }],
  ])('differs in another %s', (_, identity) => {
    const known = new Set(stored.map(({ iv }) => iv))
    const others = applied(newFold(identity), RECORDS)
    expect(others.length).toBeGreaterThan(0)
    for (const { iv } of others) expect(known.has(iv)).toBe(false)
  })

  test('differs in a preview, whose sides agree about nodes that do not differ', () => {
    const [first, ...others] = RECORDS as [LogRecord, ...LogRecord[]]
    const previewOf = (nodes: readonly NodeDocument[]) => {
      const folds = { deployed: newFold(), draft: newFold() }
      for (const fold of Object.values(folds)) fold.apply(first)
      const preview = new Preview([folds], { ...DOCUMENT, revision: 0, nodes }, { maxSamples: 100 })
      for (const record of others) preview.apply(record)
      return preview.result
    }
    expect(previewOf(NODES).differing).toBe(0)
    const renamed = NODES.map(each => (each.id === 'store' ? { ...each, id: 'elsewhere' } : each))
    const { samples } = previewOf(renamed)
    const ivsOf = (left: readonly LeftEvent[]) => left.map(({ event }) => String(event.member('app')))
    const given = samples.flatMap(({ deployed }) => ivsOf(deployed))
    expect(samples.flatMap(({ draft }) => ivsOf(draft))).toEqual(given)
    expect(given.length).toBe(stored.length)
    for (const { iv } of stored) expect(given).not.toContain(iv)
  })
})

test('samples of a simulation have places, and so have its windows', () => {
  const samples = ['a', 'b', 'a', 'a'].map((line, index) => ({
    event: Event.of({ line }, {}, '2031-03-09T08:15:30.250Z'),
    ...{ timeMs: index * 1_500, source: 'source' },
  }))
  const simulated = () => {
    const { nodes } = simulate(CATALOGUE, DOCUMENT, samples)
    const store = nodes.find(({ id }) => id === 'store')
    return [...(store?.outputs.values() ?? [])].flat().map(({ event }) => event.member('app'))
  }
  expect(new Set(simulated()).size).toBe(4 + 4 + 2)
  expect(simulated()).toEqual(simulated())
})

test('two revisions to which one record brings events give different places', () => {
  const fold = new LooseFold({ topic: 'weir.keyed' })
  const nodes = [SOURCE, encrypting('closed', 'source'), node('sink', 'store', 'log-analysis', ['closed'])]
  fold.deploy(nodes)
  fold.deploy(nodes)
  const account = fold.parts.accounts.of(SAMPLE_ACCOUNT)
  fold.do(account.deployBeside({ ...DOCUMENT, nodes }, { version: 1, replacedMs: 0 }))
  const events = [Event.ofLine(linesOf(['x']), 0)]
  for (const version of [2, 1])
    fold.do(account.resume({ pipeline: 'p', version, node: 'closed' }, events, fold.parts.output))
  const [newer, older] = fold.rows()
  expect([newer?.app, older?.app]).toEqual([expect.any(String), expect.any(String)])
  expect(newer?.app).not.toBe(older?.app)
})

test.each([1, 2])(
  'places stay apart while an account is spread, and its pipeline is published again and again (SEED=%i)',
  async seed => {
    const run = await SpreadRun.of(seed, {
      nodes: revision => [
        SOURCE,
        node('transform', 'limit', 'throttle', ['source'], {
          ...{ threshold: 1_000 + revision, window_ms: 60_000, key_field: '.app' },
        }),
        encrypting('closed', 'limit'),
        node('sink', 'store', 'mezmo', ['closed']),
      ],
    })
    await run.run()
    const rows = run.store.rows('lines').map(row => ({ line: String(row.line), iv: String(row.app) }))
    expect(rows.length).toBe(run.sent.size)
    expect(new Set(rows.map(({ iv }) => iv)).size).toBe(rows.length)
    const cipher = fieldCipher(ALGORITHM, KEY)
    const clear = rows.map(({ line, iv }) =>
      String(cipher.decrypt(Buffer.from(line, 'base64'), Buffer.from(iv, 'base64'))),
    )
    expect(clear.toSorted()).toEqual([...run.sent.keys()].sort())
  },
)
