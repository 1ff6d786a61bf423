import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

const LINES = 4_000

let weir: RunningWeir
let url: string
let source: string
let limit: string

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()) })
  url = `/v3/pipeline/${await weir.create('/v3/pipeline', { title: 'limited' })}`
  source = await weir.create(`${url}/source`, { type: 'log-analysis-ingestion' })
  limit = await weir.create(`${url}/transform`, throttle(10))
  await weir.create(`${url}/sink`, { type: 'log-analysis', inputs: [limit] })
  await weir.send('POST', `${url}/publish`, {})
  const { ingestUrl, ingestionKey } = weir.credentials
  for (let batch = 0; batch < 4; batch++) {
    const lines = Array.from({ length: LINES / 4 }, (_, n) => ({
      line: `${batch} ${n}`,
      app: `app-${n % 5}`,
    }))
    const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
      method: 'POST',
      headers: { apikey: ingestionKey, 'content-type': 'application/json' },
      body: JSON.stringify({ lines }),
    })
    expect(response.status).toBe(200)
  }
  await eventually(
    () => countedLines(weir),
    counted => counted === 50,
  )
})
afterAll(() => weir.dispose())

const throttle = (threshold: number) => ({
  type: 'throttle',
  inputs: [source],
  user_config: { threshold, window_ms: DAY_MS, key_field: '.app' },
})

interface Preview {
  readonly id: string
  readonly status: string
  readonly progress: { readonly records: number; readonly of_records: number; readonly lines: number }
  readonly result?: {
    readonly differing: number
    readonly nodes: readonly { readonly id: string; readonly deployed: object; readonly draft: object }[]
    readonly samples: readonly unknown[]
  }
}
const read = async (id: string) => (await weir.get<{ data: Preview }>(`${url}/preview/${id}`)).data

test('a draft runs on the lines of the last minutes, beside the deployed revision', async () => {
  await weir.send('PUT', `${url}/transform/${limit}`, throttle(100))
  const { data } = await weir.send<{ data: Preview }>('POST', `${url}/preview`, { minutes: 30 })
  expect(['running', 'done']).toContain(data.status)
  const done = await vi.waitUntil(
    async () => {
      const preview = await read(data.id)
      return preview.status === 'running' ? undefined : preview
    },
    { timeout: 30_000 },
  )
  expect(done).toMatchObject({ status: 'done', progress: { lines: LINES } })
  expect(done.progress.records).toBeGreaterThan(0)
  expect(done.result?.nodes.find(({ id }) => id === limit)).toMatchObject({
    deployed: { events_in: LINES, events_out: 50, dropped: LINES - 50, failed: 0 },
    draft: { events_in: LINES, events_out: 500, dropped: LINES - 500 },
  })
  expect(done.result).toMatchObject({ differing: 450 })
  expect(done.result?.samples).toHaveLength(20)
  // The preview stores nothing.
  expect(await countedLines(weir)).toBe(50)
  expect((await weir.get<{ data: Preview[] }>(`${url}/preview`)).data.map(({ id }) => id)).toEqual([data.id])
})

test('a cancelled preview ends, and a missing one is reported', async () => {
  const { data } = await weir.send<{ data: Preview }>('POST', `${url}/preview`, {
    minutes: 30,
    revision: '1',
  })
  const { apiUrl, accessToken } = weir.credentials
  const headers = { authorization: `Token ${accessToken}` }
  const cancelled = await fetch(`${apiUrl}${url}/preview/${data.id}`, { method: 'DELETE', headers })
  expect(['cancelled', 'done']).toContain(((await cancelled.json()) as { data: Preview }).data.status)
  expect((await fetch(`${apiUrl}${url}/preview/nothing`, { headers })).status).toBe(404)
  const post = (body: object) =>
    fetch(`${apiUrl}${url}/preview`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  expect((await post({ minutes: 0 })).status).toBe(400)
  expect((await post({ revision: '9' })).status).toBe(404)
})
