import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { ExplainedLine } from '../../schemas/http/pipeline/explanation-api.ts'
import { newDice } from '../support/dice.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { runWeir } from '../support/program.ts'
import { askCluster as ask, INGESTION_KEY, StartedCluster } from '../support/started-cluster.ts'

const PARTITIONS = 8
const ENGINES = 4
const KEYS = 10_000
const LIMIT = 3
/** Number of requests. Events between them happen after parts of it, counted in hundred and twentieths. */
const REQUESTS = 120
const requestOf = (part: number) => Math.floor((part * REQUESTS) / 120)
const EXPLAINED = [10, 22, 50, 76, 90, 105, 119]
const LINES_PER_REQUEST = 400
const HOSTS = 40
const clock = systemClock()

let started: StartedCluster

afterEach(() => started?.close())

/** Publishes: everything -> throttle by app -> throttle of all together, that nothing reaches -> own store. @returns its id */
async function publishThrottles(api: string): Promise<string> {
  const create = async (path: string, body: object) =>
    (await ask<{ data: { id: string } }>(`${api}${path}`, 'POST', body)).data.id
  const pipeline = await create('/v3/pipeline', { title: 'limited' })
  const at = (kind: string) => `/v3/pipeline/${pipeline}/${kind}`
  const source = await create(at('source'), { type: 'log-analysis-ingestion' })
  const limited = await create(at('transform'), {
    type: 'throttle',
    inputs: [source],
    user_config: { threshold: LIMIT, window_ms: DAY_MS, key_field: '.app' },
  })
  const all = await create(at('transform'), {
    type: 'throttle',
    inputs: [limited],
    user_config: { threshold: 1_000_000, window_ms: 1_000 },
  })
  await create(at('sink'), { type: 'mezmo', inputs: [all], user_config: {} })
  await ask(`${api}${at('publish')}`, 'POST', {})
  return pipeline
}

/** Some of the lines were spread, and some arrived while memory moved. The process with the API has no engine. */
async function expectExplained(api: string, pipeline: string, batch: string): Promise<void> {
  const explain = async (query: string) =>
    (await ask<{ data: ExplainedLine[] }>(`${api}/v3/pipeline/${pipeline}/explain?${query}`)).data
  const lines = await explain(`batch_id=${batch}`)
  expect(lines).toHaveLength(LINES_PER_REQUEST)
  for (const { stored, pipeline: taken } of lines) {
    const last = taken?.steps.at(-1)
    expect(last?.outcome).toBe(stored.length === 1 ? 'passed' : 'dropped')
    if (stored.length === 0)
      expect(last?.reason).toMatchObject({ rule: 'the bucket is full', threshold: LIMIT })
  }
  const kept = lines.find(({ stored }) => stored.length > 0)
  if (kept !== undefined) expect(await explain(`line_id=${kept.stored[0]?.line_id}`)).toEqual([kept])
}

const setSpread = (api: string, enabled: boolean) => ask(`${api}/v3/account/spread`, 'PUT', { enabled })

async function untilPhase(api: string, wanted: string): Promise<void> {
  const untilMs = clock.monotonicMs() + 60_000
  for (;;) {
    const { data } = await ask<{ data: { phase: string } }>(`${api}/v3/account/spread`)
    if (data.phase === wanted) return
    expect(clock.monotonicMs(), `still ${data.phase}`).toBeLessThan(untilMs)
    await clock.sleep(100)
  }
}

async function storedByKey(api: string): Promise<Map<string, number>> {
  const day = (ms: number) => new Date(clock.wallMs() + ms).toISOString()
  const range = `from=${day(-DAY_MS)}&to=${day(DAY_MS)}&limit=1000000`
  const { results } = await ask<{ results: { name: string; total_bytes: number }[] }>(
    `${api}/v2/usage/apps?${range}`,
  )
  return new Map(results.map(({ name, total_bytes: bytes }) => [name, bytes]))
}

await describeKafka('an account on many partitions of a cluster', {}, kafka => {
  test('every key passes exactly its limit while the account is spread and gathered and engines are killed', async () => {
    started = await StartedCluster.open(kafka, {
      KAFKA_REPLICATION: '1',
      KAFKA_SESSION_TIMEOUT_MS: '6000',
      WEIR_PARTITIONS: String(PARTITIONS),
    })
    const api = await started.start('api')
    const engines = [await started.start('engine')]
    const ingest = await started.start('ingest')
    const pipeline = await publishThrottles(api.url)
    while (engines.length < ENGINES) engines.push(await started.start('engine'))

    const dice = newDice(7)
    const counts = new Map<string, number>()
    let lines = 0
    const batches: string[] = []
    const send = async () => {
      const batch = Array.from({ length: LINES_PER_REQUEST }, () => {
        const app = `key-${dice.below(KEYS)}`
        counts.set(app, (counts.get(app) ?? 0) + 1)
        return { line: String(lines++).padStart(8, '0'), app }
      })
      const response = await fetch(`${ingest.url}/logs/ingest?hostname=host-${dice.below(HOSTS)}`, {
        method: 'POST',
        headers: { apikey: INGESTION_KEY, 'content-type': 'application/json' },
        body: JSON.stringify({ lines: batch }),
      })
      const answer = await response.text()
      expect([response.status, answer]).toEqual([200, expect.any(String)])
      batches.push((JSON.parse(answer) as { batchID: string }).batchID)
    }
    const killAndReplace = async (index: number) => {
      await engines[index]?.end('SIGKILL')
      engines[index] = await started.start('engine')
    }
    let replacing: Promise<void> = Promise.resolve()
    /** Waits for the engines that are being started first: without them some partitions cannot report their part. */
    const untilPhaseOf = async (wanted: string) => {
      await replacing
      await untilPhase(api.url, wanted)
    }
    for (let request = 0; request < REQUESTS; request++) {
      await send()
      if (request === requestOf(20)) await setSpread(api.url, true)
      if (request === requestOf(25)) replacing = killAndReplace(0)
      if (request === requestOf(40)) await untilPhaseOf('on')
      if (request === requestOf(60)) replacing = replacing.then(() => killAndReplace(1))
      if (request === requestOf(75)) await setSpread(api.url, false)
      if (request === requestOf(80)) replacing = replacing.then(() => killAndReplace(ENGINES - 2))
      if (request === requestOf(95)) await untilPhaseOf('off')
      if (request === requestOf(100)) await setSpread(api.url, true)
    }
    await replacing
    const expected = new Map([...counts].map(([key, count]) => [key, 8 * Math.min(LIMIT, count)]))
    const total = (bytes: Map<string, number>) => [...bytes.values()].reduce((sum, each) => sum + each, 0)
    const untilMs = clock.monotonicMs() + 90_000
    while (total(await storedByKey(api.url)) < total(expected)) {
      expect(clock.monotonicMs(), 'all is stored').toBeLessThan(untilMs)
      await clock.sleep(500)
    }
    await clock.sleep(3_000) // One pass too many would come now.
    expect(await storedByKey(api.url)).toEqual(expected)
    for (const part of EXPLAINED) await expectExplained(api.url, pipeline, batches[requestOf(part)] as string)

    for (const engine of engines) await engine.end('SIGTERM')
    const verified = await runWeir(['verify'], started.environment)
    expect(verified.out + verified.err).toMatch(/OK/)
    expect(verified.out).toMatch(/\(keyed\)/)
  }, 480_000)
})
