import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { CommandLineClient, GAVE_UP } from '../support/clients/command-line-client.ts'
import { CommandLineTail, type TailFilters } from '../support/clients/command-line-tail.ts'
import { exchange } from '../support/clients/exchange.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { lastingPort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'

/** The command-line client that people search, tail and look at their account with, against the real program. */

const NOWHERE = '0123456789'
/** Lines are this far apart, and the last one this long ago. */
const STEP_MS = 10
const AGO_MS = 600_000

let weir: RunningWeir
let client: CommandLineClient
/** Time of the first numbered line, UNIX ms. */
let startMs: number

beforeAll(async () => {
  weir = await RunningWeir.start({
    WEIR_PORT: String(await lastingPort()),
    WEIR_ALLOW_SERVICE_KEY_CREATION: 'on',
    WEIR_MAX_EXPORTS_PER_ACCOUNT: '1',
  })
  client = clientWith(weir.credentials.accessToken)
  startMs = Date.now() - AGO_MS
  const lines = Array.from({ length: 250 }, (_, place) => ({
    line: place % 2 === 0 ? `line ${place}` : `{"message":"line ${place}","odd":true}`,
    app: 'numbered',
    timestamp: startMs + place * STEP_MS,
  }))
  await post(lines)
  await stored('numbered', lines.length)
})

afterAll(() => weir.dispose())

function clientWith(secret: string, timeoutMs = 3_000): CommandLineClient {
  return new CommandLineClient({ origin: weir.credentials.apiUrl, secret, timeoutMs })
}

async function post(lines: readonly object[]): Promise<void> {
  const { ingestUrl: origin, ingestionKey } = weir.credentials
  const path = '/logs/ingest?hostname=web-1&tags=prod'
  const headers = { apikey: ingestionKey }
  const { status } = await exchange({ origin, path, headers, body: JSON.stringify({ lines }) })
  expect(status).toBe(200)
}

async function stored(app: string, count: number): Promise<void> {
  const lines = await eventually(
    () => exportedLines(weir, { apps: app }),
    found => found.length >= count,
  )
  expect(lines).toHaveLength(count)
}

/** The range between two numbered lines, both included. */
function range(first: number, last: number): [number, number] {
  return [startMs + first * STEP_MS, startMs + last * STEP_MS]
}

function numbered(first: number, last: number): string[] {
  return Array.from({ length: last - first + 1 }, (_, place) => `web-1 numbered line ${first + place}`)
}

describe('a search', () => {
  test('shows every line of a period once, page by page from the newest, and ends with the last page', async () => {
    const asking = clientWith(weir.credentials.accessToken)
    expect(await asking.search(range(0, 249))).toEqual([
      ...numbered(150, 249),
      ...numbered(50, 149),
      ...numbered(0, 49),
    ])
    const [from, to] = range(0, 249)
    const first = `/v2/export?from=${from}&prefer=tail&query=_account%3A%2A&size=100&to=${to}`
    expect(asking.requests).toHaveLength(3)
    expect(asking.requests[0]).toBe(first)
    for (const next of asking.requests.slice(1))
      expect(next.replace(/pagination_id=[^&]{1,512}&/, '')).toBe(first)
  })

  test.each([
    [0, 99, 1],
    [0, 100, 2],
    [0, 199, 2],
    [7, 7, 1],
    [300, 301, 1],
  ])('from line %i to line %i takes %i requests', async (first, last, requests) => {
    const asking = clientWith(weir.credentials.accessToken)
    const count = Math.max(0, Math.min(last, 249) - first + 1)
    expect(await asking.search(range(first, last))).toHaveLength(count)
    expect(asking.requests).toHaveLength(requests)
  })

  test('by query and lists shows the matching lines', async () => {
    expect(await client.search(range(0, 9), 'odd:true -"line 3"')).toEqual(
      [1, 5, 7, 9].map(place => `web-1 numbered line ${place}`),
    )
    expect(
      await client.search(range(0, 9), '"line 1"', { apps: 'numbered', hosts: '', tags: 'prod' }),
    ).toEqual(numbered(1, 1))
    expect(await client.search(range(0, 9), '_account:*', { apps: 'other', levels: '' })).toEqual([])
  })

  test('by the older interface shows the newest hundred lines, also by its former names and with a service key', async () => {
    expect(await client.searchOnce(range(0, 249))).toEqual(numbered(150, 249))
    const withKey = clientWith(weir.credentials.serviceKey)
    expect(await withKey.searchOnce(range(0, 9))).toEqual(numbered(0, 9))
    expect(await withKey.search(range(0, 9))).toEqual(numbered(0, 9))
    // This client uses whole seconds.
    expect(await withKey.searchAsBefore(range(0, 249), '"line 13"')).toContain('web-1 numbered line 13')
  })

  test('hides no line, whatever its host is', async () => {
    const line = JSON.stringify({ message: 'tricky', _host: '', _line: '', host: '' })
    const members = [
      {},
      { hostname: '' },
      { host: '' },
      { hostname: null },

      { meta: { _host: '' } },
    ]
    await post(members.map(member => ({ line, app: 'tricky', ...member })))
    await stored('tricky', members.length)
    const found = await client.search([startMs, Date.now() + 1_000], 'app:tricky')
    expect(found).toEqual(members.map(() => 'web-1 tricky tricky'))
  })

  test.each<[string, string, string]>([
    ['an open quote', '"open', '400 BadRequest: "query"'],
    ['nothing after a colon', 'app:', '400 BadRequest: "query"'],
  ])('with %s shows the reason of the refusal', async (_name, query, refusal) => {
    expect(await client.search(range(0, 1), query)).toEqual([expect.stringContaining(refusal)])
    expect(await client.searchOnce(range(0, 1), query)).toEqual([expect.stringContaining(refusal)])
  })

  test.each<[string, () => string]>([
    ['an unknown token', () => `sts_${'0'.repeat(40)}`],
    ['an unknown service key', () => '0'.repeat(32)],
    ['an ingestion key', () => weir.credentials.ingestionKey],
  ])('with %s reports that it is invalid', async (_name, secret) => {
    const shown = await clientWith(secret()).search(range(0, 1))
    expect(shown).toEqual([expect.stringMatching(/^401 NotAuthorized: ./)])
  })

  test('can be interrupted if it takes too long, and does not affect later searches', async () => {
    const impatient = clientWith(weir.credentials.accessToken, 200)
    weir.signal('SIGSTOP')
    onTestFinished(() => weir.signal('SIGCONT'))
    expect(await impatient.search(range(0, 249))).toEqual([GAVE_UP])
    weir.signal('SIGCONT')
    // One export at a time is allowed here.
    const shown = await eventually(
      () => client.search(range(0, 0)),
      lines => lines[0] === numbered(0, 0)[0],
    )
    expect(shown).toEqual(numbered(0, 0))
  })
})

describe('the account', () => {
  const shown = (suspended: boolean) => [
    expect.stringMatching(
      new RegExp(`^${weir.credentials.accountId} \\S.* \\S+@\\S+ \\S+ active ${suspended}$`),
    ) as string,
  ]

  test('is shown with its plan and state, also during a suspension of ingestion', async () => {
    expect(await client.accounts()).toEqual(shown(false))
    const { token } = await weir.send<{ token: string }>('POST', '/v1/config/ingestion/suspend', {})
    await weir.send('POST', '/v1/config/ingestion/suspend/confirm', { token })
    onTestFinished(() => weir.send('POST', '/v1/config/ingestion/resume', {}).then(() => {}))
    expect(await client.accounts()).toEqual(shown(true))
  })

  test('is not shown to a service key: that interface accepts only tokens', async () => {
    const refused = await clientWith(weir.credentials.serviceKey).accounts()
    expect(refused).toEqual([expect.stringMatching(/^401 EUNAUTHORIZED: ./)])
  })
})

describe('views of a category', () => {
  async function category(type: string, name: string): Promise<string> {
    const path = `/v1/config/categories/${type}`
    return (await weir.send<{ id: string }>('POST', path, { name })).id
  }

  test('are found by its id, even if other objects have the same name', async () => {
    await category('boards', 'Team A')
    const views = await category('views', 'Team A')
    await category('views', 'Team B')
    const write = (name: string, categories: string[]) =>
      weir.send('POST', '/v1/config/view', { name, query: 'error', category: categories })
    await write('first', ['TEAM A'])
    await write('second', ['Team B'])
    await write('third', ['team b', 'team a'])
    await write('fourth', [])
    const asking = clientWith(weir.credentials.serviceKey)
    expect(await asking.viewsIn(views)).toEqual(['first', 'third'])
    expect(asking.requests).toEqual([
      `/v1/config/categories/boards/${views}`,
      `/v1/config/categories/screens/${views}`,
      `/v1/config/categories/views/${views}`,
      '/v1/config/view',
    ])
  })

  test('of a category of screens are requested by its name', async () => {
    const screens = await category('screens', 'On the wall')
    const asking = clientWith(weir.credentials.accessToken)
    expect(await asking.viewsIn(screens)).toEqual([])
    expect(asking.requests).toHaveLength(3)
  })

  test.each([NOWHERE, 'x', '%00', '..%2Fviews'])(
    'of %s, which is not a category, are not found',
    async id => {
      expect(await client.viewsIn(id)).toEqual(['There is no such category'])
    },
  )
})

describe('a live tail', () => {
  function tail(filters: TailFilters, secret = weir.credentials.accessToken): CommandLineTail {
    const opened = new CommandLineTail({ origin: weir.credentials.apiUrl, secret, filters })
    onTestFinished(() => opened.stop())
    return opened
  }

  const until = (isSo: () => boolean) => eventually(async () => isSo(), Boolean)

  test('shows lines as they arrive, and again after the server was stopped, killed and restarted', async () => {
    const following = tail({ apps: 'tailed' })
    const sent: string[] = []
    const follow = async (text: string) => {
      await post([
        { line: text, app: 'tailed' },
        { line: `{"message":"${text} again"}`, app: 'tailed' },
        { line: 'another', app: 'not-tailed' },
      ])
      sent.push(`web-1 tailed ${text}`, `web-1 tailed ${text} again`)
      await until(() => following.shown.length >= sent.length)
      expect(following.shown).toEqual(sent)
    }
    await until(() => following.opened === 1)
    await follow('first')
    expect(await weir.end('SIGTERM')).toBe(0)
    await weir.start()
    await until(() => following.opened === 2)
    await follow('after the stop')
    expect(following.closed[0]).toBe(1001)
    await weir.end('SIGKILL')
    await weir.start()
    await until(() => following.opened === 3)
    await follow('after the kill')
    // There was no listener in the meantime.
    expect(new Set(following.closed)).toEqual(new Set([1001, 1006]))
  })

  test('with five empty parameters shows everything', async () => {
    const following = tail({})
    await until(() => following.opened === 1)
    await post([{ line: 'anything', app: 'anything' }])
    await until(() => following.shown.length > 0)
    expect(following.shown).toEqual(['web-1 anything anything'])
  })

  test.each<[string, TailFilters, string | undefined, RegExp]>([
    ['a query that cannot be read', { q: 'a OR' }, undefined, /^400 BadRequest: "query" /],
    ['an unknown token', {}, `sta_${'0'.repeat(40)}`, /^401 NotAuthorized: ./],
  ])('with %s is refused with an answer that can be shown', async (_name, filters, secret, refusal) => {
    const refused = tail(filters, secret)
    await until(() => refused.shown.length > 0)
    expect(refused.shown).toEqual([expect.stringMatching(refusal)])
    expect(refused.opened).toBe(0)
  })
})
