import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { PreviewRecord } from '../../schemas/http/pipeline/preview-api.ts'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

const HOSTS = 12
const APPS = 6
const LIMIT = 2

let weir: RunningWeir
let url: string
let source: string
let limit: string
let sink: string

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()), WEIR_PARTITIONS: '4' })
  url = `/v3/pipeline/${await weir.create('/v3/pipeline', { title: 'limited' })}`
  source = await weir.create(`${url}/source`, { type: 'log-analysis-ingestion' })
  limit = await weir.create(`${url}/transform`, throttle('.app', LIMIT))
  sink = await weir.create(`${url}/sink`, { type: 'log-analysis', inputs: [limit] })
  await weir.send('POST', `${url}/publish`, {})
  await post('before')
  await spread('on')
  for (let host = 0; host < HOSTS; host++) await post(`host-${host}`)
  await eventually(
    () => countedLines(weir),
    counted => counted === APPS * LIMIT,
  )
})
afterAll(() => weir.dispose())

const throttle = (field: string, threshold: number) => ({
  type: 'throttle',
  inputs: [source],
  user_config: { threshold, window_ms: DAY_MS, key_field: field },
})

async function spread(phase: 'on' | 'off'): Promise<void> {
  expect((await runWeir(['spread', phase], weir.environment)).code).toBe(0)
  await eventually(
    () => weir.get<{ data: { phase: string } }>('/v3/account/spread'),
    ({ data }) => data.phase === phase,
  )
}

/** A line of each app. */
async function post(host: string): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const lines = Array.from({ length: APPS }, (_, app) => ({ line: `${host} app-${app}`, app: `app-${app}` }))
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=${host}`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
}

async function previewed(): Promise<PreviewRecord> {
  const { data } = await weir.send<{ data: PreviewRecord }>('POST', `${url}/preview`, { minutes: 30 })
  return vi.waitUntil(
    async () => {
      const preview = (await weir.get<{ data: PreviewRecord }>(`${url}/preview/${data.id}`)).data
      return ['waiting', 'running'].includes(preview.status) ? undefined : preview
    },
    { timeout: 30_000 },
  )
}

const countsOf = ({ result }: PreviewRecord, id: string) => result?.nodes.find(node => node.id === id)

test('a draft of a spread account runs on the lines of all partitions, also after they are gathered again', async () => {
  const lines = (HOSTS + 1) * APPS
  const same = await previewed()
  expect(same).toMatchObject({ status: 'done', progress: { lines } })
  expect(same.progress.records).toBe(same.progress.of_records)
  expect(same.result).toMatchObject({ differing: 0, under_way: 0, assumption: null, samples: [] })
  expect(countsOf(same, limit)?.deployed).toMatchObject({
    events_in: lines,
    events_out: APPS * LIMIT,
    dropped: lines - APPS * LIMIT,
  })
  expect(countsOf(same, limit)?.draft).toEqual(countsOf(same, limit)?.deployed)

  await spread('off')
  await weir.send('PUT', `${url}/transform/${limit}`, throttle('.app', 5))
  const wider = await previewed()
  expect(countsOf(wider, limit)?.draft).toMatchObject({ events_in: lines, events_out: APPS * 5 })
  expect(wider.result).toMatchObject({ differing: APPS * (5 - LIMIT), assumption: null })
  await weir.send('PUT', `${url}/transform/${limit}`, throttle('.hostname', 1))
  const other = await previewed()
  expect(countsOf(other, sink)?.deployed).toMatchObject({ events_in: APPS * LIMIT })
  expect(other.result?.assumption).toMatch(/^The account was on many partitions/)
  // The preview stores nothing.
  expect(await countedLines(weir)).toBe(APPS * LIMIT)
})
