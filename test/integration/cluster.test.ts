import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { runHere } from '../support/command-world.ts'
import { type ExportedLine, eventually } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { IS_LONG } from '../support/long-form.ts'
import { runWeir } from '../support/program.ts'
import { type RunningRole, startRole } from '../support/running-role.ts'

/** Changes of each of ten clients. */
const ROUNDS = IS_LONG ? 10 : 4

const LIMIT = 7
const KEY = 'c'.repeat(32)
const TOKEN = `sts_${'d'.repeat(40)}`
const clock = systemClock()

let folder: string
let running: RunningRole[]

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-cluster-'))
  running = []
})
afterAll(async () => {
  for (const role of running.toReversed()) await role.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

function settings(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(WEIR_|KAFKA_|CLICKHOUSE_|SCHEMA_REGISTRY_)/.test(name),
  )
  return {
    ...(Object.fromEntries(inherited) as Record<string, string>),
    WEIR_PORT: '0',
    LOG_LEVEL: 'warn',
    ...more,
  }
}

async function start(role: string, environment: Readonly<Record<string, string>>): Promise<RunningRole> {
  const started = await startRole(role, environment)
  running.push(started)
  return started
}

async function ask<Answer>(url: string, method = 'GET', body?: object): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Token ${TOKEN}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as Answer
}

/** Publishes: everything → throttle by app → own store. */
async function publishThrottle(api: string): Promise<string | null> {
  const create = async (path: string, body: object) =>
    (await ask<{ data: { id: string } }>(`${api}${path}`, 'POST', body)).data.id
  const pipeline = await create('/v3/pipeline', { title: 'limited' })
  const source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const throttle = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    inputs: [source],
    user_config: { threshold: LIMIT, window_ms: DAY_MS, key_field: '.app' },
  })
  await create(`/v3/pipeline/${pipeline}/sink`, { type: 'mezmo', inputs: [throttle], user_config: {} })
  const { data } = await ask<{ data: { loaded_revision_id: string | null } }>(
    `${api}/v3/pipeline/${pipeline}/publish`,
    'POST',
    {},
  )
  return data.loaded_revision_id
}

async function send(ingest: string, number: number, apps: readonly string[]): Promise<void> {
  const lines = apps.map(app => ({ line: `round ${number}`, app }))
  for (;;) {
    const response = await fetch(`${ingest}/logs/ingest?hostname=h`, {
      method: 'POST',
      headers: { apikey: KEY, 'content-type': 'application/json', 'idempotency-key': `test/${number}` },
      body: JSON.stringify({ lines }),
    })
    if (response.status === 200) return
    expect(response.status).toBe(503)
    await clock.sleep(200)
  }
}

await describeKafka('a cluster of processes on Kafka', {}, cluster => {
  const sharedSettings = (store: RunningRole) =>
    settings({
      KAFKA_BROKERS: cluster.bootstrap.join(),
      KAFKA_TOPIC_PREFIX: `test-${crypto.randomUUID().slice(0, 8)}.`,
      KAFKA_SESSION_TIMEOUT_MS: '2000',
      WEIR_PARTITIONS: '2',
      WEIR_SECRET_KEY: 'ab'.repeat(32),
      WEIR_BOOTSTRAP_INGESTION_KEY: KEY,
      WEIR_BOOTSTRAP_ACCESS_TOKEN: TOKEN,
      CLICKHOUSE_URL: store.url,
    })

  let shared: Record<string, string>
  let apis: readonly string[]

  beforeAll(async () => {
    shared = sharedSettings(await start('store', settings({ WEIR_DATA_DIR: folder, WEIR_STORE_PORT: '0' })))
    apis = [await start('api', shared), await start('api', shared)].map(({ url }) => url)
  })

  test('an answer of one API process is visible at another at once, and ten clients of both lose nothing', async () => {
    const one = (number: number) => apis[number % 2] as string
    interface Node {
      readonly data: { readonly id: string; readonly title: string; readonly generation_id: number }
    }
    const { data } = await ask<Node>(`${one(0)}/v3/pipeline`, 'POST', { title: 'P' })
    const url = (number: number) => `${one(number)}/v3/pipeline/${data.id}/transform`
    const client = async (number: number) => {
      for (let round = 0; round < ROUNDS; round++) {
        const body = { type: 'stringify', title: `${number} ${round}` }
        const { id } = (await ask<Node>(url(number + round), 'POST', body)).data
        const other = `${url(number + round + 1)}/${id}`
        expect((await ask<Node>(other)).data.title).toBe(body.title)
        await ask(other, 'PUT', { ...body, title: `${body.title} again` })
        expect((await ask<Node>(`${url(number + round)}/${id}`)).data).toMatchObject({
          title: `${body.title} again`,
          generation_id: 1,
        })
      }
    }
    await Promise.all(Array.from({ length: 10 }, (_, number) => client(number)))
    for (const number of [0, 1])
      expect((await ask<{ data: object[] }>(url(number))).data).toHaveLength(10 * ROUNDS)
  })

  test('a throttle passes exactly its limit while engines are killed and join, and weir verify confirms it', async () => {
    const api = apis[0] as string
    const first = await start('engine', shared)
    const ingests = [await start('ingest', shared), await start('ingest', shared)]
    // It holds once it is answered, though the engine is another process.
    expect(await publishThrottle(api)).not.toBeNull()
    const apps = Array.from({ length: 20 }, (_, index) => `app-${index}`)
    let second: RunningRole | undefined
    for (let round = 0; round < 12; round++) {
      await send((ingests[round % 2] as RunningRole).url, round, apps)
      // The second attempt, at another process, stores nothing more.
      await send((ingests[(round + 1) % 2] as RunningRole).url, round, apps)
      if (round === 3) second = await start('engine', shared)
      if (round === 7) await first.end('SIGKILL')
    }
    expect(second).toBeDefined()
    const range = `from=${clock.wallMs() - DAY_MS}&to=${clock.wallMs() + DAY_MS}&size=10000`
    const { lines } = await eventually(
      () => ask<{ lines: ExportedLine[] }>(`${api}/v2/export?${range}`),
      found => found.lines.length >= apps.length * LIMIT,
    )
    for (const app of apps) {
      const passed = lines.filter(line => line._app === app).map(line => line._line)
      expect(passed.sort()).toEqual(Array.from({ length: LIMIT }, (_, round) => `round ${round}`).sort())
    }
    // The first process had not yet reported that it was killed.
    const status = await eventually(
      () => runHere(['status', '--json'], shared),
      ({ out }) => {
        const { partitions } = JSON.parse(out) as { partitions: { recordsToStore: number | null }[] }
        return partitions.every(({ recordsToStore }) => recordsToStore !== null && recordsToStore < 3)
      },
      60_000,
    )
    expect(status.code).toBe(0)
    const verified = await runWeir(['verify', '--json'], shared)
    expect(JSON.parse(verified.out)).toMatchObject({ ok: true, lines: apps.length * LIMIT })
  }, 180_000)
})
