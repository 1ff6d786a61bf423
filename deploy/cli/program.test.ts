import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { commandWorld } from '../../test/support/command-world.ts'
import {
  type HttpStandIn,
  httpStandIn,
  type StandInReply,
  type StandInRequest,
} from '../../test/support/http-stand-in.ts'
import { missingFileSentence } from './connection.ts'
import { runProgram } from './program.ts'

let folder: string
let service: HttpStandIn
let reply: (request: StandInRequest) => StandInReply
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-cli-'))
  reply = () => ({ body: {} })
  service = await httpStandIn(request => reply(request))
})
afterEach(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

async function weir(
  args: readonly string[],
  options: { env?: Record<string, string>; terminal?: boolean } = {},
) {
  const env = options.env ?? { WEIR_URL: service.url, WEIR_ACCESS_TOKEN: 'sts_x', WEIR_DATA_DIR: folder }
  const world = commandWorld({ env, terminal: options.terminal ?? false })
  const code = await runProgram(args, world)
  return { code, out: world.out(), err: world.err() }
}

function credentials(changes: Record<string, unknown> = {}) {
  return {
    apiUrl: service.url,
    ingestUrl: service.url,
    accountId: 'a1b2c3d4e5',
    accessToken: 'sts_local',
    enterpriseAccessToken: 'ste_local',
    ingestionKey: 'ik',
    serviceKey: 'sk',
    ...changes,
  }
}

const writeCredentials = (changes?: Record<string, unknown>) =>
  writeFile(join(folder, 'credentials.json'), JSON.stringify(credentials(changes)))

describe('finding the service', () => {
  test("the local credentials are used when nothing else is said, and WEIR_ACCESS_TOKEN wins over the file's", async () => {
    await writeCredentials()
    reply = () => ({ body: { meta: {}, data: [] } })
    await weir(['pipeline', 'list'], { env: { WEIR_DATA_DIR: folder } })
    await weir(['pipeline', 'list'], { env: { WEIR_DATA_DIR: folder, WEIR_ACCESS_TOKEN: 'sts_given' } })
    expect(service.requests.map(request => request.authorization)).toEqual([
      'Token sts_local',
      'Token sts_given',
    ])
  })

  test("the local token is never sent to another service than the file's", async () => {
    await writeCredentials({ apiUrl: 'http://127.0.0.1:1', ingestUrl: 'http://127.0.0.1:1' })
    const { code, err } = await weir(['usage'], { env: { WEIR_DATA_DIR: folder, WEIR_URL: service.url } })
    expect(code).toBe(3)
    expect(err).toContain('set WEIR_ACCESS_TOKEN, too')
    expect(service.requests).toEqual([])
  })

  test('WEIR_URL of the very same service goes with the local token', async () => {
    await writeCredentials()
    reply = () => ({ body: { meta: {}, data: [] } })
    await weir(['pipeline', 'list'], { env: { WEIR_DATA_DIR: folder, WEIR_URL: `${service.url}/` } })
    expect(service.requests[0]?.authorization).toBe('Token sts_local')
  })

  test.each([
    ['no file', async () => {}, 'npm start'],
    ['a damaged file', () => writeFile(join(folder, 'credentials.json'), '{"apiUrl":"x"}'), 'damaged'],
    ['a file that is no JSON', () => writeFile(join(folder, 'credentials.json'), '{'), 'damaged'],
  ])('%s: 3, with a sentence that says what to do', async (_name, prepare, sentence) => {
    await prepare()
    const { code, err } = await weir(['search', 'x'], { env: { WEIR_DATA_DIR: folder } })
    expect(code).toBe(3)
    expect(err).toContain(sentence)
  })

  test("another user's file: a sentence says whose it is", () => {
    const error = Object.assign(new Error('permission denied'), { code: 'EACCES' })
    expect(missingFileSentence('f', error)).toContain('the user that runs the server')
    expect(missingFileSentence('f', { code: 'ENOENT' })).toContain('npm start')
  })

  test.each([
    ['ftp://x', 2, 'is not an address'],
    ['nonsense', 2, 'is not an address'],
    ['http://127.0.0.1:1', 3, 'cannot be reached'],
  ])('WEIR_URL=%s ends with %i', async (url, expected, sentence) => {
    const { code, err } = await weir(['usage'], { env: { WEIR_URL: url, WEIR_ACCESS_TOKEN: 'x' } })
    expect(code).toBe(expected)
    expect(err).toContain(sentence)
  })

  test('a server that does not run is named, with how to start it', async () => {
    const { url } = service
    await service.close()
    const { code, err } = await weir(['usage'], { env: { WEIR_URL: url, WEIR_ACCESS_TOKEN: 'x' } })
    service = await httpStandIn(request => reply(request))
    expect(code).toBe(3)
    expect(err).toBe(
      `weir: Nothing answers at ${url}. Start the server with "npm start", or set WEIR_URL to where it runs.\n`,
    )
  })

  test.each([
    [401, 3, 'does not accept the credential from WEIR_ACCESS_TOKEN'],
    [403, 3, 'may not do this'],
    [404, 2, 'a reason'],
    [500, 3, 'answered 500'],
  ])('an answer of %i ends with %i', async (status, expected, sentence) => {
    reply = () => ({ status, body: { error: 'a reason', code: 'Code', status: 'error' } })
    const { code, err } = await weir(['usage'])
    expect(code).toBe(expected)
    expect(err).toContain(sentence)
  })

  test('something that is not Weir is told apart', async () => {
    reply = () => ({ body: '<html>' })
    const { code, err } = await weir(['usage'])
    expect(code).toBe(3)
    expect(err).toContain('did not answer with JSON')
  })
})

describe('weir', () => {
  test.each([['--help'], ['ship', '--help'], ['pipeline', '--help'], ['help', 'search']])(
    '%s %s prints examples and ends with 0',
    async (...args) => {
      const { code, out } = await weir(args)
      expect(code).toBe(0)
      expect(out).toContain('Examples:')
    },
  )

  test.each([
    [['serch']],
    [['usage', 'colours']],
    [['search', '--limit', '0']],
    [['search', '--nope']],
    [['pipeline', 'show']],
  ])('%j is wrong use and ends with 2', async args => {
    const { code, err } = await weir(args)
    expect(code).toBe(2)
    expect(err).toContain('--help')
  })
})

describe('weir credentials', () => {
  test('prints them for people and for programs', async () => {
    await writeCredentials()
    const env = { WEIR_DATA_DIR: folder }
    expect(JSON.parse((await weir(['credentials', '--json'], { env })).out)).toEqual(credentials())
    expect((await weir(['credentials'], { env })).out).toMatch(/^Access token +sts_local$/m)
  })
})

describe('weir search', () => {
  const record = (at: number, more: Record<string, unknown> = {}) => ({
    _ts: 1_700_000_000_000 + at,
    _host: 'web-1',
    _app: 'nginx',
    _line: `line ${at}`,
    level: 'ERROR',
    ...more,
  })

  test('prints the newest lines, oldest first, over pages whose parameters stay the same', async () => {
    const pages = [
      { lines: [record(3), record(4)], pagination_id: 'p2' },
      { lines: [record(1), record(2)], pagination_id: 'p3' },
    ]
    reply = request => ({ body: request.url.searchParams.get('pagination_id') ? pages[1] : pages[0] })
    const { code, out } = await weir([
      'search',
      'timeout -ok',
      '--limit',
      '3',
      '--app',
      'a,b',
      '--from',
      '1h',
    ])
    expect(code).toBe(0)
    expect(out).toBe(
      [2, 3, 4].map(at => `2023-11-14T22:13:20.00${at}Z web-1 nginx ERROR line ${at}\n`).join(''),
    )
    const [first, second] = service.requests.map(request => Object.fromEntries(request.url.searchParams))
    expect(first).toEqual({
      from: '1699996400000',
      to: '1700000000000',
      query: 'timeout -ok',
      size: '3',
      prefer: 'tail',
      apps: 'a,b',
    })
    expect(second).toEqual({ ...first, pagination_id: 'p2' })
    expect(service.requests).toHaveLength(2)
  })

  test('with --prefer head takes the oldest, and with --json prints the records with all their digits', async () => {
    reply = () => ({
      body: '{"lines":[{"_ts":1,"id":12345678901234567890},{"_ts":2},{"_ts":3}],"pagination_id":null}',
    })
    const { out } = await weir(['search', '--prefer', 'head', '--limit', '2', '--json'])
    expect(out).toBe('{"_ts":1,"id":12345678901234567890}\n{"_ts":2}\n')
  })

  test('asks for at most 10,000 lines at once', async () => {
    reply = () => ({ body: { lines: [], pagination_id: null } })
    await weir(['search', '--limit', '10001'])
    expect(service.requests[0]?.url.searchParams.get('size')).toBe('10000')
  })

  test('that finds nothing ends with 0, with --fail-if-none with 1', async () => {
    reply = () => ({ body: { lines: [], pagination_id: null } })
    expect((await weir(['search', 'x'])).code).toBe(0)
    expect((await weir(['search', 'x', '--fail-if-none'])).code).toBe(1)
  })

  test('shows `message` where there is one, and control characters instead of obeying them', async () => {
    reply = () => ({
      body: { lines: [record(1, { message: 'a\u001b[31mb\nc\td', level: '' })], pagination_id: null },
    })
    expect((await weir(['search'])).out).toBe('2023-11-14T22:13:20.001Z web-1 nginx a\\x1b[31mb\\nc\td\n')
  })

  test('uses colours on a terminal only, and not with NO_COLOR', async () => {
    reply = () => ({ body: { lines: [record(1)], pagination_id: null } })
    const env = { WEIR_URL: service.url, WEIR_ACCESS_TOKEN: 'x' }
    expect((await weir(['search'], { env, terminal: true })).out).toContain('\u001b[31mERROR')
    expect((await weir(['search'], { env: { ...env, NO_COLOR: '1' }, terminal: true })).out).not.toContain(
      '\u001b',
    )
    expect((await weir(['search'], { env })).out).not.toContain('\u001b')
  })
})

describe('weir usage', () => {
  const answer = (results: unknown) => ({
    body: { from: '2023-11-13T23:59:59.999Z', to: '2023-11-15T00:00:00.000Z', results },
  })

  test('by app: a table of sizes, for today unless said otherwise', async () => {
    reply = () =>
      answer([
        { name: 'web', total_bytes: 1_234_567 },
        { name: 'db', total_bytes: 999 },
      ])
    const { out } = await weir(['usage', 'apps', '--limit', '5', '--retention', '7d'])
    expect(out).toBe(
      'APPS     SIZE      BYTES\nweb   1.23 MB  1,234,567\ndb      999 B        999\n\n2023-11-14 to 2023-11-14 (UTC)\n',
    )
    const [request] = service.requests
    expect(request?.url.pathname).toBe('/v2/usage/apps')
    expect(Object.fromEntries(request!.url.searchParams)).toEqual({
      from: '2023-11-14T00:00:00.000Z',
      to: '2023-11-14T23:59:59.999Z',
      limit: '5',
      retention: '7d',
    })
  })

  test('of one app whose name holds a slash', async () => {
    reply = () => answer([])
    const { out } = await weir(['usage', 'apps', 'a/b ü', '--from', '7d', '--to', 'yesterday'])
    expect(service.requests[0]?.url.pathname).toBe('/v2/usage/apps/a%2Fb%20%C3%BC')
    expect(out).toContain('Nothing was stored')
  })

  test('altogether: what the plan keeps and every pool with data', async () => {
    reply = () => answer({ plan_bytes: 10, restored_bytes: 0, '7d_vr_bytes': 20 })
    const { out } = await weir(['usage'])
    expect(out).toMatch(/kept as the plan says +10 B/)
    expect(out).toMatch(/kept 7d \(pool\) +20 B/)
    expect(out).not.toContain('restored')
  })

  test('as JSON: the answer of the service as it is', async () => {
    reply = () => answer([{ name: 'web', total_bytes: 1 }])
    expect(JSON.parse((await weir(['usage', 'apps', '--json'])).out)).toEqual(
      answer([{ name: 'web', total_bytes: 1 }]).body,
    )
  })
})

describe('weir pipeline', () => {
  const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'
  const pipeline = {
    id: ID,
    title: 'Main',
    published_at: '2026-01-01T00:00:00.000Z',
    has_changes: false,
    processing_status: 'enabled',
  }
  const nodes: Record<string, unknown[]> = {
    source: [
      {
        id: 's',
        type: 'log-analysis-ingestion',
        title: null,
        user_config: {},
        outputs: [{ id: 's', label: 'Default' }],
      },
    ],
    transform: [
      {
        id: 't',
        type: 'throttle',
        title: 'Calm',
        user_config: { limit: 1 },
        inputs: ['r.ab12'],
        outputs: [{ id: 't', label: 'Default' }],
      },
      {
        id: 'r',
        type: 'route',
        title: null,
        user_config: {},
        inputs: ['s'],
        outputs: [
          { id: 'r._unmatched', label: 'Unmatched' },
          { id: 'r.ab12', label: 'errors' },
        ],
      },
    ],
    sink: [{ id: 'k', type: 'blackhole', title: null, user_config: {}, inputs: ['t', 'r._unmatched'] }],
  }

  beforeEach(() => {
    reply = ({ url, method }) => {
      const [, , , id, kind] = url.pathname.split('/')
      if (!id)
        return {
          body: {
            data: [pipeline, { ...pipeline, id: `1${ID.slice(1)}`, title: 'Draft', published_at: null }],
          },
        }
      if (id !== ID) return { status: 404, body: { code: 'ENOTFOUND', message: 'gone', error: 'gone' } }
      if (method === 'POST') return { body: { data: pipeline } }
      return { body: { data: kind ? nodes[kind] : pipeline } }
    }
  })

  test('list shows what runs and what does not', async () => {
    const { out } = await weir(['pipeline', 'list'])
    expect(out).toMatch(new RegExp(`^${ID}  Main   runs   2026-01-01T00:00:00.000Z$`, 'm'))
    expect(out).toMatch(/Draft {2}draft {2}-$/m)
  })

  test('show lists the nodes in the order that events take, and where each gets its events from', async () => {
    const { out } = await weir(['pipeline', 'show', 'Main'])
    const rows = out
      .split('\n')
      .slice(4, 8)
      .map(row => row.split(/ {2,}/).slice(0, 4))
    expect(rows).toEqual([
      ['log-analysis-ingestion', 'source', 'log-analysis-ingestion', '-'],
      ['route', 'transform', 'route', 'log-analysis-ingestion'],
      ['Calm', 'transform', 'throttle', 'route → errors'],
      ['blackhole', 'sink', 'blackhole', 'Calm, route → Unmatched'],
    ])
  })

  test('show --json holds the pipeline and its nodes', async () => {
    const { out } = await weir(['pipeline', 'show', ID, '--json'])
    expect(JSON.parse(out)).toEqual({
      pipeline,
      sources: nodes.source,
      transforms: nodes.transform,
      sinks: nodes.sink,
    })
  })

  test('publish says that it did', async () => {
    const { code, out } = await weir(['pipeline', 'publish', ID, '--allow-unconnected'])
    expect(code).toBe(0)
    expect(out).toBe('Published Main at 2026-01-01T00:00:00.000Z.\n')
    expect(service.requests[0]).toMatchObject({ method: 'POST', body: '{}' })
    expect(service.requests[0]?.url.searchParams.get('allow_unconnected_edges')).toBe('true')
  })

  test('publish without changes is success and says so', async () => {
    const answer = reply
    reply = request =>
      request.method === 'POST'
        ? { status: 409, body: { status: 409, code: 'ENOCHANGES', message: 'no changes' } }
        : answer(request)
    const { code, out } = await weir(['pipeline', 'publish', ID])
    expect(code).toBe(0)
    expect(out).toContain('Nothing to publish: Main has not changed')
  })

  test('publish that is refused names what is wrong and where', async () => {
    reply = () => ({
      status: 400,
      body: {
        status: 400,
        code: 'EVALIDATION',
        message: 'not valid',
        errors: [{ instancePath: '/inputs/0', message: 'must exist' }],
      },
    })
    const { code, err } = await weir(['pipeline', 'publish', ID])
    expect(code).toBe(2)
    expect(err).toContain('not valid (/inputs/0 must exist)')
  })

  test('an id or title that fits none, or two, is told', async () => {
    expect((await weir(['pipeline', 'show', 'Nope'])).err).toContain('There is no pipeline "Nope"')
    expect((await weir(['pipeline', 'show', ''])).err).toContain('may be any of')
  })
})
