import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

const EXCLUSIONS = '/v1/config/ingestion/exclusions'

/** One installation for all tests: the first of them counts every byte that is in it. */
let weir: RunningWeir

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()) })
})
afterAll(() => weir.dispose())

async function post(lines: readonly { line: string; app?: string; level?: string }[]): Promise<string> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
  return ((await response.json()) as { batchID: string }).batchID
}

const texts = async () => (await exportedLines(weir)).map(({ _line: line }) => line)
const whenStored = (line: string) => eventually(texts, found => found.includes(line))

/** Lines that a rule left out, since the program was started. */
async function excluded(node: string): Promise<number> {
  const metrics = await (await fetch(`${weir.credentials.apiUrl}/metrics`)).text()
  const line = new RegExp(
    `^weir_node_events_total\\{pipeline="",node="${node}",outcome="dropped"\\} (\\d+)$`,
    'm',
  )
  return Number(line.exec(metrics)?.[1] ?? 0)
}

async function usage(): Promise<Record<string, number>> {
  const day = new Date().toISOString()
  const { results } = await weir.get<{ results: Record<string, number> }>(`/v2/usage?from=${day}&to=${day}`)
  return results
}

interface Explained {
  readonly summary: string
  readonly stored: readonly unknown[]
  readonly excluded: readonly object[]
}

test('excluded lines are counted and explained but not stored, and other lines go to their pool, also after kill -9', async () => {
  const { id: pipeline } = (
    await weir.send<{ data: { id: string } }>('POST', '/v3/pipeline', { title: 'idle' })
  ).data
  await post([{ line: 'before', app: 'noisy' }])
  const { id } = await weir.send<{ id: string }>('POST', EXCLUSIONS, {
    title: 'noise',
    active: true,
    apps: ['noisy'],
    query: 'healthcheck OR before',
  })
  await weir.send('POST', '/v1/config/retention-rules', {
    name: 'short',
    priority: 1,
    days: 3,
    active: true,
    level: 'debug',
  })
  const batch = await post([
    { line: 'healthcheck 1', app: 'noisy' },
    { line: 'kept', app: 'noisy' },
    { line: 'debugging', app: 'quiet', level: 'debug' },
  ])
  await whenStored('kept')
  expect(await excluded(`exclusion-${id}`)).toBe(1)
  const explained = async () =>
    (await weir.get<{ data: Explained[] }>(`/v3/pipeline/${pipeline}/explain?batch_id=${batch}`)).data
  const first = {
    summary: `The pipeline was not deployed when the line was handled; not stored without it: exclusion rule "noise" (${id}).`,
    stored: [],
    excluded: [{ pipeline_id: null, node_id: null, reason: { rule_id: id } }],
  }
  expect((await explained())[0]).toMatchObject(first)

  await weir.end('SIGKILL')
  await weir.start()
  await post([
    { line: 'healthcheck 2', app: 'noisy' },
    { line: 'after the kill', app: 'noisy' },
  ])
  await whenStored('after the kill')
  expect(await excluded(`exclusion-${id}`)).toBeGreaterThanOrEqual(1) // read again from the log, it counts again
  expect((await explained())[0]).toMatchObject(first)
  await weir.send('PATCH', `${EXCLUSIONS}/${id}`, { active: false })
  await post([{ line: 'healthcheck 3', app: 'noisy' }])
  await whenStored('healthcheck 3')

  const found = await exportedLines(weir)
  expect(found.map(({ _line: line, _retention: days }) => [line, days])).toEqual([
    ['before', 30],
    ['kept', 30],
    ['debugging', 3],
    ['after the kill', 30],
    ['healthcheck 3', 30],
  ])
  const plan = ['before', 'kept', 'after the kill', 'healthcheck 3'].join('').length
  expect(await usage()).toEqual({ plan_bytes: plan, restored_bytes: 0, '3d_vr_bytes': 'debugging'.length })
  const day = new Date().toISOString()
  const inPool = await weir.get<{ results: object[] }>(`/v2/usage/apps?from=${day}&to=${day}&retention=3d`)
  expect(inPool.results).toEqual([{ name: 'quiet', total_bytes: 'debugging'.length }])
}, 120_000)

test('once its daily quota is used up, no line of an account is stored until the limit is raised', async () => {
  const quotas = '/v1/config/usage-quotas'
  await post([{ line: 'the first line' }])
  await whenStored('the first line')
  // Below the stored amount already: it acts at once.
  await weir.send('PUT', quotas, { daily: { limit: 10, discard: true } })
  const inForce = async () =>
    (await weir.get<{ daily: { in_force: { until: string } | null } }>(quotas)).daily.in_force
  const acting = await eventually(inForce, each => each !== null)
  expect(Date.parse(acting?.until as string)).toBe((Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS)
  // The word reaches the partition a moment after it was given.
  let sent = 0
  await eventually(
    async () => {
      await post([{ line: `in vain ${sent++}` }])
      return excluded('quota-daily')
    },
    count => count > 0,
  )
  await weir.end('SIGKILL')
  await weir.start()
  const batch = await post([{ line: 'surely in vain' }])
  await weir.send('PUT', quotas, { daily: { limit: 1_000_000, discard: true } })
  await eventually(inForce, each => each === null)
  await eventually(
    async () => {
      await post([{ line: 'stored again' }])
      return texts()
    },
    found => found.includes('stored again'),
  )
  expect(await texts()).not.toContain('surely in vain')
  const { id } = (await weir.send<{ data: { id: string } }>('POST', '/v3/pipeline', { title: 'idle' })).data
  const { data } = await weir.get<{ data: Explained[] }>(`/v3/pipeline/${id}/explain?batch_id=${batch}`)
  expect(data[0]?.summary).toMatch(/not stored without it: the daily quota is used up\.$/)
}, 120_000)
