import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { eventually } from '../support/exported-lines.ts'
import { runWeir } from '../support/program.ts'
import { RunningWeir } from '../support/running-weir.ts'

let weir: RunningWeir
beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_RETENTION_DAYS: '365', WEIR_PARTITIONS: '1' })
})
afterAll(() => weir.dispose())

interface Exported {
  readonly _line: string
  readonly _ts: number
  readonly _retention: number
}

async function send(...lines: object[]): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
}

/** Lines by their text, as soon as there are this many. */
async function found(count: number): Promise<Map<string, Exported>> {
  const toS = Math.ceil(Date.now() / 1000) + 60
  const path = `/v2/export?from=${toS - 400 * 86_400}&to=${toS}`
  const { lines } = await eventually(
    () => weir.get<{ lines: Exported[] }>(path),
    page => page.lines.length >= count,
  )
  return new Map(lines.map(line => [line._line, line]))
}

const metric = async (name: string) => {
  const text = await (await fetch(`${weir.credentials.apiUrl}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1])
}

test('lines are kept as long as the first start, weir retention, or a longer rule says', async () => {
  await weir.send('POST', '/v1/config/retention-rules', {
    name: 'audit',
    priority: 1,
    days: 3_000,
    active: true,
    app: 'audit',
  })
  const nowMs = Date.now()
  await send(
    { line: 'plain', app: 'web' },
    { line: 'long', app: 'audit' },
    { line: 'old', app: 'web', timestamp: nowMs - 200 * DAY_MS },
    { line: 'too old', app: 'web', timestamp: nowMs - 500 * DAY_MS },
  )
  const set = await runWeir(['retention', 'set', '3650'], weir.environment)
  expect([set.code, set.out]).toEqual([0, 'Lines that arrive from now on are kept 3650 days.\n'])
  await send({ line: 'later', app: 'web' })
  const lines = await found(5)
  expect(Object.fromEntries([...lines].map(([text, line]) => [text, line._retention]))).toEqual({
    plain: 365,
    long: 3_000,
    old: 365,
    'too old': 365,
    later: 3_650,
  })
  // A line keeps its own time within the retention. Beyond it, a line gets the time of its arrival and is counted.
  expect(lines.get('old')?._ts).toBe(nowMs - 200 * DAY_MS)
  expect(lines.get('too old')?._ts).toBeGreaterThanOrEqual(nowMs)
  expect(await metric('weir_ingest_retimed_lines_total')).toBe(1)
  expect(await metric('weir_expired_lines_total')).toBe(0)
  const { out } = await runWeir(['usage'], weir.environment)
  expect(out).toMatch(/^kept 3000d \(pool\) +4 B /m)
  const { enterpriseAccessToken, apiUrl, accountId } = weir.credentials
  const account = await fetch(`${apiUrl}/v3/enterprise/account/${accountId}`, {
    headers: { authorization: `Token ${enterpriseAccessToken}` },
  })
  expect(await account.json()).toMatchObject({ data: { retention: 90 } })
})

test('a later start with another setting reports that it has no effect, and the set retention holds, also for verify', async () => {
  await weir.end('SIGTERM')
  await weir.start()
  const warnings = weir.output.split('\n').filter(line => line.includes('WEIR_RETENTION_DAYS is 365'))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('\\"weir retention set 365\\" changes it')
  expect((await runWeir(['retention'], weir.environment)).out).toBe('Lines are kept 3650 days.\n')
  expect((await runWeir(['verify'], weir.environment)).code).toBe(0)
})
