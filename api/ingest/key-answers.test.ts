import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { type Log, LogError, type Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { Producer } from '../../engine/log/producer.ts'
import type { Logger } from '../../engine/logger.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { keyAnswersType } from '../../schemas/log/key-answers.ts'
import { INGEST_TOPIC, KEYS_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { boundTo } from '../../test/support/bound-topic.ts'
import { ApiError } from '../http/errors.ts'
import { serveIngestion } from './ingest-routes.ts'
import { IngestWriter } from './ingest-writer.ts'
import { KeyAnswerReader } from './key-answer-reader.ts'
import { KeyAnswers } from './key-answers.ts'
import { RecentAnswers } from './recent-answers.ts'

const PARTITIONS = 2
const ACCOUNT = 'acme'
const PARTITION = partitionOfAccount(ACCOUNT, PARTITIONS)

interface World {
  readonly clock: ManualClock
  readonly log: Log
  readonly ingest: Topic
  readonly keys: Topic
}

async function newWorld(): Promise<World> {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(3) })
  const ingest = await log.topic(INGEST_TOPIC, PARTITIONS)
  return { clock, log, ingest, keys: await log.topic(KEYS_TOPIC, PARTITIONS) }
}

interface Answer {
  readonly status: number
  readonly body: unknown
}

interface IngestProcess {
  readonly keyAnswers: KeyAnswers
  readonly warnings: object[]
  post(key: string, line: string, body?: object): Promise<Answer>
}

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

/** The parts of an ingesting process without an engine that handle keys. */
async function startProcess(
  { clock, ingest, keys: topic }: World,
  seed: number,
  overrides: Partial<Topic> = {},
): Promise<IngestProcess> {
  const warnings: object[] = []
  const note = (details: object) => void warnings.push(details)
  const logger: Logger = { debug() {}, info() {}, warn: note, error: note }
  const keyAnswers = new KeyAnswers({ topic: { ...boundTo(topic), ...overrides }, clock, logger })
  const keys = new RecentAnswers({ clock, announce: answer => keyAnswers.announce(answer) })
  await keyAnswers.teach(keys)
  const app = await openFront({ clock, ingest, keys, seed })
  open.push(
    () => app.close(),
    () => keyAnswers.close(),
  )
  return {
    keyAnswers,
    warnings,
    post: async (key, line, body = { lines: [{ line }] }) => {
      const response = await app.inject({
        method: 'POST',
        url: '/logs/ingest?hostname=h',
        headers: { apikey: 'any', 'idempotency-key': key },
        payload: JSON.stringify(body),
      })
      return { status: response.statusCode, body: response.json() }
    },
  }
}

async function openFront(parts: {
  readonly clock: ManualClock
  readonly ingest: Topic
  readonly keys: RecentAnswers
  readonly seed: number
}): Promise<FastifyInstance> {
  const { clock, ingest, keys, seed } = parts
  const app = fastify()
  app.setErrorHandler((error: Error, _request, reply) => {
    const { status, code } = error instanceof ApiError ? error : { status: 500, code: 'Internal' }
    return reply.code(status).send({ error: error.message, code, status: 'error' })
  })
  const account = { shortId: ACCOUNT, id: 'a', retentionDays: 30, ingestionSuspended: false }
  serveIngestion(app, {
    writer: new IngestWriter({
      topic: ingest,
      producer: new Producer({ topic: ingest, clock, entropy: seededEntropy(seed) }),
    }),
    partitionOf: () => PARTITION,
    authenticator: {
      ingest: () => ({
        caller: {
          subjectId: 'k',
          credential: { id: 'k', scope: null, expiresAtMs: null },
          accessType: 'ingestion',
          role: 'ingest',
          account,
          delegated: false,
        },
      }),
    },
    keys,
    clock,
    bodyLimitBytes: 2_097_152,
    corsOrigins: [],
  })
  return app
}

/** Resolves when everything that does not wait for a clock has happened. */
function quiet(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve))
}

/** Resolves when all answers were sent, and all processes have read them. */
async function announced({ clock }: World): Promise<void> {
  await quiet()
  clock.advance(20)
  await quiet()
}

async function recordsOf(topic: Topic): Promise<number> {
  const { first, next } = await topic.bounds(PARTITION)
  return Number(next - first)
}

describe('two ingesting processes', () => {
  test('give a repeat the first answer, store it once, and refuse another body', async () => {
    const world = await newWorld()
    const [one, two] = [await startProcess(world, 1), await startProcess(world, 2)]
    for (const key of ['plain', 'stream/1']) {
      const first = await one.post(key, 'hello')
      expect(first.status).toBe(200)
      await announced(world)
      const before = await recordsOf(world.ingest)
      expect(await two.post(key, 'hello')).toEqual(first)
      expect((await two.post(key, 'other')).status).toBe(409)
      expect(await recordsOf(world.ingest)).toBe(before)
    }
  })

  test('name the same lines as refused', async () => {
    const world = await newWorld()
    const [one, two] = [await startProcess(world, 1), await startProcess(world, 2)]
    const body = { lines: [{ line: 'good' }, null] }
    const first = await one.post('k', '', body)
    expect(first.status).toBe(207)
    await announced(world)
    expect(await two.post('k', '', body)).toEqual(first)
  })

  test('agree on the answer that was shared first if both were first', async () => {
    const world = await newWorld()
    const [one, two] = [await startProcess(world, 1), await startProcess(world, 2)]
    const [first] = await Promise.all([one.post('k', 'a'), two.post('k', 'b')])
    await announced(world)
    for (const each of [one, two, await startProcess(world, 3)]) {
      expect(await each.post('k', 'a')).toEqual(first)
      expect((await each.post('k', 'b')).status).toBe(409)
    }
  })

  test('answer before anything is shared, and share many answers in one record', async () => {
    const world = await newWorld()
    const one = await startProcess(world, 1)
    for (let number = 0; number < 50; number++) await one.post(`k${number}`, 'hello')
    expect(await recordsOf(world.keys)).toBe(0)
    await announced(world)
    expect(await recordsOf(world.keys)).toBe(1)
  })
})

describe('a process that starts', () => {
  test('knows the earlier answers of processes that have ended', async () => {
    const world = await newWorld()
    const gone = await startProcess(world, 1)
    const first = await gone.post('k', 'hello')
    await announced(world)
    const next = await startProcess(world, 2)
    expect(await next.post('k', 'hello')).toEqual(first)
    expect((await next.post('k', 'other')).status).toBe(409)
  })

  test('reads no records that are older than 24 h', async () => {
    const world = await newWorld()
    const gone = await startProcess(world, 1)
    for (const key of ['k', 'stream/1']) await gone.post(key, 'hello')
    await announced(world)
    world.clock.advance(DAY_MS + 1)
    const next = await startProcess(world, 2)
    for (const key of ['k', 'stream/1']) expect((await next.post(key, 'other')).status).toBe(200)
  })

  test('reads the newest part of many records, and all later ones', async () => {
    const { clock, keys: topic } = await newWorld()
    const announce = (number: number) => {
      const answer = {
        account: ACCOUNT,
        key: `k${number}`,
        digest: Buffer.alloc(16),
        batchId: 'b',
        isPartial: false,
      }
      const value = keyAnswersType.encode({ answers: [answer] })
      return topic.append(PARTITION, { value, producer: null, priority: 'ingest' })
    }
    for (let number = 0; number < 500; number++) await announce(number)
    const learnt: string[] = []
    const keys = { learn: ({ key }: { key: string }) => void learnt.push(key) }
    const logger: Logger = { debug() {}, info() {}, warn() {}, error() {} }
    const ending = new AbortController()
    const newestBytes = 100 * ((await topic.read(PARTITION, 499n, 1))[0]?.value.length ?? 0)
    const reader = new KeyAnswerReader({ topic, clock, logger, keys, newestBytes }, ending.signal)
    const reading = reader.run()
    await reader.caughtUp
    await announce(500)
    await quiet()
    expect(learnt).toEqual(Array.from({ length: 101 }, (_, index) => `k${400 + index}`))
    ending.abort()
    await reading
  })

  test('does not wait for an unreadable topic, and reads it once it can', async () => {
    const world = await newWorld()
    const first = await (await startProcess(world, 1)).post('k', 'hello')
    await announced(world)
    let isAway = true
    const bounds: Topic['bounds'] = async partition => {
      if (isAway) throw unavailable()
      return world.keys.bounds(partition)
    }
    const two = await world.clock.advanceUntil(startProcess(world, 2, { bounds }))
    isAway = false
    world.clock.advance(1_000)
    await quiet()
    expect(await two.post('k', 'hello')).toEqual(first)
    expect(two.warnings).toEqual([])
  })
})

describe('a topic that accepts nothing', () => {
  test('is tried again, and then all answers are shared', async () => {
    const world = await newWorld()
    let failures = 3
    const append: Topic['append'] = async (...given) => {
      if (failures-- > 0) throw unavailable()
      return world.keys.append(...given)
    }
    const [one, two] = [await startProcess(world, 1, { append }), await startProcess(world, 2)]
    const first = await one.post('k', 'hello')
    await announced(world)
    for (let second = 0; second < 3; second++) {
      world.clock.advance(1_000)
      await quiet()
    }
    expect(await two.post('k', 'hello')).toEqual(first)
    expect(one.warnings).toEqual([])
  })

  test('for a long time causes a warning, and affects no answer of this process', async () => {
    const world = await newWorld()
    const append: Topic['append'] = async () => {
      throw unavailable()
    }
    const one = await startProcess(world, 1, { append })
    const first = await one.post('k', 'hello')
    await announced(world)
    for (let second = 0; second <= 30; second++) {
      world.clock.advance(1_000)
      await quiet()
    }
    expect(one.warnings).toEqual([expect.objectContaining({ partition: PARTITION, answers: 1 })])
    expect(await one.post('k', 'hello')).toEqual(first)
  })
})

test('the last answers are shared before a process ends', async () => {
  const world = await newWorld()
  const one = await startProcess(world, 1)
  const first = await one.post('k', 'hello')
  await one.keyAnswers.close()
  expect(await (await startProcess(world, 2)).post('k', 'hello')).toEqual(first)
})

test('a process that was paused while the topic was trimmed continues with the remaining records', async () => {
  const world = await newWorld()
  let isStopped = false
  const read: Topic['read'] = async (...given) => {
    if (isStopped) throw unavailable()
    return world.keys.read(...given)
  }
  const [one, two] = [await startProcess(world, 1), await startProcess(world, 2, { read })]
  isStopped = true
  await one.post('trimmed', 'hello')
  await announced(world)
  await world.keys.trim(PARTITION, 1n)
  const first = await one.post('k', 'hello')
  await announced(world)
  isStopped = false
  for (let second = 0; second < 3; second++) {
    world.clock.advance(1_000)
    await quiet()
  }
  expect(await two.post('k', 'hello')).toEqual(first)
  expect(two.warnings).toEqual([])
})

function unavailable(): LogError {
  return new LogError('LOG_UNAVAILABLE', 'The brokers are away.', { retriable: true })
}
