import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { replace } from '../../../engine/configuration/configuration-log.ts'
import { accessTokens, pipelines } from '../../../engine/configuration/entities.ts'
import type { NodeTotals } from '../../../engine/fold/node-activity.ts'
import { noCounts } from '../../../engine/graph/node-counters.ts'
import type { LiveMetrics } from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import { type TestInstallation, testInstallation } from '../../../test/support/test-installation.ts'
import { LiveReadings } from './live-counts.ts'

let weir: TestInstallation
let url: string
let ids: { readonly pipeline: string; readonly source: string; readonly route: string; readonly sink: string }
let totals: NodeTotals[]

beforeEach(async () => {
  totals = []
  const { ports } = await testInstallation()
  const status = { workers: [], keyedWorkers: [], troubles: new Map(), expiredLines: 0 }
  const engine = { workerName: 'here/1', status, nodeTotals: () => totals }
  weir = await testInstallation({ system: { ...ports.system, engine } })
  await weir.app.listen({ host: '127.0.0.1', port: 0 })
  ids = await publishRoute()
  const { port } = weir.app.server.address() as AddressInfo
  url = `127.0.0.1:${port}/v3/pipeline/${ids.pipeline}/metrics/live`
})
afterEach(() => weir.app.close())

async function created(path: string, payload: object): Promise<string> {
  const answer = await weir.call({ method: 'POST', url: path, payload })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data.id
}

async function publishRoute() {
  const pipeline = await created('/v3/pipeline', { title: 'p' })
  const path = `/v3/pipeline/${pipeline}`
  const source = await created(`${path}/source`, { type: 'log-analysis-ingestion' })
  const conditional = { expressions: [{ field: '.level', str_operator: 'exists' }] }
  const user_config = { conditionals: [{ label: 'any', conditional }] }
  const route = await created(`${path}/transform`, { type: 'route', inputs: [source], user_config })
  const sink = await created(`${path}/sink`, { type: 'blackhole', inputs: [`${route}._unmatched`] })
  await weir.call({ method: 'POST', url: `${path}/publish?allow_unconnected_edges=true`, payload: {} })
  return { pipeline, source, route, sink }
}

/** Totals of the route on one partition: so many events came in, and left by the connected output. */
function routed(events: number, account = weir.credentials.accountId): NodeTotals {
  const activity = {
    ...noCounts(),
    eventsIn: events,
    bytesIn: 10 * events,
    eventsOut: events,
    bytesOut: 10 * events,
  }
  const outputs = new Map([['_unmatched', { ...noCounts(), eventsOut: events, bytesOut: 10 * events }]])
  return { account, pipeline: ids.pipeline, node: ids.route, activity, outputs, errors: new Map() }
}

const authorization = () => `Token ${weir.credentials.accessToken}`

describe('live counts', () => {
  test('are those of each second, over all partitions of the process', async () => {
    totals = [routed(100), routed(7)]
    const socket = new WebSocket(`ws://${url}`, { headers: { authorization: authorization() } })
    await once(socket, 'open')
    const next = async (): Promise<LiveMetrics> => {
      const message = once(socket, 'message')
      await weir.clock.advanceUntil(message)
      return JSON.parse(String((await message)[0])) as LiveMetrics
    }
    const idle = await next()
    expect([idle.nodes, idle.edges]).toEqual([[], []])
    totals = [routed(103), routed(8), routed(50, '0123456789')]
    const { nodes, edges, type } = await next()
    expect(type).toBe('counts')
    expect(nodes).toMatchObject([{ node: ids.route, events_in: 4, bytes_in: 40, events_out: 4, dropped: 0 }])
    expect(edges).toEqual([{ output: `${ids.route}._unmatched`, node: ids.sink, events: 4, bytes: 40 }])
    // A partition that has left the process takes its counts with it.
    totals = [routed(104)]
    expect((await next()).nodes).toEqual([])
    const closed = once(socket, 'close')
    const { configuration, credentials } = weir
    const [token] = configuration.list(accessTokens).filter(({ value }) => value.kind === 'service')
    expect(credentials.accessToken).toBeDefined()
    if (token !== undefined)
      await configuration.append([replace(accessTokens, token, { ...token.value, expiresAtMs: 1 })], {
        ...{ subjectId: 'x', account: '' },
      })
    await weir.clock.advanceUntil(closed)
    expect((await closed)[0]).toBe(1008)
  })

  test('come as server-sent events to other clients, and end with the pipeline', async () => {
    const response = await fetch(`http://${url}`, { headers: { authorization: authorization() } })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    const reader = (response.body as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    totals = [routed(2)]
    const first = reader.read()
    await weir.clock.advanceUntil(first)
    expect(Buffer.from((await first).value as Uint8Array).toString()).toMatch(
      /^event: counts\ndata: \{"type":"counts".*"events_in":2.*\}\n\n$/,
    )
    await weir.call({ method: 'DELETE', url: `/v3/pipeline/${ids.pipeline}` })
    const last = reader.read()
    await weir.clock.advanceUntil(last)
    expect((await last).done).toBe(true)
  })

  test('of many readers are read from the engine once', () => {
    let [reads, nowMs] = [0, 0]
    const engine = () => {
      reads++
      return [routed(5), routed(3, '0123456789')]
    }
    const readings = new LiveReadings(engine, { monotonicMs: () => nowMs })
    const account = weir.credentials.accountId
    const ends = Array.from({ length: 10 }, () => readings.follow(account, ids.pipeline))
    for (let second = 0; second < 3; second++, nowMs += 1_000)
      for (const _ of ends) {
        const { byOutput } = readings.of(account, ids.pipeline)
        expect([...byOutput.values()].map(({ output, activity }) => [output, activity.eventsOut])).toEqual([
          ['_unmatched', 5],
          ['', 0],
        ])
      }
    expect(reads).toBe(3)
    for (const end of ends) end()
    nowMs += 1_000
    expect(readings.of(account, ids.pipeline).byOutput.size).toBe(0)
  })

  test('are refused where no engine runs, and for unknown pipelines', async () => {
    const path = (id: string) => `/v3/pipeline/${id}/metrics/live`
    expect((await weir.call({ url: path('00000000-0000-4000-8000-000000000000') })).statusCode).toBe(404)
    const { system } = weir.ports
    const other = await testInstallation({ system: { ...system, engine: undefined } })
    const id = (await other.call({ method: 'POST', url: '/v3/pipeline', payload: { title: 'q' } })).json()
      .data.id
    expect((await other.call({ url: path(id) })).statusCode).toBe(503)
    await other.app.close()
  })

  test('are counted for each reader in a turn of its own', async () => {
    const readers = Array.from({ length: 5 }, () =>
      fetch(`http://${url}`, { headers: { authorization: authorization() } }),
    )
    await Promise.all(readers)
    const seen: string[] = []
    const get = weir.configuration.get.bind(weir.configuration)
    vi.spyOn(weir.configuration, 'get').mockImplementation((kind, id) => {
      if (kind.name === pipelines.name) seen.push('reader')
      return get(kind, id)
    })
    weir.clock.advance(1_000)
    while (seen.filter(each => each === 'reader').length < readers.length) {
      await setImmediate()
      seen.push('other work')
    }
    expect(seen.join()).not.toContain('reader,reader')
    for (const reader of readers) await (await reader).body?.cancel()
  })

  async function refusedBeyond(most: number): Promise<unknown> {
    const readers = Array.from({ length: most }, () =>
      fetch(`http://${url}`, { headers: { authorization: authorization() } }),
    )
    for (const reader of readers) expect((await reader).status).toBe(200)
    const refused = await fetch(`http://${url}`, { headers: { authorization: authorization() } })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    for (const reader of readers) await (await reader).body?.cancel()
    return ((await refused.json()) as { message: unknown }).message
  }

  test('are refused beyond the limit of an account', async () => {
    const { maxTapsPerAccount: most } = weir.ports.settings
    expect(await refusedBeyond(most)).toMatch(
      /^The account has 10 live counts open in this process: close one/,
    )
  })

  test('are refused beyond the limit of the process, whatever accounts may read', async () => {
    const { system, settings } = weir.ports
    await weir.app.close()
    weir = await testInstallation({ system, settings: { ...settings, maxTapsPerAccount: 1_000 } })
    await weir.app.listen({ host: '127.0.0.1', port: 0 })
    ids = await publishRoute()
    const { port } = weir.app.server.address() as AddressInfo
    url = `127.0.0.1:${port}/v3/pipeline/${ids.pipeline}/metrics/live`
    expect(await refusedBeyond(100)).toMatch(/^This process has 100 live counts open: close one/)
  })
})
