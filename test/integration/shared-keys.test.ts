import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { type ExportedLine, eventually } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { type RunningRole, startRole } from '../support/running-role.ts'

const KEY = 'c'.repeat(32)
const TOKEN = `sts_${'d'.repeat(40)}`
const clock = systemClock()

let folder: string
let running: RunningRole[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-shared-keys-'))
  running = []
})
afterEach(async () => {
  for (const role of running.toReversed()) await role.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
})

function settings(more: Readonly<Record<string, string>>): Record<string, string> {
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

interface Answer {
  readonly status: number
  readonly batchID: string | undefined
}

async function send({ url }: RunningRole, key: string, line: string): Promise<Answer> {
  const response = await fetch(`${url}/logs/ingest?hostname=h`, {
    method: 'POST',
    headers: { apikey: KEY, 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ lines: [{ line }] }),
  })
  const { batchID } = (await response.json()) as { batchID?: string }
  return { status: response.status, batchID }
}

/** Sends until the answer is this one: other processes learn it some tens of milliseconds after it was given. */
async function expectAnswer(process: RunningRole, key: string, line: string, first: Answer): Promise<void> {
  const isFirst = ({ batchID }: Answer) => batchID === first.batchID
  expect(await eventually(() => send(process, key, line), isFirst)).toEqual(first)
}

async function storedLines(api: RunningRole): Promise<string[]> {
  const range = `from=${clock.wallMs() - DAY_MS}&to=${clock.wallMs() + DAY_MS}&size=10000`
  const response = await fetch(`${api.url}/v2/export?${range}`, {
    headers: { authorization: `Token ${TOKEN}` },
  })
  const { lines } = (await response.json()) as { lines: ExportedLine[] }
  return lines.map(({ _line }) => _line).sort()
}

await describeKafka('idempotency keys at several ingesting processes on Kafka', {}, cluster => {
  test('a repeat gets the first answer at any process, and another body gets 409, even after the first process is killed', async () => {
    const store = await start('store', settings({ WEIR_DATA_DIR: folder, WEIR_STORE_PORT: '0' }))
    const shared = settings({
      KAFKA_BROKERS: cluster.bootstrap.join(),
      KAFKA_TOPIC_PREFIX: `test-${crypto.randomUUID().slice(0, 8)}.`,
      WEIR_PARTITIONS: '2',
      WEIR_SECRET_KEY: 'ab'.repeat(32),
      WEIR_BOOTSTRAP_INGESTION_KEY: KEY,
      WEIR_BOOTSTRAP_ACCESS_TOKEN: TOKEN,
      CLICKHOUSE_URL: store.url,
    })
    const api = await start('api', shared)
    const [one, two] = [await start('ingest', shared), await start('ingest', shared)]

    for (const key of ['plain', 'stream/1']) {
      const first = await send(one, key, key)
      expect(first.status).toBe(200)
      await expectAnswer(two, key, key, first)
      expect((await send(two, key, 'another body')).status).toBe(409)
    }

    const last = await send(one, 'last', 'before the kill')
    await expectAnswer(two, 'last', 'before the kill', last)
    await one.end('SIGKILL')
    const three = await start('ingest', shared)
    for (const process of [two, three]) {
      await expectAnswer(process, 'last', 'before the kill', last)
      expect((await send(process, 'last', 'another body')).status).toBe(409)
    }

    expect(await two.end('SIGTERM')).toBe(0)
    expect((await send(three, 'end', 'end')).status).toBe(200)
    await start('engine', shared)
    const stored = await eventually(
      () => storedLines(api),
      lines => lines.includes('end'),
    )
    expect(stored).toEqual(['before the kill', 'end', 'plain', 'stream/1'])
  }, 120_000)
})
