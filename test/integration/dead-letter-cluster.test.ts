import { afterEach, expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { parseLineId } from '../../schemas/log/position.ts'
import { eventually } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { runWeir } from '../support/program.ts'
import type { RunningRole } from '../support/running-role.ts'
import { askCluster as ask, INGESTION_KEY, StartedCluster } from '../support/started-cluster.ts'

const PARTITIONS = 4
const REQUESTS = 40
const LINES_PER_REQUEST = 50
const HOSTS = 40

interface Letter {
  readonly id: string
  readonly replayed_at: string | null
  readonly event: { readonly message: { readonly line: string } }
}

let started: StartedCluster

afterEach(() => started?.close())

async function post(ingest: RunningRole, host: string, lines: readonly object[]): Promise<void> {
  const response = await fetch(`${ingest.url}/logs/ingest?hostname=${host}`, {
    method: 'POST',
    headers: { apikey: INGESTION_KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ lines }),
  })
  expect(response.status).toBe(200)
}

async function listed(url: string): Promise<Letter[]> {
  const letters: Letter[] = []
  for (let cursor = ''; ; ) {
    const { meta, data } = await ask<{ meta: { page: { next: string | null } }; data: Letter[] }>(
      `${url}?limit=200${cursor}`,
    )
    letters.push(...data)
    if (meta.page.next === null) return letters
    cursor = `&cursor=${meta.page.next}`
  }
}

async function storedLines(api: RunningRole): Promise<string[]> {
  const found: string[] = []
  const range = `from=${Date.now() - DAY_MS}&to=${Date.now() + DAY_MS}&prefer=head&size=10000`
  for (let page = ''; ; ) {
    const { lines, pagination_id: next } = await ask<{
      lines: { _line: string }[]
      pagination_id: string | null
    }>(`${api.url}/v2/export?${range}${page}`)
    found.push(...lines.map(({ _line }) => _line))
    if (next === null) return found
    page = `&pagination_id=${next}`
  }
}

await describeKafka('dead letters of a cluster', {}, kafka => {
  test('failures on all partitions are one letter each, and replayed once, while engines are killed', async () => {
    started = await StartedCluster.open(kafka, {
      KAFKA_REPLICATION: '1',
      KAFKA_SESSION_TIMEOUT_MS: '6000',
      WEIR_PARTITIONS: String(PARTITIONS),
    })
    const api = await started.start('api')
    const engines = [await started.start('engine'), await started.start('engine')]
    const ingest = await started.start('ingest')

    const create = async (path: string, body: object) =>
      (await ask<{ data: { id: string } }>(`${api.url}${path}`, 'POST', body)).data.id
    const pipeline = await create('/v3/pipeline', { title: 'by machine' })
    const at = (path: string) => `/v3/pipeline/${pipeline}/${path}`
    const source = await create(at('source'), { type: 'log-analysis-ingestion' })
    const limit = await create(at('transform'), {
      type: 'throttle',
      inputs: [source],
      user_config: { threshold: 1_000_000, window_ms: 1_000, key_field: '.app' },
    })
    const sink = await create(at('sink'), {
      type: 'mezmo',
      inputs: [limit],
      user_config: { query: { hostname: '{{ .machine }}' } },
    })
    await ask(`${api.url}${at('publish')}`, 'POST', {})
    const url = `${api.url}${at('dead-letter')}`
    await ask(url, 'PUT', { enabled: true })
    const spread = `${api.url}/v3/account/spread`
    await ask(spread, 'PUT', { enabled: true })
    const { data } = await eventually(
      () => ask<{ data: { phase: string } }>(spread),
      ({ data: { phase } }) => phase === 'on',
      60_000,
    )
    expect(data.phase).toBe('on')

    const sent: string[] = []
    const failing: string[] = []
    for (let request = 0; request < REQUESTS; request++) {
      const lines = Array.from({ length: LINES_PER_REQUEST }, (_, index) => ({
        line: `line ${request} ${index}`,
        // There are enough keys that each partition has some.
        app: `app-${request % 10}-${index}`,
        ...(index % 2 === 0 && { machine: 'm-1' }),
      }))
      sent.push(...lines.map(({ line }) => line))
      failing.push(...lines.filter(line => !('machine' in line)).map(({ line }) => line))
      await post(ingest, `host-${request % HOSTS}`, lines)
      if (request % 15 === 10) {
        await engines.shift()?.end('SIGKILL')
        engines.push(await started.start('engine'))
      }
    }
    const letters = await eventually(
      () => listed(url),
      found => found.length >= failing.length,
      60_000,
    )
    expect(letters.map(({ event }) => event.message.line).toSorted()).toEqual(failing.toSorted())

    expect(new Set(letters.map(({ id }) => parseLineId(id)?.partition)).size).toBe(PARTITIONS)

    await ask(`${api.url}${at(`sink/${sink}`)}`, 'PUT', { inputs: [limit], user_config: {} })
    await ask(`${api.url}${at('publish')}`, 'POST', {})
    await ask(`${url}/replay`, 'POST', { ids: letters.slice(0, 300).map(({ id }) => id) })
    await engines.shift()?.end('SIGKILL')
    await Promise.all([ask(`${url}/replay`, 'POST', {}), ask(`${url}/replay`, 'POST', {})])
    const open = await eventually(
      async () => (await listed(url)).filter(({ replayed_at: replayedAt }) => replayedAt === null),
      found => found.length === 0,
      60_000,
    )
    expect(open).toEqual([])
    await ask(`${url}/replay`, 'POST', {})
    const stored = await eventually(
      () => storedLines(api),
      found => found.length >= sent.length,
      60_000,
    )
    expect(stored.toSorted()).toEqual(sent.toSorted())
    for (const engine of engines) await engine.end('SIGTERM')
    expect(await runWeir(['verify'], started.environment)).toMatchObject({ code: 0 })
  }, 240_000)
})
