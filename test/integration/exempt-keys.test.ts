import { afterEach, beforeEach, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

const LIMIT = 3
const SENT = 5

interface Bucket {
  readonly key: string | null
  readonly passed: number
  readonly free_from: string | null
  readonly exempt_until: string | null
}

interface Exemption {
  readonly until: string
  readonly in_effect: boolean | null
}

let weir: RunningWeir

beforeEach(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()) })
})

afterEach(() => weir.dispose())

async function post(app: string, text: string): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const lines = Array.from({ length: SENT }, (_, number) => ({ line: `${text} ${number}`, app }))
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
}

test('a key is exempt without a publication, through a kill and a publication, until its time is over', async () => {
  const pipeline = await weir.create('/v3/pipeline', { title: 'limited' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const throttle = await weir.create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    inputs: [source],
    user_config: { threshold: LIMIT, window_ms: DAY_MS, key_field: '.app' },
  })
  await weir.create(`/v3/pipeline/${pipeline}/sink`, { type: 'mezmo', inputs: [throttle], user_config: {} })
  const publish = () => weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  await publish()
  const url = `/v3/pipeline/${pipeline}/transform/${throttle}`
  const exempt = async (time: object) => {
    const body = { key: 'noisy', reason: 'a test', ...time }
    return (await weir.send<{ data: Exemption }>('PUT', `${url}/exemption`, body)).data
  }
  const bucket = async (key: string) => (await weir.get<{ data: Bucket }>(`${url}/bucket/${key}`)).data

  const { until, in_effect: inEffect } = await exempt({ minutes: 60 })
  expect(inEffect).toBe(true)
  await post('noisy', 'exempt')
  await post('quiet', 'first')
  await weir.end('SIGKILL')
  await weir.start()
  await weir.send('PUT', `/v3/pipeline/${pipeline}`, { title: 'limited, renamed' })
  await weir.create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'drop-fields',
    user_config: { fields: ['.none'] },
  })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish?allow_unconnected_edges=true`, {})
  await post('noisy', 'still exempt')
  await post('quiet', 'second')

  expect(await bucket('noisy')).toMatchObject({ passed: 0, free_from: null, exempt_until: until })
  expect(await bucket('quiet')).toMatchObject({ passed: LIMIT, exempt_until: null })
  const { meta, data } = await weir.get<{ meta: { totals: object }; data: Bucket[] }>(`${url}/bucket`)
  expect(data.map(({ key, passed }) => [key, passed])).toEqual([['quiet', LIMIT]])
  expect(meta.totals).toMatchObject({ threshold: LIMIT, window_ms: DAY_MS, buckets: 1 })

  await exempt({ until: new Date(Date.now() + 1_000).toISOString() })
  await eventually(
    () => weir.get<{ data: Exemption[] }>(`${url}/exemption`),
    ({ data: left }) => left.length === 0,
  )
  await post('noisy', 'judged')
  expect(await bucket('noisy')).toMatchObject({ passed: LIMIT, exempt_until: null })

  const expected = 2 * SENT + LIMIT + LIMIT
  await eventually(
    () => countedLines(weir),
    count => count >= expected,
  )
  await weir.end('SIGTERM')
  await weir.start()
  const found = (await exportedLines(weir)).map(({ _app: app, _line: line }) => `${app}: ${line}`)
  const numbered = (text: string, count: number) =>
    Array.from({ length: count }, (_, number) => `${text} ${number}`)
  expect(found.toSorted()).toEqual(
    [
      ...numbered('noisy: exempt', SENT),
      ...numbered('noisy: still exempt', SENT),
      ...numbered('noisy: judged', LIMIT),
      ...numbered('quiet: first', LIMIT),
    ].toSorted(),
  )
})
