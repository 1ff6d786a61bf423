import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { ExplainedLine, ExplainedStepRecord } from '../../schemas/http/pipeline/explanation-api.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

const HOSTS = 12
const APPS = 6
const LIMIT = 2

let weir: RunningWeir
let pipeline: string
let limit: string
/** Answers to requests, by host. */
const batches: string[] = []

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()), WEIR_PARTITIONS: '4' })
  pipeline = await weir.create('/v3/pipeline', { title: 'limited' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  limit = await weir.create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    title: 'limit',
    inputs: [source],
    user_config: { threshold: LIMIT, window_ms: DAY_MS, key_field: '.app' },
  })
  await weir.create(`/v3/pipeline/${pipeline}/sink`, { type: 'log-analysis', inputs: [limit] })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  await post('before')
  expect((await runWeir(['spread', 'on'], weir.environment)).code).toBe(0)
  await eventually(
    () => weir.get<{ data: { phase: string } }>('/v3/account/spread'),
    ({ data }) => data.phase === 'on',
  )
  for (let host = 0; host < HOSTS; host++) batches.push(await post(`host-${host}`))
})
afterAll(() => weir.dispose())

/** A line of each app. */
async function post(host: string): Promise<string> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const lines = Array.from({ length: APPS }, (_, app) => ({ line: `${host} app-${app}`, app: `app-${app}` }))
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=${host}`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  return ((await response.json()) as { batchID: string }).batchID
}

const explain = async (query: string) =>
  (await weir.get<{ data: ExplainedLine[] }>(`/v3/pipeline/${pipeline}/explain?${query}`)).data
const messageOf = ({ event }: ExplainedLine) => event.message as JsonObject
const stepsOf = ({ pipeline: found }: ExplainedLine): readonly ExplainedStepRecord[] => found?.steps ?? []

test('lines of a spread account are explained up to the partition that counts their key, also after kill -9', async () => {
  const stored = await eventually(
    () => exportedLines(weir),
    found => found.length === APPS * LIMIT,
  )
  await weir.end('SIGKILL')
  await weir.start()
  const lines = (await Promise.all(batches.map(batch => explain(`batch_id=${batch}`)))).flat()
  expect(lines).toHaveLength(HOSTS * APPS)
  const ids = new Map(stored.map(({ _line, _id }) => [_line, _id]))
  for (const line of lines) {
    const id = ids.get(messageOf(line).line as string)
    expect(line.stored.map(each => each.line_id)).toEqual(id === undefined ? [] : [id])
    const [, moved, judged] = stepsOf(line)
    expect(moved).toMatchObject({ node_id: limit, outcome: 'moved' })
    expect(judged).toMatchObject({
      node_id: limit,
      outcome: id === undefined ? 'dropped' : 'passed',
      place: expect.stringMatching(/^weir\.keyed\/[0-3]\/\d+$/),
    })
    if (id !== undefined) {
      expect(line.summary).toBe('Revision 1: stored once.')
      expect(await explain(`line_id=${id}`)).toEqual([line])
      continue
    }
    expect(line.summary).toBe(`Revision 1: dropped by throttle "limit" (${limit}): the bucket is full.`)
    // One of them before the account was spread: the memory has moved with its key.
    expect(judged?.reason).toMatchObject({ bucket: messageOf(line).app, threshold: LIMIT })
    expect(passedIn(judged?.reason)).toBe(LIMIT)
  }
  // Hosts are on several partitions, keys on several others.
  const partitionsOf = (places: (string | undefined)[]) => new Set(places.map(place => place?.split('/')[1]))
  expect(partitionsOf(lines.map(({ place }) => place)).size).toBeGreaterThan(1)
  expect(partitionsOf(lines.map(line => stepsOf(line).at(-1)?.place)).size).toBeGreaterThan(1)

  const found = await runWeir(
    ['explain', pipeline, '--query', 'app:app-1', '--limit', '100', '--json'],
    weir.environment,
  )
  const printed = found.out
    .trim()
    .split('\n')
    .map(text => JSON.parse(text) as ExplainedLine)
  expect(printed).toHaveLength(HOSTS + 1)
  expect(printed).toEqual(expect.arrayContaining(lines.filter(line => messageOf(line).app === 'app-1')))
})

function passedIn(reason: object | undefined): number {
  const { passed } = reason as { readonly passed: readonly { readonly count: number }[] }
  return passed.reduce((sum, { count }) => sum + count, 0)
}
