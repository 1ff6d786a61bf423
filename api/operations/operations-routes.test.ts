import { Registry } from '@prometheus-io/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { GuardedTopic, lostTailSentence } from '../../engine/log/guarded-topic.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { type Store, StoreError } from '../../engine/store/store.ts'
import { type DamagedPart, DamageRecord, damageSentence } from '../../engine/store/store-damage.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { EngineStatus } from '../../engine/worker/engine.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import {
  bodyMetrics,
  codecMetrics,
  engineMetrics,
  logMetrics,
  scriptMetrics,
  storeMetrics,
  turnMetrics,
} from './metrics.ts'
import { readiness } from './readiness.ts'

let installation: TestInstallation

beforeAll(async () => {
  installation = await testInstallation()
})
afterAll(() => installation.app.close())

const worker = (partition: number, nextOffset: bigint, timeMs: number) => ({
  partition,
  nextOffset,
  storedOffset: 0n,
  timeMs,
  batches: 3,
  rows: 12,
  waitingFlushes: 0,
})

async function engineOver(status: EngineStatus, assigned: readonly number[] = [0, 1]) {
  const log = memoryLog({ clock: manualClock(), entropy: seededEntropy(1) })
  const ingest = await log.topic('weir.ingest', 2)
  const record = { value: Buffer.from('x'), producer: null, priority: 'ingest' as const }
  for (let count = 0; count < 5; count++) await ingest.append(0, record)
  return { work: { status, assigned: new Set(assigned) }, ingest }
}

describe('readiness', () => {
  const clock = manualClock(1_000_000)
  const log = memoryLog({ clock, entropy: seededEntropy(1) })

  test('a process without a problem is ready', async () => {
    const workers = [worker(0, 5n, 0), worker(1, 0n, 0)]
    const engine = await engineOver({ workers, keyedWorkers: [], troubles: new Map(), expiredLines: 0 })
    expect(await readiness({ log, clock, engine }).notReady()).toEqual([])
    const response = await installation.app.inject({ url: '/readyz' })
    expect([response.statusCode, response.body]).toEqual([200, '{"status":"ready"}'])
  })

  test('a partition is behind only when its oldest unread record is older than a minute', async () => {
    const at = (timeMs: number, nextOffset: bigint) =>
      engineOver({
        workers: [worker(0, nextOffset, timeMs), worker(1, 0n, 0)],
        keyedWorkers: [],
        troubles: new Map(),
        expiredLines: 0,
      })
    const reasons = async (timeMs: number, nextOffset: bigint) =>
      readiness({ log, clock, engine: await at(timeMs, nextOffset) }).notReady()
    expect(await reasons(940_000, 3n)).toEqual([])
    expect(await reasons(939_999, 3n)).toEqual(['Partition 0 is 60 s and 2 records behind.'])
    expect(await reasons(0, 5n)).toEqual([])
  })

  test('a partition without a worker, or with a failed one, is named with its sentence', async () => {
    const engine = await engineOver({
      workers: [],
      keyedWorkers: [],
      troubles: new Map([[1, 'The store has another owner']]),
      expiredLines: 0,
    })
    expect(await readiness({ log, clock, engine }).notReady()).toEqual([
      'Partition 1 does not move: The store has another owner',
      'Partition 0 has no worker yet.',
    ])
  })

  test('partitions of other processes are ignored, and unknown ones are waited for', async () => {
    const idle = { workers: [], keyedWorkers: [], troubles: new Map(), expiredLines: 0 }
    const notReady = async (assigned: readonly number[]) =>
      readiness({ log, clock, engine: await engineOver(idle, assigned) }).notReady()
    expect(await notReady([])).toEqual([])
    expect(await notReady([1])).toEqual(['Partition 1 has no worker yet.'])
    const engine = await engineOver(idle)
    const unknown = { ...engine, work: { ...engine.work, assigned: undefined } }
    expect(await readiness({ log, clock, engine: unknown }).notReady()).toEqual([
      'The engine has not been given its partitions yet.',
    ])
  })

  test('a partition that lost its end is reported once, with the missing records', async () => {
    const lost = { topic: 'weir.ingest', partition: 1, from: 7n, to: 9n }
    const topic = await log.topic('weir.ingest', 2)
    const look = async (partition: number) => (partition === 1 ? lost : undefined)
    const guarded = new GuardedTopic(topic, { look, monotonicMs: () => clock.monotonicMs() })
    await guarded.lookAtAll()
    const sentence = lostTailSentence(lost)
    const engine = await engineOver({
      workers: [worker(0, 5n, 0)],
      keyedWorkers: [],
      expiredLines: 0,
      troubles: new Map([[1, sentence]]),
    })
    expect(await readiness({ log, clock, engine, guarded: [guarded] }).notReady()).toEqual([sentence])
    expect(await readiness({ log, clock, guarded: [guarded] }).notReady()).toEqual([sentence])
  })

  test('an accepted loss was still reported for some moments, while lines were accepted', async () => {
    const engine = await engineOver({
      workers: [worker(0, 5n, 0)],
      keyedWorkers: [],
      expiredLines: 0,
      troubles: new Map([[1, lostTailSentence({ topic: 'weir.ingest', partition: 1, from: 0n, to: 1n })]]),
    })
    const look = async () => undefined
    const guarded = new GuardedTopic(engine.ingest, { look, monotonicMs: () => clock.monotonicMs() })
    const reasons = () => readiness({ log, clock, engine, guarded: [guarded] }).notReady()
    // Only the worker has noticed it.
    expect(await reasons()).toEqual([
      expect.stringMatching(/^Partition 1 does not move: .* before record 0, /),
    ])
    await guarded.append(1, { value: Buffer.from('x'), producer: null, priority: 'control' })
    expect(await reasons()).toEqual(['Partition 1 has no worker yet.'])
  })

  test('a loss that another process has accepted was reported for ever where nothing is appended', async () => {
    const topic = await log.topic('weir.outbox', 1)
    const lost = { topic: 'weir.outbox', partition: 0, from: 0n, to: 1n }
    const look = async () => {
      const { next } = await topic.bounds(0)
      return next > lost.to ? undefined : { ...lost, from: next }
    }
    const guarded = new GuardedTopic(topic, { look, monotonicMs: () => clock.monotonicMs() })
    const reasons = () => readiness({ log, clock, guarded: [guarded] }).notReady()
    await guarded.lookAtAll()
    expect(await reasons()).toEqual([lostTailSentence(lost)])
    // The acceptance fills one place after the other.
    const fill = () => topic.append(0, { value: Buffer.from('x'), producer: null, priority: 'control' })
    await fill()
    expect(await reasons()).toEqual([lostTailSentence({ ...lost, from: 1n })])
    await fill()
    expect(await reasons()).toEqual([])
  })

  test('a full log is reported as full', async () => {
    const small = memoryLog({ clock, entropy: seededEntropy(1), maxBytes: 10_000 })
    const topic = await small.topic('weir.ingest', 1)
    const record = { value: Buffer.alloc(1000), producer: null, priority: 'ingest' as const }
    await expect(Promise.all(Array.from({ length: 10 }, () => topic.append(0, record)))).rejects.toThrow(
      'full',
    )
    const [reason] = await readiness({ log: small, clock }).notReady()
    expect(reason).toMatch(
      /^The log is full: \d+ of 10000 bytes are used\. Lines may use 8000, because 2000 are kept for .*\. Ingestion answers 503/,
    )
    small.reserve(7_000)
    expect(await readiness({ log: small, clock }).notReady()).toEqual([
      expect.stringContaining('Lines may use 3000, because 7000 are kept for checkpoints'),
    ])
  })

  test('a store that is unavailable, or silent for two seconds, is reported as such', async () => {
    const { store } = installation.ports
    const away = { ...store, findDamage: () => Promise.reject(new Error('connection refused')) } as Store
    expect(await readiness({ log, clock, store: away }).notReady()).toEqual([
      'The store does not answer: connection refused',
    ])
    const silent = { ...store, findDamage: () => new Promise(() => undefined) } as Store
    const asked = readiness({ log, clock, store: silent }).notReady()
    clock.advance(2_000)
    expect(await asked).toEqual(['The store has not answered for 2 s.'])
  })

  test('each damaged part of the store is named, with the remedy', async () => {
    const damaged: readonly DamagedPart[] = [
      { table: 'lines', part: '20260101_1_6_1', state: 'unreadable' },
      { table: 'lines', part: 'broken-on-start_20260102_2_2_0', state: 'set aside' },
    ]
    const store = { ...installation.ports.store, findDamage: async () => damaged } as Store
    expect(await readiness({ log, clock, store }).notReady()).toEqual([
      expect.stringMatching(/^Part 20260101_1_6_1 of the table lines is damaged .* Restore a backup/),
      expect.stringMatching(/^Part broken-on-start_20260102_2_2_0 of .* missing from every answer/),
    ])
  })

  test('an answer that needs a damaged part is 503 with its name, and is worth a repetition in a minute', async () => {
    const damaged = { table: 'lines', part: '20260101_1_6_1', state: 'unreadable' } as const
    const fails = () => Promise.reject(new StoreError('STORE_DAMAGED', damageSentence(damaged), { damaged }))
    const store = { ...installation.ports.store, usageTotals: fails } as Store
    const { app, call } = await testInstallation({ store })
    const { statusCode, headers, body } = await call({
      url: '/v2/usage?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z',
    })
    expect([statusCode, headers['retry-after'], JSON.parse(body)]).toEqual([
      503,
      '60',
      {
        error: expect.stringMatching(
          /^Part 20260101_1_6_1 of the table lines is damaged .* Restore a backup/,
        ),
        code: 'ServiceUnavailable',
        status: 'error',
      },
    ])
    await app.close()
  })

  test('a process accepts lines while its store is away and its engine is behind', async () => {
    const { store } = installation.ports
    const away = { ...store, findDamage: () => Promise.reject(new Error('connection refused')) } as Store
    const idle = { workers: [], keyedWorkers: [], troubles: new Map(), expiredLines: 0 }
    const engine = await engineOver(idle)
    const topic = await memoryLog({ clock, entropy: seededEntropy(1) }).topic('weir.ingest', 2)
    const lines = new GuardedTopic(topic, { look: async () => undefined, monotonicMs: () => 0 })
    const status = readiness({ log, clock, store: away, engine, lines, guarded: [lines] })
    expect(await status.notReady()).toHaveLength(3)
    expect(await status.notTaking()).toEqual([])
  })

  test('a process does not accept lines if its role is another one, or if its log is full', async () => {
    expect(await readiness({ log, clock }).notTaking()).toEqual(['This process does not accept lines.'])
    const small = memoryLog({ clock, entropy: seededEntropy(1), maxBytes: 10_000 })
    const topic = await small.topic('weir.ingest', 1)
    const lines = new GuardedTopic(topic, { look: async () => undefined, monotonicMs: () => 0 })
    const status = readiness({ log: small, clock, lines, guarded: [lines] })
    expect(await status.notTaking()).toEqual([])
    small.reserve(9_000)
    await topic.append(0, { value: Buffer.alloc(2000), producer: null, priority: 'control' })
    expect(await status.notTaking()).toEqual([expect.stringMatching(/^The log is full: .* answers 503/)])
  })

  test('a process accepts lines until every partition has lost its end, or the topic was created again', async () => {
    const inner = await log.topic('weir.ingest', 2)
    const lost = new Set([1])
    const look = async (partition: number) =>
      lost.has(partition) ? { topic: 'weir.ingest', partition, from: 7n, to: 9n } : undefined
    const lines = new GuardedTopic(inner, { look, monotonicMs: () => clock.monotonicMs() })
    const status = readiness({ log, clock, lines, guarded: [lines] })
    await lines.lookAtAll()
    expect(await status.notReady()).toHaveLength(1)
    expect(await status.notTaking()).toEqual([])
    lost.add(0)
    await lines.lookAtAll()
    expect(await status.notTaking()).toEqual([
      expect.stringContaining('Partition 0 of weir.ingest ends before record 7'),
      expect.stringContaining('Partition 1 of weir.ingest ends before record 7'),
    ])
  })

  test('a log whose brokers are away, or silent for two seconds, accepts no lines', async () => {
    const taking = async (presentId: () => Promise<string>) => {
      const brokers = memoryLog({ clock, entropy: seededEntropy(1) })
      const inner = Object.assign(await brokers.topic('weir.ingest', 2), { presentId })
      const lines = new GuardedTopic(inner, { look: async () => undefined, monotonicMs: () => 0 })
      return readiness({ log, clock, lines })
    }
    const away = await taking(() => Promise.reject(new Error('Kafka cannot be reached')))
    expect(await away.notTaking()).toEqual(['The log does not answer: Kafka cannot be reached'])
    const silent = (await taking(() => new Promise(() => undefined))).notTaking()
    clock.advance(2_000)
    expect(await silent).toEqual(['The log has not answered for 2 s.'])
    expect(await (await taking(async () => 'the same')).notTaking()).toEqual([])
  })

  test('/readyz speaks for everything, or for ingestion alone, and refuses other questions', async () => {
    const status = { notReady: async () => ['The store is away.'], notTaking: async () => [] }
    const own = await testInstallation({ status })
    const ask = async (url: string) => {
      const { statusCode, body } = await own.app.inject({ url })
      return [statusCode, body]
    }
    expect(await ask('/readyz')).toEqual([503, '{"status":"not ready","reasons":["The store is away."]}'])
    expect(await ask('/readyz?for=ingest')).toEqual([200, '{"status":"ready"}'])
    const [code, body] = await ask('/readyz?for=ingress')
    expect(code).toBe(400)
    expect(JSON.parse(body as string).error).toBe('"for" must be one of [ingest]')
    await own.app.close()
  })

  test('a store without the latest end of the configuration is reported as such', async () => {
    const configurationEnd: { trouble: string | undefined } = { trouble: 'The store does not know yet.' }
    const status = readiness({ log, clock, configurationEnd })
    expect(await status.notReady()).toEqual(['The store does not know yet.'])
    configurationEnd.trouble = undefined
    expect(await status.notReady()).toEqual([])
  })

  test('a reason that keeps the process from its work is answered with 503', async () => {
    const own = await testInstallation({
      status: { notReady: async () => ['The log is full.'], notTaking: async () => [] },
    })
    const response = await own.app.inject({ url: '/readyz' })
    expect([response.statusCode, response.body]).toEqual([
      503,
      '{"status":"not ready","reasons":["The log is full."]}',
    ])
    await own.app.close()
  })
})

describe('metrics', () => {
  test('requests are counted by route, never by path', async () => {
    const { app, ports, call, credentials } = installation
    await call({ url: '/v3/pipeline/some-secret-id' })
    await call({
      method: 'POST',
      url: '/logs/ingest?hostname=h',
      headers: { apikey: credentials.ingestionKey },
      payload: { lines: [{ line: 'a' }, { line: 'b' }, null] },
    })
    const text = (await app.inject({ url: '/metrics' })).body
    expect(text).toContain(
      'weir_http_requests_total{method="GET",route="/v3/pipeline/:pipelineId",status="404"} 1',
    )
    expect(text).not.toContain('some-secret-id')
    expect(text).toMatch(/^weir_ingest_lines_total 2$/m)
    expect(text).toMatch(/^weir_ingest_refused_lines_total 1$/m)
    expect(ports.registry.contentType).toContain('text/plain')
  })

  test('lines whose own time is too old or too far ahead are counted, by either reader', async () => {
    const { app, clock, call, credentials } = await testInstallation()
    const days = (count: number) => clock.wallMs() + count * DAY_MS
    const times = [days(-29), days(-31), new Date(days(-400)).toISOString(), days(0), days(2), 'never']
    const lines = times.map(timestamp => ({ line: 'a', timestamp }))
    // An escape in a key is left to the complete parser.
    const bodies = [JSON.stringify({ lines }), JSON.stringify({ lines }).replace('"line"', '"l\\u0069ne"')]
    for (const payload of bodies) {
      const headers = { apikey: credentials.ingestionKey, 'content-type': 'application/json' }
      const url = '/logs/ingest?hostname=h'
      expect((await call({ method: 'POST', url, headers, payload })).statusCode).toBe(200)
    }
    const text = (await app.inject({ url: '/metrics' })).body
    expect(text).toMatch(/^weir_ingest_lines_total 12$/m)
    expect(text).toMatch(/^weir_ingest_retimed_lines_total 6$/m)
    await app.close()
  })

  test('lag, batches and rows are those of the workers, and used bytes those of the log', async () => {
    const registry = new Registry()
    const engine = await engineOver({
      workers: [worker(0, 3n, 5_000)],
      keyedWorkers: [],
      troubles: new Map([[1, 'x']]),
      expiredLines: 7,
    })
    engineMetrics(registry, engine.work, { ingest: engine.ingest, keyed: engine.ingest })
    logMetrics(registry, installation.log)
    codecMetrics(registry, { fallenBackRows: 9 })
    bodyMetrics(registry, { fallenBackBodies: 4 })
    scriptMetrics(registry, { mostSteps: 612 })
    const turn = {
      tookMs: 12.5,
      names: { topic: 'weir.ingest', partition: 1, pipeline: 'p', revision: 7, node: 'n' },
    }
    turnMetrics(registry, { turn })
    for (let reading = 0; reading < 2; reading++) {
      const text = await registry.metrics()
      expect(text).toMatch(/^weir_lag_records\{topic="weir.ingest",partition="0"\} 2$/m)
      expect(text).toMatch(/^weir_unstored_records\{topic="weir.ingest",partition="0"\} 5$/m)
      expect(text).toMatch(/^weir_partition_time_seconds\{topic="weir.ingest",partition="0"\} 5$/m)
      expect(text).toMatch(/^weir_batches_stored_total\{topic="weir.ingest",partition="0"\} 3$/m)
      expect(text).toMatch(/^weir_rows_stored_total\{topic="weir.ingest",partition="0"\} 12$/m)
      expect(text).toMatch(/^weir_partitions_in_trouble 1$/m)
      expect(text).toMatch(/^weir_expired_lines_total 7$/m)
      expect(text).toMatch(/^weir_codec_fallback_rows_total 9$/m)
      expect(text).toMatch(/^weir_codec_fallback_bodies_total 4$/m)
      expect(text).toMatch(/^weir_script_call_steps_max 612$/m)
      expect(text).toMatch(
        /^weir_node_turn_seconds_max\{topic="weir.ingest",partition="1",pipeline="p",node="n"\} 0.0125$/m,
      )
      expect(text).toMatch(/^weir_log_takes_ingest 1$/m)
      expect(text).toMatch(/^weir_log_reserved_bytes \d+$/m)
    }
  })

  test('damaged parts are counted by their state, and statements that failed because of them', async () => {
    const registry = new Registry()
    const record = new DamageRecord()
    storeMetrics(registry, {
      get damage() {
        return record.known
      },
    })
    const unreadable = { table: 'lines', part: '20260101_1_6_1', state: 'unreadable' } as const
    for (let failed = 0; failed < 3; failed++) record.noteUnreadable(unreadable)
    record.setAside([{ ...unreadable, state: 'set aside' }])
    const text = await registry.metrics()
    expect(text).toMatch(/^weir_store_damaged_parts\{state="unreadable"\} 1$/m)
    expect(text).toMatch(/^weir_store_damaged_parts\{state="set aside"\} 1$/m)
    expect(text).toMatch(/^weir_store_damage_failures_total 3$/m)
    record.keepUnreadable(() => false)
    record.setAside([])
    const later = await registry.metrics()
    expect(later).toMatch(/^weir_store_damaged_parts\{state="unreadable"\} 0$/m)
    expect(later).toMatch(/^weir_store_damage_failures_total 3$/m)
  })
})

describe('the API document', () => {
  test('is OpenAPI 3.1 and contains every documented route with the right that it needs', async () => {
    const response = await installation.app.inject({ url: '/openapi.json' })
    const document = response.json()
    expect(document.openapi).toBe('3.1.0')
    const { paths } = document
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining([
        '/v3/pipeline',
        '/v3/pipeline/{pipelineId}/transform/{nodeId}',
        '/logs/ingest',
        '/healthz',
      ]),
    )
    expect(Object.keys(paths).filter(path => /docs|openapi/.test(path))).toEqual([])
    expect(paths['/v3/pipeline'].get.security).toEqual([{ accessToken: [] }])
    expect(paths['/healthz'].get.security).toEqual([])
    expect(document.components.schemas.PipelineBody.required).toEqual(['title'])
    for (const [path, methods] of Object.entries<Record<string, { summary?: string }>>(paths)) {
      for (const [method, { summary }] of Object.entries(methods)) {
        expect([path, method, summary]).toEqual([path, method, expect.any(String)])
      }
    }
  })

  test('is the same for the page that shows it', async () => {
    const own = await installation.app.inject({ url: '/openapi.json' })
    expect((await installation.app.inject({ url: '/docs/json' })).body).toBe(own.body)
    const { statusCode, headers } = await installation.app.inject({ url: '/docs/yaml' })
    expect([statusCode, headers.location]).toEqual([302, '/openapi.json'])
  })

  test('has a page that works from its own files', async () => {
    const response = await installation.app.inject({ url: '/docs/' })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toContain('text/html')
    expect(response.headers['content-security-policy']).toContain("default-src 'self'")
    expect(response.body).not.toMatch(/src="https?:/)
    for (const [, path] of response.body.matchAll(/(?:src|href)="\.?\/?([^"]+)"/g)) {
      const file = path?.startsWith('docs/') ? `/${path}` : `/docs/${path}`
      expect([file, (await installation.app.inject({ url: file })).statusCode]).toEqual([file, 200])
    }
  })
})
