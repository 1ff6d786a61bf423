import { createHash } from 'node:crypto'
import { Event } from '../../engine/event/event.ts'
import { deadLetterValues } from '../../engine/fold/dead-letters/dead-letter.ts'
import type { Flush } from '../../engine/fold/flush.ts'
import { PartitionFold } from '../../engine/fold/partition-fold.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import {
  EIGHTH_BEHAVIOUR,
  ELEVENTH_BEHAVIOUR,
  FIFTH_BEHAVIOUR,
  FOURTEENTH_BEHAVIOUR,
  NINTH_BEHAVIOUR,
  TENTH_BEHAVIOUR,
  THIRTEENTH_BEHAVIOUR,
  TWELFTH_BEHAVIOUR,
} from '../../schemas/log/behaviour-numbers.ts'
import type { Control } from '../../schemas/log/control.ts'
import { controlType } from '../../schemas/log/control.ts'
import type { LineRulesCut, QuotaCut } from '../../schemas/log/cuts.ts'
import { lossCut, type Witnessed } from '../../schemas/log/loss.ts'
import { rekeyedType } from '../../schemas/log/rekeyed.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { ingestedRecord } from '../bench/ingested-batch.ts'
import {
  DECIDED_BY_DATA,
  DECIDED_EXCLUSIONS,
  DECIDED_LINES,
  DECIDED_MESSAGES,
  DECIDED_ROUTE,
} from './deciding-data.ts'
import { EXAMPLE_ACCOUNT, examplePipelines } from './example-pipelines.ts'
import {
  lineBatchValue,
  pushedValue,
  SAMPLE_ACCOUNT,
  SAMPLE_ROUTE,
  type SampleRequest,
} from './line-batches.ts'
import { type NativeValue, readNativeBlock } from './native-reader.ts'
import { exclusion, node, retention, SOURCE } from './world.ts'

/** A partition's log from an earlier time, and the results of the program of that time. */
export interface GoldenLog {
  readonly behaviour: number
  readonly records: readonly {
    readonly appendTimeMs: number
    readonly producer: { readonly id: string; readonly sequence: number } | null
    /** Base64. */
    readonly value: string
    readonly knownEnd?: number
  }[]
  readonly digest: string
}

const IDENTITY = {
  topic: INGEST_TOPIC,
  partition: 0,
  partitions: 1,
  logId: '00000000-0000-4000-8000-000000000000',
}

export function recordsOf(golden: GoldenLog): LogRecord[] {
  return golden.records.map(({ appendTimeMs, producer, value, knownEnd }, index) => ({
    offset: BigInt(index),
    appendTimeMs,
    producer,
    value: Buffer.from(value, 'base64'),
    ...(knownEnd !== undefined && { knownEnd: BigInt(knownEnd) }),
  }))
}

/** Fold of the partition of a golden log. */
export function goldenFold(catalogue: Catalogue): PartitionFold {
  return new PartitionFold(catalogue, IDENTITY)
}

/**
 * Digest of every insert that a log gives (table, positions and rows, in order), and of the events it sends to other
 * partitions. Digests of the first four behaviours cover the bytes of blocks, later ones the values of rows.
 */
export function digestOf(records: readonly LogRecord[], behaviour: number): string {
  const fold = goldenFold(CATALOGUE)
  const hash = createHash('sha256')
  const add = ({ tables }: Flush) => {
    for (const { table, block, first, last } of tables) {
      hash.update(`${table} ${first.offset}/${first.row} ${last.offset}/${last.row}\n`)
      if (behaviour < FIFTH_BEHAVIOUR) for (const chunk of block) hash.update(chunk)
      else for (const row of readNativeBlock(block).rows) hash.update(`${rowText(row)}\n`)
    }
  }
  for (const record of records) {
    for (const flush of fold.apply(record)) add(flush)
    for (const { topic, partition, value } of fold.mail.take().flat())
      hash.update(`${topic} ${partition}\n`).update(value)
  }
  return hash.digest('hex')
}

/** Columns by name, so that their order in a block means nothing. */
function rowText(row: Readonly<Record<string, NativeValue>>): string {
  const columns = Object.entries(row).sort(([one], [other]) => (one < other ? -1 : 1))
  return JSON.stringify(columns, (_, value) => (typeof value === 'bigint' ? `${value}n` : value))
}

const START_MS = Date.UTC(2026, 10, 20, 23, 59, 55)
const limiting = (threshold: number): NodeDocument[] => [
  SOURCE,
  node('transform', 'filter', 'filter', ['source'], {
    action: 'drop',
    conditional: { expressions: [{ field: '.level', str_operator: 'greater', value: 3 }] },
  }),
  node('transform', 'limit', 'throttle', ['filter'], { threshold, window_ms: 2_000, key_field: '.app' }),
  node('sink', 'store', 'mezmo', ['limit'], { query: { tags: ['{{ .app }}'] } }),
]

const gathering = (strategy: string): NodeDocument[] => [
  SOURCE,
  node('transform', 'time', 'set-timestamp', ['source'], {
    parsers: [{ field: '.n', options: { format: 'epoch_ms' } }],
  }),
  node('transform', 'gather', 'reduce', ['time'], {
    duration_ms: 1_500,
    group_by: ['.app'],
    merge_strategies: [{ field: '.line', strategy }],
  }),
  node('sink', 'store', 'mezmo', ['gather']),
]

const pushed: NodeDocument[] = [
  { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
  node('transform', 'limit', 'throttle', ['door'], { threshold: 1, window_ms: 2_000, key_field: '.tag' }),
  node('sink', 'store', 'mezmo', ['limit'], {
    query: { hostname: '{{ metadata.query.site }}' },
  }),
  node('sink', 'all', 'mezmo', ['door'], { message: { scheme: 'Message pass-through' } }),
]

/** It costs some million units on a few hundred characters. */
const looking: NodeDocument[] = [
  SOURCE,
  node('transform', 'look', 'filter', ['source'], {
    action: 'drop',
    conditional: {
      expressions: [
        { field: '.line', str_operator: 'regex_match', value: '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9é][^0]' },
      ],
    },
  }),
  node('sink', 'store', 'mezmo', ['look']),
]

/** A chain of filters that each look for a plain word. */
const lookingForWords = (count: number): NodeDocument[] => [
  SOURCE,
  ...Array.from({ length: count }, (_, index) =>
    node('transform', `word-${index}`, 'filter', [index === 0 ? 'source' : `word-${index - 1}`], {
      action: 'drop',
      conditional: {
        expressions: [
          { field: '.line', str_operator: 'regex_match', value: `timeout${index}` },
          { field: '.app', str_operator: 'contains', value: `missing-${index}` },
        ],
        logical_operation: 'OR',
      },
    }),
  ),
  node('sink', 'store', 'mezmo', [`word-${count - 1}`]),
]

const UNROLLED_ROUTE = '66666666-6666-4666-8666-666666666666'
const unrolling = (valuesOnly: boolean): NodeDocument[] => [
  { ...node('source', 'door', 'http'), gateway_route_id: UNROLLED_ROUTE },
  node('transform', 'unroll', 'unroll', ['door'], { field: '.items', values_only: valuesOnly }),
  node('transform', 'limit', 'throttle', ['unroll'], { threshold: 3, window_ms: 2_000, key_field: '.tag' }),
  node('sink', 'store', 'mezmo', ['limit'], { message: { scheme: 'Message pass-through' } }),
]

/** Lines without a level fail. */
const failing: NodeDocument[] = [
  SOURCE,
  node('sink', 'store', 'mezmo', ['source'], { query: { hostname: '{{ .level }}' } }),
]

/** Some of everything that a record can be: a log for a new behaviour number. */
export function drawGoldenLog(behaviour: number): GoldenLog {
  const records: GoldenLog['records'][number][] = []
  let timeMs = START_MS
  const append = (value: Buffer, producer: { id: string; sequence: number } | null = null) => {
    records.push({ appendTimeMs: timeMs, producer, value: value.toString('base64') })
  }
  // From the eleventh number on, a number comes into force while a batch is open.
  let inForce = Math.min(behaviour, TENTH_BEHAVIOUR)
  const control = (body: Control['body']) => append(controlType.encode({ behaviour: inForce, body }))
  const lines = (requests: readonly SampleRequest[], sequence: number) =>
    append(lineBatchValue(requests), { id: 'producer', sequence })
  const cut = (version: number, payload: unknown) =>
    control({
      'weir.Cut': {
        kind: 'pipeline',
        entity: 'p',
        version,
        payload: payload === null ? '' : JSON.stringify(payload),
      },
    })
  const pipeline = (revision: number, nodes: readonly NodeDocument[]) =>
    cut(revision, { id: 'p', accountId: SAMPLE_ACCOUNT, title: 'p', revision, nodes })

  const spread = (version: number, isSpread: boolean) =>
    control({
      'weir.Cut': { kind: 'spread', entity: SAMPLE_ACCOUNT, version, payload: JSON.stringify({ isSpread }) },
    })

  control({ 'weir.Owner': { worker: 'golden' } })
  control({
    'weir.Cut': {
      kind: 'account',
      entity: SAMPLE_ACCOUNT,
      version: 1,
      payload: JSON.stringify({ accountId: SAMPLE_ACCOUNT, retentionDays: 14 }),
    },
  })
  for (let round = 0; round < 40; round++) {
    timeMs += round % 9 === 8 ? -700 : 450 // Clocks step back now and then.
    const texts = [
      `plain ${round}`,
      `WARN {"n":${round},"big":12345678901234567890,"list":[1,"a"],"deep":{"a":{"b":{"c":1}}}}`,
      'ünïcode €',
    ]
    const request = {
      lines: texts.map((line, index) => ({
        line,
        app: `app-${index % 2}`,
        level: index === 0 ? 'info' : '',
      })),
    }
    const idempotency = { key: `stream/${round % 7}`, digest: Buffer.from(`digest-${round % 7}`.padEnd(16)) }
    lines([request, { ...request, idempotency }], round - (round % 10 === 9 ? 1 : 0))
    if (round === 10) pipeline(1, limiting(3))
    if (behaviour >= 2 && round === 12) spread(1, true)
    if (behaviour >= 2 && round === 18) spread(2, false)
    if (behaviour >= 2 && round === 19) append(shareSentHome())
    if (round === 20) pipeline(2, limiting(1))
    if (round === 22) pipeline(1, limiting(100))
    if (round === 30) cut(3, null)
    if (behaviour >= 2 && round === 32) pipeline(4, failing)
    if (behaviour >= 2 && round === 33) askForDeadLetters(control)
    if (behaviour >= 2 && (round === 35 || round === 37)) append(replayOf(`${round}`, 'again'))
    if (behaviour >= 3) rule(control, round)
    if (behaviour >= 3) gather(control, round)
    if (behaviour >= 4) push(control, append, round)
    if (behaviour >= 5 && round === 28) lose(control, records.length)
    if (behaviour >= 5 && round % 3 === 0) append(ingestedRecord(SAMPLE_ACCOUNT, oddBody(round), START_MS))
    if (behaviour >= 5 && round === 21) look(control, append)
    if (behaviour >= 6) unroll(control, append, round)
    if (behaviour >= 7 && round === 34) lookForWords(control, append)
    if (behaviour >= NINTH_BEHAVIOUR && round === 35) overwork(control, append)
    if (behaviour >= TENTH_BEHAVIOUR) owe(control, append, round)
    if (behaviour >= TENTH_BEHAVIOUR && round === 27) multiply(control, append)
    if (behaviour >= ELEVENTH_BEHAVIOUR && round % 5 === 1) split(append, round)
    if (behaviour > TENTH_BEHAVIOUR && round === 6) {
      inForce = behaviour
      control({ 'weir.Owner': { worker: 'newer' } })
      split(append, round)
    }
    if (behaviour >= TWELFTH_BEHAVIOUR && round === 29) changeState(control, append)
    if (behaviour >= EIGHTH_BEHAVIOUR && round === 36) refuse(records, timeMs)
    if (round % 6 === 5) control({ 'weir.Tick': { deadlineMs: timeMs + 900 } })
  }
  if (behaviour > NINTH_BEHAVIOUR) {
    const examples = exampleRecords(CATALOGUE, behaviour, timeMs)
    records.push(...examples)
    timeMs = examples.at(-1)?.appendTimeMs ?? timeMs
  }
  if (behaviour >= THIRTEENTH_BEHAVIOUR) decide(control, append)
  if (behaviour >= FOURTEENTH_BEHAVIOUR) {
    publishUnlikeBefore(control)
    for (const messages of UNLIKE_BEFORE) {
      append(pushedValue([{ messages }], UNLIKE_ROUTE, UNLIKE_ACCOUNT))
      timeMs += 500
    }
    append(lineBatchValue([{ lines: [{ line: 'a door', app: 'sent' }] }], UNLIKE_ACCOUNT))
  }
  timeMs += 120_000
  control({ 'weir.Tick': { deadlineMs: timeMs } })
  const golden = { behaviour, records, digest: '' }
  return { ...golden, digest: digestOf(recordsOf(golden), behaviour) }
}

/** First worked examples of the node types that run since a behaviour number. Earlier numbers have pipelines of their own. */
export function exampleRecords(
  catalogue: Catalogue,
  behaviour: number,
  fromMs: number,
): GoldenLog['records'][number][] {
  let timeMs = fromMs
  return examplePipelines(catalogue, behaviour).flatMap(({ id, nodes, records }) => {
    const document = { id, accountId: EXAMPLE_ACCOUNT, title: id, revision: 1, nodes }
    const payload = JSON.stringify(document)
    const body = { 'weir.Cut': { kind: 'pipeline', entity: id, version: 1, payload } } as const
    const startMs = timeMs
    timeMs += records.at(-1)?.atMs ?? 0
    return [{ atMs: 0, value: controlType.encode({ behaviour, body }) }, ...records].map(
      ({ atMs, value }) => ({
        appendTimeMs: startMs + atMs,
        producer: null,
        value: value.toString('base64'),
      }),
    )
  })
}

/** Requests and a change whose appends were refused; a loss is accepted behind them, and one of them is repeated. */
function refuse(records: GoldenLog['records'][number][], appendTimeMs: number): void {
  const from = records.length
  const to = from + 5
  const append = (value: Buffer, mark: { readonly knownEnd?: number } = {}) =>
    records.push({
      appendTimeMs,
      producer: { id: 'refused', sequence: 0 },
      value: value.toString('base64'),
      ...mark,
    })
  const idempotency = { key: 'refused', digest: Buffer.from('refused'.padEnd(16)) }
  const request = lineBatchValue([{ lines: [{ line: 'sent again', app: 'app-1' }], idempotency }])
  const account = { accountId: SAMPLE_ACCOUNT, retentionDays: 21 }
  const control = (body: Control['body']) => controlType.encode({ behaviour: EIGHTH_BEHAVIOUR, body })
  append(request, { knownEnd: to })
  append(
    control({
      'weir.Cut': { kind: 'account', entity: SAMPLE_ACCOUNT, version: 9, payload: JSON.stringify(account) },
    }),
    { knownEnd: from + 2 },
  )
  for (let place = from + 2; place < to; place++)
    append(control({ 'weir.Cut': lossCut({ topic: INGEST_TOPIC, partition: 0 }, { from, to }) }))
  // The mark of an end that was reached means nothing.
  append(request, { knownEnd: to })
}

/** Accepted loss of three records, about which some facts are known. */
function lose(control: (body: Control['body']) => void, from: number): void {
  const account = { accountId: SAMPLE_ACCOUNT, retentionDays: 7 }
  const retentionCut = {
    kind: 'account',
    entity: SAMPLE_ACCOUNT,
    version: 2,
    payload: JSON.stringify(account),
  } as const
  const timeMs = START_MS + 28 * 450 + 3_000
  const producers = [{ id: 'producer', sequence: 29, timeMs }]
  const parts: Witnessed[] = [{ timeMs, producers, reached: ['node_metrics'] }, { cuts: [retentionCut] }, {}]
  for (const witnessed of parts) {
    const loss = { from, to: from + parts.length, witnessed }
    control({ 'weir.Cut': lossCut({ topic: INGEST_TOPIC, partition: 0 }, loss) })
  }
}

/** Keys that JavaScript would move, numbers beyond a double, and meta in several spellings. */
function oddBody(round: number): Buffer {
  const lines = [
    `{"line":"{\\"b\\":${round},\\"7\\":1e400,\\"a\\":{\\"b\\":{\\"z\\":1,\\"3\\":2}}}","app":"app-1","meta":{"ok": true,"n":"Stra\\u00dfe"}}`,
    `{"line":"odd","app":"app-0","meta":{"z":1.0,"10":-1E+999,"9":{}},"9":${round},"x":[ 1 ]}`,
    `{"line":"odd","app":"app-1","meta":"a\\/b","level":"info"}`,
    `{"line":"odd","app":"app-0","meta":[1, 2]}`,
  ]
  // More than are indexed.
  const names = Object.fromEntries(
    Array.from({ length: 200 }, (_, index) => [`name-${round}-${index}`, round]),
  )
  if (round >= 15 && round < 30) lines.push(JSON.stringify({ line: JSON.stringify(names), app: 'app-1' }))
  return Buffer.from(`{"lines":[${lines.join(',')}]}`)
}

/** JSON lines with words of their row, values of all kinds, and more values and shapes than are split. */
function split(append: (value: Buffer) => void, round: number): void {
  const many = (count: number, end = '') =>
    `{${Array.from({ length: count }, (_, index) => `"k${index}":"${index}"`).join()}${end}}`
  const texts = [
    `{"ts":"2026-11-20","app":"app-1","level":"info","msg":"split ${round}","status":200,"ok":true,"n":null}`,
    `{"ts":"2026-11-21","app":"app-2","level":"WARN","msg":"split\\n${round}","dur":-1.50,"list":[${round}]}`,
    `{"level":"warn","a":{"b":{"c":${round},"d":{"e":[1]}}},"big":12345678901234567890,"message":"ünïcode"} `,
    ...[many(16), many(16, `,"app":"app-1","n":${round}`), '{"a":1,"a":2}', '{ "a" : 1e3 }'],
    // Each of them has a shape of its own.
    ...Array.from({ length: round === 6 ? 1_100 : 3 }, (_, index) => `{"k${index}":null}`),
  ]
  append(lineBatchValue([{ lines: texts.map(line => ({ line, app: 'app-1', level: '' })) }]))
}

/** Expressions of an event cost more than is free, then more than is saved up; then many events cost it together; so do rules. */
function look(control: (body: Control['body']) => void, append: (value: Buffer) => void): void {
  const account = 'd3a4c0de00'
  const payload = JSON.stringify({
    id: 'looking',
    accountId: account,
    title: 'looking',
    revision: 1,
    nodes: looking,
  })
  control({ 'weir.Cut': { kind: 'pipeline', entity: 'looking', version: 1, payload } })
  const dear = 'abcd0123'.repeat(60)
  const send = (...texts: readonly string[]) =>
    append(lineBatchValue([{ lines: texts.map(line => ({ line })) }], account))
  send(dear, 'short', `é${dear}`, dear.repeat(4), dear)
  // The cost of each single line is below the free cost.
  send(...Array.from({ length: 230 }, (_, index) => `${'abcd0123'.repeat(35)} ${index}`))
  const word = 'a'.repeat(1_600)
  const query = [0, 1, 2, 3, 4].map(index => `${word}${index}`).join(' OR ')
  const exclusions = [exclusion('5555555555', { query, entirely: true })]
  const rules = JSON.stringify({ accountId: account, exclusions, retentionRules: [] })
  control({ 'weir.Cut': { kind: 'line-rules', entity: account, version: 1, payload: rules } })
  const unjudged = `b${'a'.repeat(6_500)} ${[0, 1, 2, 3, 4].map(index => `b${word}${index}`).join(' ')}`
  send(unjudged, 'short')
}

/** An ordinary expression; two that are expensive together; and one of many states, which takes few steps. */
const OWED_FOR = [
  '(?P<door>[a-z]+)-(?P<number>\\d{2})',
  '[^x]{0,60}[ab][^y]{0,60}[^a-d0-9][^0]',
  '[^x]{0,60}[ab][^y]{0,60}[^a-d0-9][^1]',
  Array.from({ length: 150 }, (_, word) => `${'qrstuvw'[word % 7]}${word}-[0-9]{3}`).join('|'),
]
const owing: NodeDocument[] = [
  SOURCE,
  ...OWED_FOR.map((value, index) =>
    node('transform', `look-${index}`, 'filter', [index === 0 ? 'source' : `look-${index - 1}`], {
      action: 'drop',
      conditional: { expressions: [{ field: '.line', str_operator: 'regex_match', value }] },
    }),
  ),
  node('sink', 'store', 'mezmo', ['look-3'], { query: { tags: Array<string>(300).fill('{{ .app }}') } }),
]

/** Events that fail make their account owe units, up to the most; what it owes is paid while time passes. */
function owe(control: (body: Control['body']) => void, append: (value: Buffer) => void, round: number): void {
  const account = 'd3a4c0de03'
  const send = (...texts: readonly string[]) =>
    append(lineBatchValue([{ lines: texts.map(line => ({ line, app: 'owing' })) }], account))
  const text = 'abcd0123'.repeat(60)
  const some = ['short', 'a'.repeat(1_000), text, `é${text}`, 'GET /index.html q7-123 '.repeat(40)]
  if (round === 6) {
    const document = { id: 'owing', accountId: account, title: 'owing', revision: 1, nodes: owing }
    const payload = JSON.stringify(document)
    control({ 'weir.Cut': { kind: 'pipeline', entity: 'owing', version: 1, payload } })
    send(...some)
    for (let part = 0; part < 3; part++)
      send(...Array.from({ length: 70 }, (_, index) => `${text}${index}`), ...some)
  } else if (round > 6 && round < 16) {
    send(...some, ...(round === 8 ? ['a'.repeat(12_000)] : []))
  }
}

const NOTHING_TO_DROP = { fields: ['.nope'] }

/** Forks whose branches are joined, each behind the one before: every event gets two thousand copies. */
const multiplying: NodeDocument[] = [
  SOURCE,
  node('transform', 'join-0', 'drop-fields', ['source'], NOTHING_TO_DROP),
  ...Array.from({ length: 11 }, (_, fork) => [
    node('transform', `left-${fork}`, 'drop-fields', [`join-${fork}`], NOTHING_TO_DROP),
    node('transform', `right-${fork}`, 'drop-fields', [`join-${fork}`], NOTHING_TO_DROP),
    node('transform', `join-${fork + 1}`, 'drop-fields', [`left-${fork}`, `right-${fork}`], NOTHING_TO_DROP),
  ]).flat(),
]

/** Copies of an event cost more than is free, and then more than is saved up. */
function multiply(control: (body: Control['body']) => void, append: (value: Buffer) => void): void {
  const account = 'd3a4c0de04'
  const document = { id: 'forks', accountId: account, title: 'forks', revision: 1, nodes: multiplying }
  const payload = JSON.stringify(document)
  control({ 'weir.Cut': { kind: 'pipeline', entity: 'forks', version: 1, payload } })
  const lines = Array.from({ length: 12 }, (_, index) => ({ line: `forked ${index}`, app: 'forking' }))
  for (let part = 0; part < 2; part++) append(lineBatchValue([{ lines }], account))
}

/** Nodes with many options, and copies of large events, cost little, more than is free, and more than is saved up. */
function overwork(control: (body: Control['body']) => void, append: (value: Buffer) => void): void {
  const account = 'd3a4c0de02'
  for (const [index, { type, config, messages }] of OVERWORKED.entries()) {
    const id = `overworked-${type}`
    const cut = (version: number, nodes: readonly NodeDocument[] | null) => {
      const document = { id, accountId: account, title: id, revision: version, nodes }
      const payload = nodes === null ? '' : JSON.stringify(document)
      control({ 'weir.Cut': { kind: 'pipeline', entity: id, version, payload } })
    }
    const store = {
      query: { tags: Array.from({ length: 40 }, (_, tag) => `{{ .tag }}-${tag}`) },
      message: {
        scheme: 'Explicit field selection',
        line: '{{.text}}'.repeat(9),
        file: '{{.text}}{{.text}}',
      },
    }
    cut(2 * index + 1, [
      { ...node('source', 'door', 'http'), gateway_route_id: SAMPLE_ROUTE },
      node('transform', 'work', type, ['door'], config),
      node(
        'sink',
        'store',
        'mezmo',
        type === 'route' ? ['work.aaaaaa00', 'work._unmatched'] : ['work'],
        store,
      ),
    ])
    append(pushedValue([{ messages }], SAMPLE_ROUTE, account))
    cut(2 * index + 2, null)
  }
}

interface Overworked {
  readonly type: string
  readonly config: JsonObject
  readonly messages: readonly JsonValue[]
}

/** An event with a text and a list of some length. */
const sized = (elements: number, characters: number): JsonObject => ({
  tag: `t-${elements}`,
  text: 'ünïcode '.repeat(characters / 8),
  list: Array.from({ length: elements }, (_, index) => index),
})

/** Members that nodes remove, one after the other. */
const DEEP = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`m${index}`, index]))

/** The first of them use up the saved units of the account, and later ones its shared units. */
const OVERWORKED: readonly Overworked[] = [
  {
    type: 'unroll',
    config: { field: '.list', values_only: false },
    messages: [sized(3, 8), sized(40, 320), sized(1_200, 4_000), sized(1_200, 4_000), sized(1_200, 4_000)],
  },
  {
    type: 'drop-fields',
    config: {
      fields: [...Object.keys(DEEP).map(key => `.deep.${key}`), '.tag', '.none', '.list[0]', '.list[1]'],
    },
    messages: [{ deep: DEEP, text: 'x' }, sized(100, 80), { deep: { m0: 0, m1: 1, left: 2 } }],
  },
  {
    type: 'reduce',
    config: { group_by: Array.from({ length: 300 }, (_, index) => (index % 3 === 0 ? '.' : '.tag')) },
    messages: [sized(40, 4_000), sized(3, 8), sized(3, 8), 'alone'],
  },
  {
    type: 'set-timestamp',
    config: {
      parsers: Array.from({ length: 900 }, (_, index) => ({
        field: index % 2 === 0 ? '.text' : '.none',
        options: { format: '%F %T' },
      })),
    },
    messages: [
      { text: '2031-03-09 08:15:30' },
      ...Array.from({ length: 900 }, (_, index) => ({ text: `${index}` })),
    ],
  },
  {
    type: 'route',
    config: {
      conditionals: Array.from({ length: 60 }, (_, index) => ({
        label: `${index}`,
        _output_name: `aaaaaa${String(index).padStart(2, '0')}`,
        conditional: {
          expressions: [
            { field: '.tag', str_operator: 'starts_with', value: 'T' },
            { field: '.n', str_operator: 'greater', value: index },
          ],
        },
      })),
    },
    messages: [{ n: 1 }, sized(3, 8), { ...sized(3, 80), n: 70 }],
  },
]

/** Lines meet many plain words after the account has used up its units; longer ones are counted, and fail. */
function lookForWords(control: (body: Control['body']) => void, append: (value: Buffer) => void): void {
  const account = 'd3a4c0de01'
  const cut = (revision: number, nodes: readonly NodeDocument[]) => {
    const document = { id: 'words', accountId: account, title: 'words', revision, nodes }
    const payload = JSON.stringify(document)
    control({ 'weir.Cut': { kind: 'pipeline', entity: 'words', version: revision, payload } })
  }
  const send = (...texts: readonly string[]) =>
    append(
      lineBatchValue([{ lines: texts.map((line, index) => ({ line, app: `app-${index % 3}` })) }], account),
    )
  cut(1, looking)
  send(...Array.from({ length: 260 }, () => 'abcd0123'.repeat(50)))
  cut(2, lookingForWords(12))
  const text = 'abcd0123'.repeat(11)
  send(
    ...Array.from({ length: 20 }, (_, index) => `${text} ${index}`),
    text.repeat(40),
    'timeout3',
    `é${text}`,
  )
}

/** A script reads the state of its pipeline and the type of each line, while the state changes and the profile is reset. */
function changeState(control: (body: Control['body']) => void, append: (value: Buffer) => void): void {
  const account = 'states-000'
  const script = `function f(message, metadata, timestamp, annotations) {
    message.app = getPipelineStateVariable('operational_state')
    message.line = message.line + ' at ' + timestamp + JSON.stringify(annotations)
    return message
  }`
  const roles = {
    app_fields: ['.app'],
    host_fields: ['.host'],
    level_fields: ['.level'],
    line_fields: ['.line'],
  }
  const nodes = [
    SOURCE,
    node('transform', 'profile', 'data-profiler', ['source'], roles),
    node('transform', 'script', 'js-script', ['profile'], { script }),
    node('sink', 'store', 'log-analysis', ['script'], { query: { app: '{{.app}}' } }),
  ]
  const cut = (
    kind: 'pipeline' | 'state-variables' | 'profile-reset',
    entity: string,
    version: number,
    payload: object,
  ) =>
    control({
      'weir.Cut': { kind, entity, version, payload: JSON.stringify({ accountId: account, ...payload }) },
    })
  const state = (version: number, operational_state: string) =>
    cut('state-variables', 'states', version, { state: { operational_state } })
  const send = (...lines: readonly string[]) =>
    append(lineBatchValue([{ lines: lines.map(line => ({ line, app: 'app', level: 'info' })) }], account))
  cut('pipeline', 'states', 1, { id: 'states', title: 'states', revision: 1, nodes })
  send('oven 4 at 231', '192.0.2.7 - ida [09/Mar/2031:08:15:30 +0000] "GET /doors/4 HTTP/1.1" 200 5316')
  state(2, 'incident')
  send('oven 7 at 228', '')
  cut('profile-reset', 'states/profile', 1, { pipeline: 'states', node: 'profile' })
  state(1, 'too-late')
  send('door is open')
  state(3, 'normal')
  send('door is shut')
}

/** Events and lines whose results depend on data of libraries. */
function decide(control: (body: Control['body']) => void, append: (value: Buffer) => void): void {
  const account = 'd3a4c0de05'
  const cut = (kind: 'pipeline' | 'line-rules', entity: string, payload: object) =>
    control({
      'weir.Cut': { kind, entity, version: 1, payload: JSON.stringify({ accountId: account, ...payload }) },
    })
  cut('pipeline', 'decided', { id: 'decided', title: 'decided', revision: 1, nodes: DECIDED_BY_DATA })
  append(pushedValue([{ messages: DECIDED_MESSAGES }], DECIDED_ROUTE, account))
  cut('line-rules', account, { exclusions: DECIDED_EXCLUSIONS, retentionRules: [] })
  append(lineBatchValue([{ lines: DECIDED_LINES.map(line => ({ line })) }], account))
}

const UNLIKE_ACCOUNT = 'fourteen00'
const UNLIKE_ROUTE = '14141414-1414-4414-8414-141414141414'
const parcel = (elements: number, characters: number): JsonObject => ({
  text: 'x'.repeat(characters),
  items: Array(elements).fill(1),
})
const visitors = (...values: readonly string[]): JsonObject => ({
  ...{ name: 'visitors', kind: 'absolute' },
  value: { type: 'set', value: { values: [...values] } },
})

/**
 * Events that the fourteenth behaviour handles unlike earlier ones, by record: more than an error captures; integers; sets; lists whose
 * copies are owed; one with more copies than a record may yield, which owes nothing.
 */
const UNLIKE_BEFORE: readonly (readonly JsonValue[])[] = [
  [{ integer: '€'.repeat(6_000) }],
  [{ integer: '0x1F' }, { integer: '0X1F' }, { integer: '-0B11' }],
  [visitors('ida', 'ben', 'ida'), visitors('eva', 'ben', 'eva')],
  [parcel(500, 1_000), parcel(500, 1_000), parcel(3, 10)],
  [parcel(500, 1_000)],
  [],
  [parcel(10_000, 26_823), parcel(500, 1_000)],
]

/** Gives a line members whose places take no objects. */
const ODD_MEMBERS = `function f(message) {
  message.tags = { door: 'north' }
  message.app = { name: 'doors' }
  message.timestamp = { seconds: 1 }
  return message
}`

/** A pipeline whose nodes give other results since the fourteenth behaviour. */
function publishUnlikeBefore(control: (body: Control['body']) => void): void {
  const script = `function f(message) {
    if (message.integer != null) { message.script = parseInt(message.integer) }
    return message
  }`
  const nodes = [
    { ...node('source', 'door', 'http'), gateway_route_id: UNLIKE_ROUTE },
    node('transform', 'parse', 'parse', ['door'], {
      ...{ field: '.integer', target_field: '.parsed', parser: 'parse_int' },
    }),
    node('transform', 'script', 'js-script', ['parse'], { script }),
    node('transform', 'unite', 'aggregate', ['script'], {
      window: { type: 'tumbling', interval: 60 },
      evaluate: { operation: 'DEFAULT' },
    }),
    node('transform', 'unroll', 'unroll', ['script'], { field: '.items', values_only: false }),
    node('sink', 'store', 'mezmo', ['unite', 'unroll'], { message: { scheme: 'Message pass-through' } }),
    node('source', 'lines', 'log-analysis-ingestion'),
    node('transform', 'change', 'js-script', ['lines'], { script: ODD_MEMBERS }),
    node('sink', 'changed', 'mezmo', ['change']),
  ]
  const document = { id: 'unlike', accountId: UNLIKE_ACCOUNT, title: 'unlike', revision: 1, nodes }
  control({
    'weir.Cut': { kind: 'pipeline', entity: 'unlike', version: 1, payload: JSON.stringify(document) },
  })
}

/** Windows end by themselves, a revision does not continue with them, and the pipeline is removed. */
function gather(control: (body: Control['body']) => void, round: number): void {
  const cut = (version: number, payload: string) =>
    control({ 'weir.Cut': { kind: 'pipeline', entity: 'gathering', version, payload } })
  const pipeline = (revision: number, strategy: string) =>
    JSON.stringify({
      id: 'gathering',
      accountId: SAMPLE_ACCOUNT,
      title: 'gathering',
      revision,
      nodes: gathering(strategy),
    })
  if (round === 4) cut(1, pipeline(1, 'concat_newline'))
  if (round === 15) cut(2, pipeline(2, 'array'))
  if (round === 28) cut(3, '')
}

/** Events come through a gateway route before, while and after a pipeline reads it, and while it is paused. */
function push(
  control: (body: Control['body']) => void,
  append: (value: Buffer) => void,
  round: number,
): void {
  const cut = (version: number, paused: boolean) =>
    control({
      'weir.Cut': {
        kind: 'pipeline',
        entity: 'pushed',
        version,
        payload: JSON.stringify({
          id: 'pushed',
          accountId: SAMPLE_ACCOUNT,
          title: 'pushed',
          revision: 1,
          nodes: pushed,
          ...(paused && { paused }),
        }),
      },
    })
  if (round === 3) cut(1, false)
  if (round === 24) cut(2, true)
  if (round === 27) cut(3, false)
  if (round === 34) control({ 'weir.Cut': { kind: 'pipeline', entity: 'pushed', version: 4, payload: '' } })
  if (round % 2 === 1)
    append(
      pushedValue([
        {
          metadata: { query: { site: 'oslo' } },
          messages: [{ door: round, tag: `t-${round % 3}` }, 'ünïcode'],
        },
        { messages: [[round, 12345678901234567890n], null] },
        { messages: ['{"a":'], refusal: { code: 'E_EVENT_NOT_JSON', field: null, message: 'no JSON' } },
      ]),
    )
}

/**
 * Turns arrays of pushed events into events, alone and with the surrounding fields; some inputs are errors or empty
 * arrays.
 */
function unroll(
  control: (body: Control['body']) => void,
  append: (value: Buffer) => void,
  round: number,
): void {
  const cut = (version: number, nodes: readonly NodeDocument[] | null) => {
    const document = {
      id: 'unrolled',
      accountId: SAMPLE_ACCOUNT,
      title: 'unrolled',
      revision: version,
      nodes,
    }
    const payload = nodes === null ? '' : JSON.stringify(document)
    control({ 'weir.Cut': { kind: 'pipeline', entity: 'unrolled', version, payload } })
  }
  if (round === 2) cut(1, unrolling(true))
  if (round === 17) cut(2, unrolling(false))
  if (round === 36) cut(3, null)
  if (round % 3 === 2)
    append(
      pushedValue(
        [
          {
            messages: [
              {
                tag: `t-${round % 2}`,
                items: [{ line: `first ${round}`, tag: 'a' }, 'ünïcode', [1, [2]], null],
              },
              { tag: 'b', items: [] },
              { tag: 'c', items: 'none' },
              { tag: 'd' },
              [round],
            ],
          },
        ],
        UNROLLED_ROUTE,
      ),
    )
}

/** Rules on lines come, change and go; a quota is used up for a second. */
function rule(control: (body: Control['body']) => void, round: number): void {
  const cut = (kind: 'line-rules' | 'quota', version: number, payload: LineRulesCut | QuotaCut) =>
    control({ 'weir.Cut': { kind, entity: SAMPLE_ACCOUNT, version, payload: JSON.stringify(payload) } })
  const rules = (version: number, of: Partial<LineRulesCut>) =>
    cut('line-rules', version, { accountId: SAMPLE_ACCOUNT, exclusions: [], retentionRules: [], ...of })
  const bigLists = exclusion('1111111111', { query: 'list:a deep.a.b:*' })
  const someApps = exclusion('2222222222', {
    apps: ['app-1'],
    query: 'plain OR big:>5',
    entirely: true,
  })
  const retentionRules = [
    retention('3333333333', 3, { query: 'level:info plain' }),
    retention('4444444444', 60, { levels: ['Warn'] }),
  ]
  if (round === 3) rules(1, { retentionRules })
  if (round === 7) rules(2, { exclusions: [bigLists], retentionRules })
  if (round === 9) rules(1, { exclusions: [someApps] }) // Overtaken.
  if (round === 14) rules(3, { exclusions: [someApps] })
  if (round === 25) rules(4, {})
  if (round !== 26) return
  const midnightMs = Date.UTC(2026, 10, 21)
  const periods: QuotaCut['periods'] = [
    { period: 'daily', untilMs: midnightMs + 6_000, discards: true, rules: [] },
    {
      period: 'monthly',
      untilMs: midnightMs + 12_000,
      discards: false,
      rules: [{ number: 2, apps: [], hosts: ['web-1'], query: 'ünïcode', entirely: true }],
    },
  ]
  cut('quota', 1, { accountId: SAMPLE_ACCOUNT, periods })
}

/** The keyed partition sends the memory of keys home; it has none. */
function shareSentHome(): Buffer {
  return rekeyedType.encode({
    behaviour: 2,
    sourceTopic: KEYED_TOPIC,
    sourcePartition: 0,
    account: SAMPLE_ACCOUNT,
    parts: [{ 'weir.ShareMoved': { offset: 5, row: 0, share: 0 } }],
  })
}

function askForDeadLetters(control: (body: Control['body']) => void): void {
  const payload = JSON.stringify({ accountId: SAMPLE_ACCOUNT, isEnabled: true })
  control({ 'weir.Cut': { kind: 'dead-letter', entity: 'p', version: 1, payload } })
}

/** Lines to be run on from the sink. Only the first of them has a level. */
function replayOf(...texts: readonly string[]): Buffer {
  const lines = texts.map((line, index) => ({ line, level: index === 0 ? 'info' : '' }))
  const batch = LineBatchView.decode(lineBatchValue([{ lines }]))
  const failed = { topic: INGEST_TOPIC, partition: 0, pipeline: 'p', version: 4, node: 'store' }
  const why = { code: 'E_NOT_FOUND', field: '.level', message: 'no level' }
  const letters = texts.map((text, index) => {
    const place = { offset: text.length, row: index, failedAtMs: START_MS }
    return { ...failed, ...why, ...place, event: Event.ofLine(batch, index) }
  })
  const [value] = deadLetterValues(SAMPLE_ACCOUNT, letters)
  return value as Buffer
}
