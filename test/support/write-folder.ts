/**
 * Writes the data folder of the running program version into an archive, for the tests of later versions:
 *
 *   node test/support/write-folder.ts test/data/folders/behaviour-N.tar.gz
 *
 * The folder contains an example of everything that this version can do, from several starts. The last one was ended by
 * kill -9 behind acknowledged lines. `expected.json` beside the data lists the expected contents.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { HOUR_MS } from '../../engine/times/duration.ts'
import { eventually, exportedLines } from './exported-lines.ts'
import { RunningWeir } from './running-weir.ts'

interface Named {
  readonly data: { readonly id: string }
}

/** Members that a version does not know are left out, so that every version can write its folder. */
const features = {
  deadLetters: knows('api/pipeline/dead-letters/dead-letter-routes.ts'),
  lineRules: knows('api/line-rules/line-rule-routes.ts'),
  reduce:
    knows('engine/nodes/processors/reduce/reduce.ts') && knows('engine/replay/explain/window-explanation.ts'),
  push: knows('api/ingest/push-routes.ts'),
  unroll: /defineProcessor/.test(textOf('engine/nodes/processors/unroll.ts')),
  words:
    knows('schemas/log/behaviour-numbers.ts') &&
    /SEVENTH_BEHAVIOUR/.test(textOf('schemas/log/behaviour-numbers.ts')),
  options:
    knows('schemas/log/behaviour-numbers.ts') &&
    /NINTH_BEHAVIOUR/.test(textOf('schemas/log/behaviour-numbers.ts')),
  owing:
    knows('schemas/log/behaviour-numbers.ts') &&
    /TENTH_BEHAVIOUR/.test(textOf('schemas/log/behaviour-numbers.ts')),
  memories:
    knows('schemas/log/behaviour-numbers.ts') &&
    /TWELFTH_BEHAVIOUR/.test(textOf('schemas/log/behaviour-numbers.ts')),
  copies:
    knows('schemas/log/behaviour-numbers.ts') &&
    /FOURTEENTH_BEHAVIOUR/.test(textOf('schemas/log/behaviour-numbers.ts')),
}

const [archive] = process.argv.slice(2)
if (archive === undefined) throw new Error('usage: node test/support/write-folder.ts <archive.tar.gz>')
const folder = mkdtempSync(join(tmpdir(), 'weir-folder-'))
const weir = await RunningWeir.start({}, join(folder, 'data'))
try {
  writeFileSync(join(folder, 'expected.json'), JSON.stringify(await write(), null, 1))
  // A copy of a running program may have parts of different moments.
  await weir.end('SIGKILL')
  execFileSync('tar', ['--exclude=*.sock', '-czf', resolve(archive), '-C', folder, 'data', 'expected.json'])
} finally {
  await weir.end('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}

async function write() {
  await ingest(lines('plain', 40))
  await stored(40)
  const pipeline = await throttled()
  if (features.lineRules) {
    const exclusion = { title: 'noise', active: true, indexonly: true, apps: ['noisy'], hosts: [], query: '' }
    await weir.send('POST', '/v1/config/ingestion/exclusions', exclusion)
  }
  await ingest(lines('throttled', 40))
  await stored(50)
  await weir.end('SIGTERM')
  await weir.start()
  if (features.words) await lookForWords()
  if (features.options) await tryFormats()
  if (features.owing) await owe()
  if (features.memories) await remember()
  if (features.deadLetters) await failing()
  if (features.reduce) await gathering()
  if (features.push) await push()
  await weir.send('PUT', `${pipeline.path}/transform/${pipeline.throttle}`, pipeline.node(4))
  await weir.send('POST', `${pipeline.path}/publish`, {})
  await ingest(lines('more', 40))
  await delay(2_500) // Windows end, and the store has everything.
  const records = await exportedLines(weir)
  const nowMs = Date.now()
  const [fromS, toS] = [Math.floor((nowMs - HOUR_MS) / 1000), Math.floor((nowMs + HOUR_MS) / 1000)]
  const usage = await weir.get(`/v1/usage/apps?from=${fromS}&to=${toS}`)
  const last = Array.from({ length: 30 }, (_, index) => ({
    line: `acknowledged ${index}`,
    app: 'last',
    level: 'kept',
  }))
  await ingest(last)
  return { writtenAtMs: nowMs, records, usage, last: last.map(({ line }) => line) }
}

function lines(round: string, count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({
    line:
      index % 3 === 0
        ? `{"round":"${round}","n":${index},"big":90071992547409${93 + index},"deep":{"list":[${index},"a"]}}`
        : `${round} ${index} ünïcode WARN value=${index}`,
    app: `app-${index % 2}`,
    level: index % 4 === 0 ? 'kept' : 'info',
    meta: index % 5 === 0 ? { round, order: index, flag: true } : '',
    ...(index % 7 === 0 && { env: 'test', tags: 'a,b' }),
  }))
}

async function ingest(sent: readonly object[]): Promise<void> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const query = `hostname=web-1&tags=prod,web&ip=10.0.0.1&mac=01:23:45:67:89:ab&now=${Date.now()}`
  const answer = await fetch(`${ingestUrl}/logs/ingest?${query}`, {
    method: 'POST',
    headers: {
      apikey: ingestionKey,
      'content-type': 'application/json',
      'idempotency-key': `folder/${Date.now()}`,
    },
    body: JSON.stringify({ lines: sent }),
  })
  if (!answer.ok) throw new Error(`ingestion: ${answer.status} ${await answer.text()}`)
}

async function stored(count: number): Promise<void> {
  const found = await eventually(
    () => exportedLines(weir),
    records => records.length >= count,
  )
  if (found.length < count) throw new Error(`${found.length} lines are stored where ${count} were to be`)
}

async function add(path: string, body: object): Promise<string> {
  return (await weir.send<Named>('POST', path, body)).data.id
}

async function throttled() {
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'limited' })}`
  const source = await add(`${path}/source`, { type: 'log-analysis-ingestion' })
  const node = (threshold: number) => ({
    type: 'throttle',
    title: `at most ${threshold}`,
    inputs: [source],
    user_config: {
      threshold,
      window_ms: HOUR_MS,
      key_field: '.app',
      exclude: { expressions: [{ field: '.level', str_operator: 'equal', value: 'kept' }] },
    },
  })
  const throttle = await add(`${path}/transform`, node(2))
  await add(`${path}/sink`, { type: 'mezmo', inputs: [throttle], user_config: {} })
  await weir.send('POST', `${path}/publish`, {})
  return { path, throttle, node }
}

/** Lines without the member that their destination needs become dead letters. */
async function failing(): Promise<void> {
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'failing' })}`
  const source = await add(`${path}/source`, { type: 'log-analysis-ingestion' })
  await add(`${path}/sink`, {
    type: 'mezmo',
    inputs: [source],
    user_config: { query: { hostname: '{{ .env }}' } },
  })
  await weir.send('PUT', `${path}/dead-letter`, { enabled: true })
  await weir.send('POST', `${path}/publish`, {})
}

async function gathering(): Promise<void> {
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'gathering' })}`
  const source = await add(`${path}/source`, { type: 'log-analysis-ingestion' })
  const gather = await add(`${path}/transform`, {
    type: 'reduce',
    inputs: [source],
    user_config: {
      duration_ms: 1_000,
      group_by: ['.app'],
      merge_strategies: [{ field: '.line', strategy: 'concat_newline' }],
    },
  })
  await add(`${path}/sink`, { type: 'mezmo', inputs: [gather], user_config: {} })
  await weir.send('POST', `${path}/publish`, {})
}

/** Lines meet many filters, each for one word. Earlier behaviours count that as more than the account may spend. */
async function lookForWords(): Promise<void> {
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'words' })}`
  const filter = (input: string, action: string, expression: object) => {
    const userConfig = { action, conditional: { expressions: [expression] } }
    return add(`${path}/transform`, { type: 'filter', inputs: [input], user_config: userConfig })
  }
  const source = await add(`${path}/source`, { type: 'log-analysis-ingestion' })
  let last = await filter(source, 'allow', { field: '.app', str_operator: 'equal', value: 'words' })
  for (let index = 0; index < 20; index++)
    last = await filter(last, 'drop', {
      field: '.line',
      str_operator: 'regex_match',
      value: `timeout ${index}`.padEnd(44, 'z'),
    })
  await add(`${path}/sink`, { type: 'mezmo', inputs: [last], user_config: {} })
  await weir.send('POST', `${path}/publish`, {})
  await ingest(Array.from({ length: 2_700 }, () => ({ line: 'twenty-one characters', app: 'words' })))
}

/** Times are read by many formats, none of which fits. Since the ninth behaviour that is more than the account may spend. */
async function tryFormats(): Promise<void> {
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'formats' })}`
  const source = await add(`${path}/source`, { type: 'log-analysis-ingestion' })
  const expression = { field: '.app', str_operator: 'equal', value: 'formats' }
  const filter = await add(`${path}/transform`, {
    type: 'filter',
    inputs: [source],
    user_config: { action: 'allow', conditional: { expressions: [expression] } },
  })
  const parsers = Array.from({ length: 1_000 }, () => ({ field: '.line', options: { format: '%F %T' } }))
  const time = await add(`${path}/transform`, {
    type: 'set-timestamp',
    inputs: [filter],
    user_config: { parsers },
  })
  await add(`${path}/sink`, { type: 'mezmo', inputs: [time], user_config: {} })
  await weir.send('POST', `${path}/publish`, {})
  await ingest(Array.from({ length: 700 }, () => ({ line: 'now', app: 'formats' })))
}

/** Lines fail because of their cost until the account owes units, which then decides about the next ones. */
async function owe(): Promise<void> {
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'owing' })}`
  let last = await add(`${path}/source`, { type: 'log-analysis-ingestion' })
  const filterBy = async (action: string, expression: object) => {
    const user_config = { action, conditional: { expressions: [expression] } }
    last = await add(`${path}/transform`, { type: 'filter', inputs: [last], user_config })
  }
  await filterBy('allow', { field: '.app', str_operator: 'equal', value: 'owing' })
  for (const value of ['[^x]{0,60}[ab][^y]{0,60}[^a-d0-9][^0]', '[^x]{0,999}[ab][^y]{0,999}[^a-d0-9][^0]'])
    await filterBy('drop', { field: '.line', str_operator: 'regex_match', value })
  await add(`${path}/sink`, { type: 'mezmo', inputs: [last], user_config: {} })
  await weir.send('POST', `${path}/publish`, {})
  for (let part = 0; part < 3; part++)
    await ingest(
      Array.from({ length: 100 }, (_, index) => ({
        line: index % 10 === 0 ? `${index}` : `${'abcd0123'.repeat(60)}${index}`,
        app: 'owing',
      })),
    )
}

/** Lines pass nodes of each placement of memory, and nodes that change them. */
async function remember(): Promise<void> {
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'memories' })}`
  let last = await add(`${path}/source`, { type: 'log-analysis-ingestion' })
  const then = async (type: string, user_config: object) => {
    last = await add(`${path}/transform`, { type, inputs: [last], user_config })
  }
  const expression = { field: '.app', str_operator: 'equal', value: 'memories' }
  await then('filter', { action: 'allow', conditional: { expressions: [expression] } })
  await then('sample', { rate: 2 })
  await then('dedupe', { fields: ['.line'], number_of_events: 4 })
  await then('map-fields', { mappings: [{ source_field: '.level', target_field: '.tags.level' }] })
  await then('metrics-tag-cardinality-limit', { value_limit: 2, action: 'drop_tag' })
  await then('data-profiler', {
    ...{ app_fields: ['.app'], host_fields: ['.host'], level_fields: ['.level'], line_fields: ['.line'] },
  })
  const profiler = last
  await then('flatten-fields', { fields: ['.tags'] })
  await add(`${path}/sink`, { type: 'mezmo', inputs: [last], user_config: {} })
  await weir.send('POST', `${path}/publish`, {})
  await weir.send('POST', `${path}/transform/${profiler}/profile/reset`, {})
  const pipeline_id = path.split('/').at(-1)
  const state = { operational_state: 'incident' }
  await weir.send('PUT', `/v3/pipeline/state-variable/${pipeline_id}`, { pipeline_id, state })
  await ingest(
    Array.from({ length: 60 }, (_, index) => ({
      line: `remembered ${index % 14}`,
      app: 'memories',
      level: `level ${index % 3}`,
    })),
  )
}

async function push(): Promise<void> {
  const route = await add('/v3/pipeline/gateway-route', { title: 'doors', type: 'http' })
  const key = await weir.send<{ data: { key: string } }>(
    'POST',
    `/v3/pipeline/gateway-route/${route}/access-key`,
    {
      title: 'doors',
      type: 'generated',
    },
  )
  const path = `/v3/pipeline/${await add('/v3/pipeline', { title: 'doors' })}`
  const source = await add(`${path}/source`, { type: 'http', gateway_route_id: route, user_config: {} })
  const unroll = features.unroll
    ? await add(`${path}/transform`, {
        type: 'unroll',
        inputs: [source],
        user_config: { field: '.doors', values_only: false },
      })
    : source
  await add(`${path}/sink`, {
    type: 'mezmo',
    inputs: [unroll],
    user_config: { query: { hostname: 'door' } },
  })
  await weir.send('POST', `${path}/publish`, {})
  const { ingestUrl } = weir.credentials
  const events: object[] = [
    { door: 'north', n: 1 },
    { door: 'south', n: 12345678901 },
    { n: 3, doors: ['east', { name: 'west' }] },
  ]
  // The account owes for the copies of the first list, so the second event fails.
  const long = { n: 4, text: 'x'.repeat(1_000), doors: Array(500).fill('all') }
  if (features.copies) events.push(long, { ...long, n: 5 })
  const answer = await fetch(`${ingestUrl}/v1/${route}`, {
    method: 'POST',
    headers: { authorization: key.data.key, 'content-type': 'application/json' },
    body: JSON.stringify(events),
  })
  if (!answer.ok) throw new Error(`push: ${answer.status} ${await answer.text()}`)
}

function textOf(file: string): string {
  return readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8')
}

function knows(file: string): boolean {
  return existsSync(new URL(`../../${file}`, import.meta.url))
}
