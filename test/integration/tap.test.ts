import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TapMessage } from '../../schemas/http/pipeline/tap-api.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { freePort } from '../support/free-port.ts'
import { lineOf, tapByEvents, tapBySocket } from '../support/opened-tap.ts'
import { RunningWeir } from '../support/running-weir.ts'

let weir: RunningWeir

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PORT: String(await freePort()) })
})

afterAll(() => weir.dispose())

afterEach(async () => {
  const { data } = await weir.get<{ data: { id: string }[] }>('/v3/pipeline')
  for (const { id } of data) await remove(id)
})

async function remove(pipeline: string): Promise<void> {
  const url = `${weir.credentials.apiUrl}/v3/pipeline/${pipeline}`
  const { status } = await fetch(url, { method: 'DELETE', headers: authorization() })
  expect([200, 404]).toContain(status)
}

interface Deployed {
  readonly pipeline: string
  readonly source: string
  readonly filter: string
  readonly sink: string
}

/** ingest → drop debug → own store */
async function deploy(): Promise<Deployed> {
  const pipeline = await weir.create('/v3/pipeline', { title: 'watched' })
  const source = await weir.create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const filter = await weir.create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'filter',
    inputs: [source],
    user_config: {
      action: 'drop',
      conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
    },
  })
  const sink = await weir.create(`/v3/pipeline/${pipeline}/sink`, {
    type: 'mezmo',
    inputs: [filter],
    user_config: {},
  })
  await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  return { pipeline, source, filter, sink }
}

async function post(...lines: object[]): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const response = await fetch(`${ingestUrl}/logs/ingest?hostname=web-1`, {
    method: 'POST',
    headers: { apikey: ingestionKey, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
}

function tapPath({ pipeline, filter }: Deployed, query: Record<string, string> = {}): string {
  return `/v3/pipeline/${pipeline}/transform/${filter}/tap?${new URLSearchParams(query)}`
}

const authorization = () => ({ authorization: `Token ${weir.credentials.accessToken}` })

describe.each([
  ['server-sent events', tapByEvents, { ended: true, stopped: true }],
  ['a WebSocket', tapBySocket, { ended: 1000, stopped: 1001 }],
])('by %s', (_way, open, { ended, stopped }) => {
  test('a tap shows the events that leave the node, marks a publication, and ends at its limit', async () => {
    const deployed = await deploy()
    const tap = await open(weir, tapPath(deployed, { limit: '3' }))
    expect(await tap.next()).toMatchObject({ type: 'revision', revision: 1, deployment: 1, present: true })
    await post({ line: 'a', app: 'x' }, { line: 'no', level: 'debug' }, { line: 'b' })
    expect(await tap.next()).toMatchObject({
      type: 'event',
      output: deployed.filter,
      event: {
        message: { line: 'a', app: 'x', host: 'web-1' },
        metadata: { query: { hostname: 'web-1' } },
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      },
    })
    expect(lineOf(await tap.next())).toBe('b')

    await weir.send('PUT', `/v3/pipeline/${deployed.pipeline}/transform/${deployed.filter}`, {
      type: 'filter',
      inputs: [deployed.source],
      user_config: {
        action: 'allow',
        conditional: { expressions: [{ field: '.level', str_operator: 'equal', value: 'debug' }] },
      },
    })
    await weir.send('POST', `/v3/pipeline/${deployed.pipeline}/publish`, {})
    await post({ line: 'c' }, { line: 'now', level: 'debug' })
    expect(await tap.next()).toMatchObject({ type: 'revision', revision: 2, deployment: 2, present: true })
    expect(lineOf(await tap.next())).toBe('now')
    expect(await tap.next()).toMatchObject({ type: 'end', reason: 'limit', events: 3, skipped: 0 })
    expect(await tap.ended()).toBe(ended)
  })

  test('more than 100 events per second are thinned, every hidden event is counted, and all are stored', async () => {
    const deployed = await deploy()
    const tap = await open(weir, tapPath(deployed, { limit: '1000', seconds: '4' }))
    await tap.next()
    for (let request = 0; request < 6; request++)
      await post(
        ...Array.from({ length: 500 }, (_, index) => ({
          line: `${request}/${index}`,
          app: deployed.pipeline,
        })),
      )
    let shown = 0
    let skipped = 0
    let end: TapMessage | undefined
    for (let message = await tap.next(); message !== undefined; message = await tap.next()) {
      if (message.type === 'event') shown++
      if (message.type === 'skipped') skipped += message.count
      if (message.type === 'end') end = message
    }
    expect(end).toMatchObject({ reason: 'time', events: shown })
    expect(shown).toBeGreaterThanOrEqual(100)
    expect(shown).toBeLessThanOrEqual(500)
    expect(end).toMatchObject({ skipped: 3_000 - shown })
    expect(skipped).toBeLessThanOrEqual(3_000 - shown)
    expect(skipped).toBeGreaterThan(0)
    expect(
      await eventually(
        async () => (await exportedLines(weir, { apps: deployed.pipeline })).length,
        count => count >= 3_000,
      ),
    ).toBe(3_000)
  })

  test('a stop of the program ends a tap at once, with the reason', async () => {
    const tap = await open(weir, tapPath(await deploy()))
    await tap.next()
    const ending = weir.end('SIGTERM')
    expect(await tap.next()).toMatchObject({ type: 'end', reason: 'stopped' })
    expect(await tap.ended()).toBe(stopped)
    expect(await ending).toBe(0)
    expect(weir.output).not.toContain('their connections are closed')
    await weir.start()
  })

  test('a deletion of the pipeline is marked, and ends a tap', async () => {
    const deployed = await deploy()
    const tap = await open(weir, tapPath(deployed))
    await tap.next()
    await remove(deployed.pipeline)
    expect(await tap.next()).toMatchObject({ type: 'revision', revision: null, deployment: 2 })
    expect(await tap.next()).toMatchObject({ type: 'end', reason: 'withdrawn' })
    expect(await tap.ended()).toBe(ended)
  })

  test('a client that disconnects makes room for another', async () => {
    const deployed = await deploy()
    const taps = await Promise.all(Array.from({ length: 10 }, () => open(weir, tapPath(deployed))))
    const refused = () =>
      fetch(`${weir.credentials.apiUrl}${tapPath(deployed, { seconds: '1' })}`, { headers: authorization() })
    const response = await refused()
    expect(response.status).toBe(429)
    expect(await response.json()).toMatchObject({ code: 'ETOOMANYREQUESTS' })
    for (const tap of taps) tap.close()
    const status = async () => {
      const again = await refused()
      await again.body?.cancel()
      return again.status
    }
    expect(await eventually(status, code => code === 200)).toBe(200)
  })
})
