import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { accessGroups, memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { HOUR_MS } from '../../engine/times/duration.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import { RECEIVED_MS } from '../../test/support/sent-lines.ts'
import type { StoredLines } from '../../test/support/stored-lines.ts'
import type { TestInstallation } from '../../test/support/test-installation.ts'

const SECOND = Math.floor(RECEIVED_MS / 1000)
const EMAIL = 'ann@example.org'
const WEB = 'aaaaaaaaaa'
const ERRORS = 'bbbbbbbbbb'
const NOTHING = 'cccccccccc'
const NOT_SECRET = 'dddddddddd'

let searched: SearchedInstallation
let lines: StoredLines
let weir: TestInstallation
let token: string

beforeAll(async () => {
  searched = await openSearchedInstallation()
  ;({ lines, weir } = searched)
  const { accountId: account } = weir.credentials
  const sent = [
    { line: 'one', app: 'web', level: 'info' },
    { line: 'two', app: 'web', level: 'error' },
    { line: 'three', app: 'db', level: 'error' },
    { line: 'four', app: 'db', level: 'info' },
  ]
  await lines.add(
    sent.map(line => ({ ...line, timestamp: RECEIVED_MS, host: 'h', rest: {} })),
    { account, timeMs: RECEIVED_MS },
  )
  const group = { account, name: 'g', createdAtMs: 0 }
  await weir.write(
    create(accessGroups, WEB, { ...group, accessScopes: 'app:web' }),
    create(accessGroups, ERRORS, { ...group, accessScopes: 'level:error' }),
    create(accessGroups, NOT_SECRET, { ...group, accessScopes: '-class:secret' }),
    create(accessGroups, NOTHING, { ...group, accessScopes: ' ' }),
    create(members, memberKey(account, EMAIL), {
      account,
      email: EMAIL,
      role: 'member',
      groups: [],
      subjectId: 'ann',
      createdAtMs: 0,
    }),
  )
  token = await weir.token({ kind: 'user', subjectId: 'ann', email: EMAIL })
})

afterAll(() => searched.close())

const limitedTo = async (...groups: string[]) => {
  const member = weir.configuration.get(members, memberKey(weir.credentials.accountId, EMAIL))!
  await weir.write(replace(members, member, { ...member.value, role: 'member', groups }))
}

const asAnn = () => ({ authorization: `Token ${token}` })

async function exported(query = '', headers: Record<string, string> = asAnn()): Promise<string[]> {
  const parameters = new URLSearchParams({ from: String(SECOND - 1), to: String(SECOND + 1), query })
  const { body } = await weir.call({ url: `/v1/export?${parameters}`, headers })
  const texts = body.split('\n').filter(text => text !== '')
  return texts.map(text => JSON.parse(text)._line)
}

describe('a search', () => {
  test.each<[string, string[], string, string[]]>([
    ['no group', [], '', ['one', 'two', 'three', 'four']],
    ['one group', [WEB], '', ['one', 'two']],
    ['two groups', [WEB, ERRORS], '', ['one', 'two', 'three']],
    ['a group that shows nothing', [NOTHING], '', []],
    ['that and another', [NOTHING, WEB], '', ['one', 'two']],
    ['a group, asked for what it does not show', [WEB], 'app:db', []],
    ['a group, asked for everything but what it shows', [WEB], '-app:web', []],
    ['a group, asked for any of two', [WEB], 'three OR two', ['two']],
  ])('by a member with %s', async (_name, groups, query, seen) => {
    await limitedTo(...groups)
    expect(await exported(query)).toEqual(seen)
    const { accessToken } = weir.credentials
    if (query === '') expect(await exported(query, { authorization: `Token ${accessToken}` })).toHaveLength(4)
  })

  test('is limited by fields whose names are beyond the limit of a day', async () => {
    const { accountId: account, accessToken } = weir.credentials
    const names = Object.fromEntries(Array.from({ length: 600 }, (_, index) => [`f${index}`, 1]))
    const texts = [names, { class: 'secret' }, { class: 'open' }].map(value => JSON.stringify(value))
    const timestamp = RECEIVED_MS - HOUR_MS
    await lines.add(
      texts.map(line => ({ line, timestamp, host: 'h', rest: {} })),
      { account, timeMs: RECEIVED_MS },
    )
    await limitedTo(NOT_SECRET)
    const range = { from: String(timestamp - 1), to: String(timestamp + 1) }
    const url = (path: string) => `${path}?${new URLSearchParams({ ...range, query: '-f0:1' })}`
    const everything = await weir.call({
      url: url('/v1/export'),
      headers: { authorization: `Token ${accessToken}` },
    })
    expect(everything.body).toContain('secret')
    const first = await weir.call({ url: url('/v1/export'), headers: asAnn() })
    const second = await weir.call({ url: url('/v2/export'), headers: asAnn() })
    const shown = [JSON.parse(first.body), ...second.json().lines].map(record => record._line)
    expect(shown).toEqual([texts[2], texts[2]])
  })

  test('by an admin is not limited', async () => {
    expect(await exported('', { authorization: `Token ${await weir.user('admin')}` })).toHaveLength(4)
  })
})

describe('of lines outside the groups of a member', () => {
  const HIDDEN = 'hidden'
  const HIDDEN_MS = RECEIVED_MS - 2 * HOUR_MS
  let hiddenId: string

  beforeAll(async () => {
    const { accountId: account, accessToken } = weir.credentials
    const names = { app: HIDDEN, host: HIDDEN, level: HIDDEN, tags: [HIDDEN] }
    const line = JSON.stringify({ [HIDDEN]: HIDDEN })
    await lines.add([{ line, timestamp: HIDDEN_MS, rest: {}, ...names }], { account, timeMs: RECEIVED_MS })
    await limitedTo(WEB)
    const parameters = new URLSearchParams({ from: String(HIDDEN_MS), to: String(HIDDEN_MS) })
    const headers = { authorization: `Token ${accessToken}` }
    hiddenId = JSON.parse((await weir.call({ url: `/v1/export?${parameters}`, headers })).body)._id
  })

  /** Usage counts all lines; the list is the rule. */
  const USAGE = [
    '/v1/usage/:kind',
    '/v1/usage/:kind/:name',
    '/v2/usage/:kind',
    '/v2/usage/:kind/:name',
    '/v3/usage/series',
  ]
  const SEARCHES = [
    '/v1/export',
    '/v2/export',
    '/v3/search',
    '/v3/search/context',
    '/v3/search/facet',
    '/v3/search/field',
    '/v3/search/histogram',
    '/v3/search/line/:lineId',
    '/v3/search/value',
  ]

  /** The documentation, a WebSocket, and paths for other routes. */
  const NOT_ASKED = /^\/(?:docs|openapi|ws)|\*/

  /** The address of a route that would show the hidden line. */
  function addressOf(url: string): string {
    const values: Record<string, string> = { kind: 'apps', name: HIDDEN, lineId: hiddenId }
    const path = url.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? '0a1b2c3d4e')
    const range = { from: String(HIDDEN_MS), to: String(RECEIVED_MS) }
    const [fromDay, toDay] = [HIDDEN_MS, RECEIVED_MS].map(ms => new Date(ms).toISOString()) as [
      string,
      string,
    ]
    const parameters: [prefix: string, parameters: Record<string, string>][] = [
      ['/v3/search/context', { line_id: hiddenId }],
      ['/v3/search/line', {}],
      ['/v3/search/histogram', { ...range, by: 'app' }],
      ['/v3/search/facet', { ...range, fields: 'app' }],
      ['/v3/search/value', { ...range, field: 'app' }],
      ['/v3/search', range],
      ['/v1/export', range],
      ['/v2/export', range],
      ['/v1/usage', { from: String(SECOND), to: String(SECOND + 1) }],
      ['/v2/usage', { from: fromDay, to: toDay }],
      ['/v3/usage/series', { ...range, to: String(RECEIVED_MS + HOUR_MS), kind: 'apps' }],
    ]
    const found = parameters.find(([prefix]) => path.startsWith(prefix))?.[1] ?? {}
    return `${path}?${new URLSearchParams(found)}`
  }

  async function showing(headers: Record<string, string>): Promise<string[]> {
    const routes = weir.app.routeTable.routes()
    const shown: string[] = []
    for (const { url, method, reveals } of routes) {
      if (method !== 'GET' || reveals !== undefined || NOT_ASKED.test(url)) continue
      const { body } = await weir.app.inject({ url: addressOf(url), headers })
      if (body.includes(HIDDEN)) shown.push(url)
    }
    return shown.toSorted()
  }

  test('no route shows a name, except usage', async () => {
    const owner = { authorization: `Token ${weir.credentials.accessToken}` }
    expect(await showing(owner)).toEqual([...USAGE, ...SEARCHES].toSorted())
    expect(await showing(asAnn())).toEqual(USAGE)
  })

  test('no route shows a name to a token of the member that can only read, except usage', async () => {
    const reading = await weir.token({ kind: 'user', subjectId: 'ann', email: EMAIL, scope: 'readonly' })
    expect(await showing({ authorization: `Token ${reading}` })).toEqual(USAGE)
  })

  test('no route shows anything to those who can only send lines', async () => {
    const sending = await weir.token({ kind: 'service', scope: 'ingest' })
    expect(await showing({ authorization: `Token ${sending}` })).toEqual([])
    expect(await showing({ apikey: weir.credentials.ingestionKey })).toEqual([])
  })
})

const PIPELINE = '/v3/pipeline/:pipelineId'

/** Every route, except searches and tails, that reveals lines of an account or parts of them. */
const REVEALING = [
  `DELETE ${PIPELINE}/preview/:previewId`,
  'GET /v3/explain',
  `GET ${PIPELINE}/dead-letter`,
  `GET ${PIPELINE}/error`,
  `GET ${PIPELINE}/explain`,
  `GET ${PIPELINE}/metrics`,
  `GET ${PIPELINE}/metrics/live`,
  `GET ${PIPELINE}/preview`,
  `GET ${PIPELINE}/preview/:previewId`,
  `GET ${PIPELINE}/source/:nodeId/tap`,
  `GET ${PIPELINE}/transform/:nodeId/bucket`,
  `GET ${PIPELINE}/transform/:nodeId/bucket/:key`,
  `GET ${PIPELINE}/transform/:nodeId/profile`,
  `GET ${PIPELINE}/transform/:nodeId/tap`,
  'GET /v3/pipeline/dead-letter',
  'GET /v3/pipeline/error',
  'GET /v3/pipeline/error/count',
  'GET /v3/pipeline/metrics',
  `POST ${PIPELINE}/dead-letter/replay`,
  `POST ${PIPELINE}/preview`,
  `POST ${PIPELINE}/publish`,
]

describe('a route that shows every line', () => {
  beforeEach(() => limitedTo(WEB))

  test('is in the list', () => {
    const revealing = weir.app.routeTable
      .routes()
      .filter(({ method, reveals }) => reveals === 'any line' && method !== 'HEAD')
    expect(revealing.map(({ method, url }) => `${method} ${url}`).toSorted()).toEqual(REVEALING)
  })

  test.each(REVEALING)('is refused to members with groups, and allowed to others: %s', async endpoint => {
    const [method, pattern] = endpoint.split(' ') as ['GET', string]
    const url = pattern.replaceAll(/:\w+/g, '0a1b2c3d4e')
    const refused = await weir.call({ method, url, headers: asAnn() })
    expect([refused.statusCode, refused.json().message]).toEqual([
      403,
      'Your groups limit which lines you see, and this is about all lines of the account',
    ])
    expect((await weir.call({ method, url })).statusCode).not.toBe(403)
    await limitedTo()
    expect((await weir.call({ method, url, headers: asAnn() })).statusCode).not.toBe(403)
  })

  test('is refused to a request for a WebSocket, too', async () => {
    const url = '/v3/pipeline/p/source/s/tap'
    const headers = { ...asAnn(), connection: 'upgrade', upgrade: 'websocket' }
    expect((await weir.call({ url, headers })).statusCode).toBe(403)
  })

  test('does not prevent editing pipelines, or simulating own samples', async () => {
    const headers = asAnn()
    const created = await weir.call({ method: 'POST', url: '/v3/pipeline', headers, payload: { title: 't' } })
    expect(created.statusCode).toBe(200)
    const url = `/v3/pipeline/${created.json().data.id}/simulate`
    expect((await weir.call({ method: 'POST', url, headers, payload: { samples: [] } })).statusCode).not.toBe(
      403,
    )
  })
})
