import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { runHere } from '../support/command-world.ts'
import { type ExportedLine, eventually } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { runWeir } from '../support/program.ts'
import type { RunningRole } from '../support/running-role.ts'
import { askCluster as ask, INGESTION_KEY, StartedCluster } from '../support/started-cluster.ts'

/** Changes of each of ten clients. */
const ROUNDS = 10

const LIMIT = 7
const clock = systemClock()

let started: StartedCluster

afterAll(() => started?.close())

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
      headers: {
        apikey: INGESTION_KEY,
        'content-type': 'application/json',
        'idempotency-key': `test/${number}`,
      },
      body: JSON.stringify({ lines }),
    })
    if (response.status === 200) return
    expect(response.status).toBe(503)
    await clock.sleep(200)
  }
}

await describeKafka('a cluster of processes on Kafka', {}, kafka => {
  let apis: readonly string[]

  beforeAll(async () => {
    started = await StartedCluster.open(kafka, { KAFKA_SESSION_TIMEOUT_MS: '2000', WEIR_PARTITIONS: '2' })
    apis = [await started.start('api'), await started.start('api')].map(({ url }) => url)
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
    const first = await started.start('engine')
    const ingests = [await started.start('ingest'), await started.start('ingest')]
    // It holds once it is answered, though the engine is another process.
    expect(await publishThrottle(api)).not.toBeNull()
    const apps = Array.from({ length: 20 }, (_, index) => `app-${index}`)
    let second: RunningRole | undefined
    for (let round = 0; round < 12; round++) {
      await send((ingests[round % 2] as RunningRole).url, round, apps)
      // The second attempt, at another process, stores nothing more.
      await send((ingests[(round + 1) % 2] as RunningRole).url, round, apps)
      if (round === 3) second = await started.start('engine')
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
      () => runHere(['status', '--json'], started.environment),
      ({ out }) => {
        const { partitions } = JSON.parse(out) as { partitions: { recordsToStore: number | null }[] }
        return partitions.every(({ recordsToStore }) => recordsToStore !== null && recordsToStore < 3)
      },
      60_000,
    )
    expect(status.code).toBe(0)
    const verified = await runWeir(['verify', '--json'], started.environment)
    expect(JSON.parse(verified.out)).toMatchObject({ ok: true, lines: apps.length * LIMIT })
  }, 180_000)
})
