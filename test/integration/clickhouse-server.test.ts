import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serverConnection } from '../../engine/store/server-connection.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import {
  type ClickHouseFront,
  type ClickHouseServer,
  runName,
  serverAtHand,
  startFront,
} from '../support/clickhouse-server.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

const LIMIT = 5
const LINES = 40_000
const WAITS_FOR_SERVER = /does not answer properly: lines are accepted in the meantime/

let folder: string
let weir: RunningWeir | undefined
let front: ClickHouseFront | undefined

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-server-'))
})

afterEach(async () => {
  await weir?.dispose()
  await front?.stop()
  weir = undefined
  front = undefined
  rmSync(folder, { recursive: true, force: true })
})

async function settingsFor({ url, username, password }: ClickHouseServer, database = runName()) {
  return {
    WEIR_PORT: String(await freePort()),
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: username,
    CLICKHOUSE_PASSWORD: password,
    CLICKHOUSE_DATABASE: database,
  }
}

/** Writes a file of distinct lines. @returns its path and its lines */
function linesFile(host: string, count: number): { path: string; lines: string[] } {
  const lines = Array.from(
    { length: count },
    (_, index) => `${host} ${index} took ${index % 97} ms, "grüße" €`,
  )
  const path = join(folder, `${host}.log`)
  writeFileSync(path, `${lines.join('\n')}\n`)
  return { path, lines }
}

async function post(running: RunningWeir, lines: readonly object[]): Promise<number> {
  const { ingestUrl, ingestionKey } = running.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  return response.status
}

/** Every line is found once, in order, and usage has counted their bytes. */
async function expectStoredOnce(running: RunningWeir, lines: readonly string[]): Promise<void> {
  // The store may still be restarting.
  const stored = () => countedLines(running).catch(() => 0)
  await eventually(stored, count => count >= lines.length)
  const found = (await exportedLines(running)).sort((a, b) => (BigInt(a._id) < BigInt(b._id) ? -1 : 1))
  expect(found.map(line => line._line)).toEqual(lines)
  expect(await countedLines(running)).toBe(lines.length)
  const [from, to] = [Date.now() - DAY_MS, Date.now()].map(ms => new Date(ms).toISOString())
  const usage = await running.get<{ results: { plan_bytes: number } }>(`/v2/usage?from=${from}&to=${to}`)
  expect(usage.results.plan_bytes).toBe(lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0))
}

async function readiness(running: RunningWeir): Promise<{ code: number; text: string }> {
  const response = await fetch(`${running.credentials.apiUrl}/readyz`)
  return { code: response.status, text: await response.text() }
}

async function storedRows(running: RunningWeir): Promise<number> {
  const text = await (await fetch(`${running.credentials.apiUrl}/metrics`)).text()
  const rows = [...text.matchAll(/^weir_rows_stored_total(?:\{.*\})? (\d+)$/gm)]
  return rows.reduce((sum, [, value]) => sum + Number(value), 0)
}

/** The program with a real server where there is one, else with the front; the database is removed afterwards. */
const atHand = serverAtHand()
if (atHand === undefined)
  console.warn('INSTEAD of a server the embedded engine behind HTTP: no CLICKHOUSE_URL, no Docker engine')

const title = `the program with ${atHand?.name ?? 'an engine over HTTP'}`

describe(title, () => {
  let server: ClickHouseServer
  const database = runName()

  beforeEach(async () => {
    server = await (atHand?.start() ?? startFront(join(folder, 'store')))
    weir = await RunningWeir.start(await settingsFor(server, database))
  })
  afterEach(async () => {
    await weir?.end('SIGTERM')
    const { url, username, password } = server
    const connection = serverConnection({ url, username, password, database: 'default' })
    await connection.command(`DROP DATABASE IF EXISTS ${database} SYNC`)
    await connection.close()
    await server.stop()
  })

  test('lines are found and counted although the program is killed with kill -9 during shipping, and a throttle is exact', async () => {
    const running = weir as RunningWeir
    const { path, lines } = linesFile('alpha', LINES)
    const shipping = running.ship(path, 'alpha')
    await eventually(
      () => storedRows(running),
      rows => rows > 0,
    )
    await running.end('SIGKILL')
    await running.start()
    expect(await shipping).toMatchObject({ code: 0, summary: { lines: lines.length, refused: 0 } })
    await expectStoredOnce(running, lines)

    await publishThrottle(running)
    const apps = ['a', 'b', 'c']
    for (let round = 0; round < LIMIT + 3; round++) {
      expect(
        await post(
          running,
          apps.map(app => ({ line: `round ${round}`, app })),
        ),
      ).toBe(200)
      if (round === 2) {
        await running.end('SIGKILL')
        await running.start()
      }
    }
    await running.end('SIGTERM')
    await running.start()
    for (const app of apps)
      expect((await exportedLines(running, { apps: app })).map(line => line._line)).toEqual(
        Array.from({ length: LIMIT }, (_, round) => `round ${round}`),
      )
  })
})

async function publishThrottle(running: RunningWeir): Promise<void> {
  const create = async (path: string, body: unknown) =>
    (await running.send<{ data: { id: string } }>('POST', path, body)).data.id
  const pipeline = await create('/v3/pipeline', { title: 'limited' })
  const source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const throttle = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    inputs: [source],
    user_config: { threshold: LIMIT, window_ms: DAY_MS, key_field: '.app' },
  })
  await create(`/v3/pipeline/${pipeline}/sink`, { type: 'mezmo', inputs: [throttle], user_config: {} })
  await running.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
}

describe('a server that is unavailable', () => {
  test('because it is killed while lines arrive, between storing and answering, too; lines are accepted, found and counted once', async () => {
    const port = await freePort()
    front = await startFront(join(folder, 'store'), port, ['--dies-of-insert', '1'])
    const running = await RunningWeir.start({ ...(await settingsFor(front)), LOG_LEVEL: 'error' })
    weir = running
    const sent: string[] = []
    for (const host of ['alpha', 'beta']) {
      const { path, lines } = linesFile(host, LINES)
      sent.push(...lines)
      const before = await storedRows(running)
      const shipping = running.ship(path, host)
      if (host === 'alpha') await front.process.ended()
      else
        await eventually(
          () => storedRows(running),
          rows => rows > before,
        )
      await front.process.kill()
      expect(await readiness(running)).toMatchObject({
        code: 503,
        text: expect.stringContaining('The store does not answer: connect ECONNREFUSED'),
      })
      await expect(exportedLines(running)).rejects.toThrow(/503 .*The store cannot be reached/)
      expect(await shipping).toMatchObject({ code: 0, summary: { lines: lines.length, refused: 0 } })
      front = await startFront(join(folder, 'store'), port)
    }
    await expectStoredOnce(running, sent)
    expect(await readiness(running)).toMatchObject({ code: 200 })
  })

  test('at the start does not prevent accepting lines and a quick stop, and lines are found once it answers', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const running = RunningWeir.prepare(
      await settingsFor({ url, username: 'default', password: '', stop: async () => {} }),
    )
    weir = running
    await running.start(WAITS_FOR_SERVER)
    const listens = () => readiness(running).catch(() => ({ code: 0, text: '' }))
    const state = await eventually(listens, ({ code }) => code !== 0)
    expect(state.code).toBe(503)
    expect(state.text).toContain('The store does not answer: connect ECONNREFUSED')
    const { path, lines } = linesFile('alpha', 3_000)
    expect(await running.ship(path, 'alpha')).toMatchObject({ code: 0 })
    await expect(exportedLines(running)).rejects.toThrow(/503 .*The store cannot be reached/)
    expect(await running.end('SIGTERM')).toBe(0)

    await running.start(WAITS_FOR_SERVER)
    front = await startFront(join(folder, 'store'), port)
    await expectStoredOnce(running, lines)
    expect(await readiness(running)).toMatchObject({ code: 200 })
    // The first start that was ready is the one that says how to begin.
    expect(running.output.match(/^A new account was created: /gm)).toHaveLength(1)
    // The server goes away again while lines are on their way to it.
    await front.process.kill()
    expect(await post(running, [{ line: 'late' }])).toBe(200)
    expect(await running.end('SIGTERM')).toBe(0)
    expect(running.output).not.toContain('stopping took too long')
    front = await startFront(join(folder, 'store'), port)
    await running.start()
    expect(
      await eventually(
        () => countedLines(running),
        count => count > lines.length,
      ),
    ).toBe(lines.length + 1)
  })
})

test('because another program answers 200 at CLICKHOUSE_URL; lines are kept until a server returns', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let page = await answeringPage(port)
  const running = RunningWeir.prepare(
    await settingsFor({ url, username: 'default', password: '', stop: async () => {} }),
  )
  weir = running
  await running.start(WAITS_FOR_SERVER)
  expect(running.output).toContain(`${url} (CLICKHOUSE_URL)`)
  expect(running.output).toContain('the server at this address is not a ClickHouse server')
  const listens = () => readiness(running).catch(() => ({ code: 0, text: '' }))
  expect(await eventually(listens, ({ code }) => code !== 0)).toMatchObject({ code: 503 })
  const first = linesFile('alpha', 2_000)
  expect(await running.ship(first.path, 'alpha')).toMatchObject({ code: 0 })
  await page.stop()
  front = await startFront(join(folder, 'store'), port)
  await expectStoredOnce(running, first.lines)

  await front.process.kill()
  page = await answeringPage(port)
  const second = linesFile('beta', 1_000)
  expect(await running.ship(second.path, 'beta')).toMatchObject({ code: 0 })
  await eventually(
    async () => page.requests(),
    count => count > 0,
  )
  await page.stop()
  front = await startFront(join(folder, 'store'), port)
  await expectStoredOnce(running, [...first.lines, ...second.lines])
})

/** A web server that knows nothing of databases and says 200 to everything. */
async function answeringPage(port: number) {
  let requests = 0
  const server = createServer((request, response) => {
    requests++
    request.resume()
    response.end('<html>hello</html>')
  })
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  return {
    requests: () => requests,
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(resolve))
    },
  }
}

describe('a server that refuses ends the start with a sentence, because of', () => {
  const rules = ['--user', 'weir', '--password', 'right', '--databases-are-given']
  let store: string
  let refusing: ClickHouseFront

  beforeAll(async () => {
    store = mkdtempSync(join(tmpdir(), 'weir-refusing-'))
    refusing = await startFront(join(store, 'store'), 0, rules)
  })
  afterAll(async () => {
    await refusing.stop()
    rmSync(store, { recursive: true, force: true })
  })

  const starting = async (username: string, password: string) =>
    RunningWeir.start(await settingsFor({ ...refusing, username, password }, 'absent'))

  test('the user or the password', async () => {
    const wrong = [
      ['weir', 'wrong'],
      ['default', ''],
    ] as const
    for (const [username, password] of wrong)
      await expect(starting(username, password)).rejects.toThrow(
        `weir: the ClickHouse server at ${refusing.url} (CLICKHOUSE_URL) refuses the user ${username}: ` +
          'check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD',
      )
  })

  test('a missing database that the user cannot create', async () => {
    await expect(starting('weir', 'right')).rejects.toThrow(
      /ended with 2 .*\nweir: .* has no database absent, and the user weir is not allowed to create it: create it, or use another/,
    )
  })

  test('any of them, also when the server was unavailable at the start', async () => {
    const port = await freePort()
    const url = `http://127.0.0.1:${port}`
    const server = { url, username: 'weir', password: 'wrong', stop: async () => {} }
    weir = RunningWeir.prepare(await settingsFor(server))
    await weir.start(WAITS_FOR_SERVER)
    front = await startFront(join(folder, 'store'), port, ['--user', 'weir', '--password', 'right'])
    expect(await weir.ended()).toBe(2)
    expect(weir.output).toMatch(/^weir: .* refuses the user weir/m)
  })
})
