import { afterEach, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { eventually } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { askCluster as ask, INGESTION_KEY, StartedCluster } from '../support/started-cluster.ts'

const PARTITIONS = 4
const APPS = 12
const EXEMPT_APPS = 4
const HOSTS = 20
const LIMIT = 3

interface Bucket {
  readonly key: string | null
  readonly passed: number
  readonly exempt_until: string | null
}

let started: StartedCluster

afterEach(() => started?.close())

function byKey(one: { readonly key: string }, other: { readonly key: string }): number {
  return one.key < other.key ? -1 : 1
}

await describeKafka('exemptions in a cluster', {}, kafka => {
  test('a process without an engine exempts keys of a spread account, and reports the events that each has passed', async () => {
    started = await StartedCluster.open(kafka, {
      KAFKA_REPLICATION: '1',
      KAFKA_SESSION_TIMEOUT_MS: '6000',
      WEIR_PARTITIONS: String(PARTITIONS),
    })
    const api = await started.start('api')
    const engine = await started.start('engine')
    const ingest = await started.start('ingest')

    const create = async (path: string, body: object) =>
      (await ask<{ data: { id: string } }>(`${api.url}${path}`, 'POST', body)).data.id
    const pipeline = await create('/v3/pipeline', { title: 'limited' })
    const at = (path: string) => `/v3/pipeline/${pipeline}/${path}`
    const source = await create(at('source'), { type: 'log-analysis-ingestion' })
    const limit = await create(at('transform'), {
      type: 'throttle',
      inputs: [source],
      user_config: { threshold: LIMIT, window_ms: DAY_MS, key_field: '.app' },
    })
    await create(at('sink'), { type: 'mezmo', inputs: [limit], user_config: {} })
    await ask(`${api.url}${at('publish')}`, 'POST', {})
    const url = `${api.url}${at('transform')}/${limit}`
    for (let app = 0; app < EXEMPT_APPS; app++) {
      const { data } = await ask<{ data: { in_effect: boolean | null } }>(`${url}/exemption`, 'PUT', {
        key: `app-${app}`,
        minutes: 60,
      })
      expect(data.in_effect).toBe(true)
    }
    // Every partition receives the exemptions before the account is spread.
    const spread = `${api.url}/v3/account/spread`
    await ask(spread, 'PUT', { enabled: true })
    const { data } = await eventually(
      () => ask<{ data: { phase: string } }>(spread),
      ({ data: { phase } }) => phase === 'on',
      60_000,
    )
    expect(data.phase).toBe('on')

    const apps = Array.from({ length: APPS }, (_, app) => `app-${app}`)
    const sendAll = async () => {
      for (let host = 0; host < HOSTS; host++) {
        const response = await fetch(`${ingest.url}/logs/ingest?hostname=web-${host}`, {
          method: 'POST',
          headers: { apikey: INGESTION_KEY, 'content-type': 'application/json' },
          body: JSON.stringify({ lines: apps.map(app => ({ line: `line of ${host}`, app })) }),
        })
        expect(response.status).toBe(200)
      }
    }
    const passed = async () => {
      const { data: buckets } = await ask<{ data: Bucket[] }>(`${url}/bucket?limit=100`)
      return buckets.map(({ key, passed: count }) => ({ key: key ?? '', count })).sort(byKey)
    }
    const judged = apps.slice(EXEMPT_APPS)
    const full = judged.map(app => ({ key: app, count: LIMIT })).sort(byKey)
    await sendAll()
    const sum = (found: Awaited<ReturnType<typeof passed>>) =>
      found.reduce((total, { count }) => total + count, 0)
    expect(await eventually(passed, found => sum(found) >= judged.length * LIMIT)).toEqual(full)
    await engine.end('SIGKILL')
    await started.start('engine')
    await sendAll()

    const expected = 2 * HOSTS * EXEMPT_APPS + judged.length * LIMIT
    const counted = async () => {
      const nowS = Math.floor(Date.now() / 1000)
      const range = `from=${nowS - 86_400}&to=${nowS + 60}`
      const totals = await ask<{ name: string; current_total: number }[]>(`${api.url}/v1/usage/apps?${range}`)
      return totals.reduce((sum, { current_total: count }) => sum + count, 0)
    }
    expect(await eventually(counted, count => count >= expected, 60_000)).toBe(expected)
    expect(await passed()).toEqual(full)
    const { data: one } = await ask<{ data: Bucket }>(`${url}/bucket/app-0`)
    expect(one).toMatchObject({ passed: 0, exempt_until: expect.stringMatching(/Z$/) })
  }, 240_000)
})
