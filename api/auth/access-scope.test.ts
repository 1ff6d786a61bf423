import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { create, replace } from '../../engine/configuration/configuration-log.ts'
import { accessGroups, memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { HOUR_MS } from '../../engine/times/duration.ts'
import { RECEIVED_MS } from '../../test/support/sent-lines.ts'
import { openStoredLines, type StoredLines } from '../../test/support/stored-lines.ts'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

const SECOND = Math.floor(RECEIVED_MS / 1000)
const EMAIL = 'ann@example.org'
const WEB = 'aaaaaaaaaa'
const ERRORS = 'bbbbbbbbbb'
const NOTHING = 'cccccccccc'
const NOT_SECRET = 'dddddddddd'

let lines: StoredLines
let weir: TestInstallation
let token: string

beforeAll(async () => {
  lines = await openStoredLines()
  weir = await testInstallation({ store: lines.store })
  weir.clock.setWall(RECEIVED_MS)
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

afterAll(async () => {
  await weir.app.close()
  await lines.close()
})

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

const PIPELINE = '/v3/pipeline/:pipelineId'

/** Every route, except searches and tails, that reveals lines of an account or parts of them. */
const REVEALING = [
  `DELETE ${PIPELINE}/preview/:previewId`,
  `GET ${PIPELINE}/dead-letter`,
  `GET ${PIPELINE}/error`,
  `GET ${PIPELINE}/explain`,
  `GET ${PIPELINE}/preview`,
  `GET ${PIPELINE}/preview/:previewId`,
  `GET ${PIPELINE}/source/:nodeId/tap`,
  `GET ${PIPELINE}/transform/:nodeId/bucket`,
  `GET ${PIPELINE}/transform/:nodeId/bucket/:key`,
  `GET ${PIPELINE}/transform/:nodeId/tap`,
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
