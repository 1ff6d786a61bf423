import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fullFieldDaysBlock } from '../../engine/fold/tables/full-field-days.ts'
import type { LineSearch } from '../../engine/store/search/line-selection.ts'
import type { Store } from '../../engine/store/store.ts'
import { StoreError } from '../../engine/store/store.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { FOUND_ROW } from '../../test/support/found-row.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import { RECEIVED_MS } from '../../test/support/sent-lines.ts'
import type { StoredLines } from '../../test/support/stored-lines.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const SECOND = Math.floor(RECEIVED_MS / 1000)
const LINES = 30

let searched: SearchedInstallation
let lines: StoredLines
let weir: TestInstallation
let account: string

beforeAll(async () => {
  searched = await openSearchedInstallation()
  ;({ lines, weir, account } = searched)
  // Several parts, and three lines for each millisecond, so that ids decide about order.
  for (const record of [2, 0, 1])
    await lines.add(
      Array.from({ length: LINES / 3 }, (_, index) => ({
        line: `line ${record}-${index}`,
        timestamp: RECEIVED_MS + index,
        app: index % 2 === 0 ? 'even' : 'odd',
        level: index % 2 === 0 ? 'info' : 'error',
        host: `web-${record}`,
        rest: { tags: [`record-${record}`] },
      })),
      { account, timeMs: RECEIVED_MS + record },
    )
  await lines.add([{ line: 'of somebody else' }], { account: '0000000000' })
})

afterAll(() => searched.close())

interface Page {
  readonly lines: { readonly _id: string; readonly _ts: number; readonly _line: string }[]
  readonly pagination_id: string | null
}

interface Refusal {
  readonly error: string
  readonly code: string
  readonly status: string
  readonly details?: { readonly message: string; readonly key: string }[]
}

const ALL = { from: String(SECOND), to: String(SECOND + 60) }

function get(path: string, parameters: Readonly<Record<string, string>>) {
  return weir.call({ url: `${path}?${new URLSearchParams(parameters)}` })
}

async function exported(parameters: Readonly<Record<string, string>>): Promise<string[]> {
  const answer = await get('/v1/export', { ...ALL, ...parameters })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.body
    .split('\n')
    .slice(0, -1)
    .map(line => (JSON.parse(line) as Page['lines'][0])._line)
}

async function page(parameters: Readonly<Record<string, string>>): Promise<Page> {
  const answer = await get('/v2/export', { ...ALL, ...parameters })
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json<Page>()
}

async function pages(parameters: Readonly<Record<string, string>>): Promise<Page[]> {
  const found = [await page(parameters)]
  for (let last = found[0]; last?.pagination_id != null; last = found.at(-1))
    found.push(await page({ ...parameters, pagination_id: last.pagination_id }))
  return found
}

async function refusal(path: string, parameters: Readonly<Record<string, string>>): Promise<Refusal> {
  const answer = await get(path, parameters)
  expect(answer.statusCode, answer.body).toBe(400)
  return answer.json<Refusal>()
}

/** The expected order of the lines above: time first, then the place in the log. */
const IN_ORDER = Array.from({ length: LINES }, (_, at) => `line ${at % 3}-${Math.floor(at / 3)}`)

describe('GET /v1/export', () => {
  test('returns one record per line of text, ascending by time and id, and none of another account', async () => {
    const answer = await get('/v1/export', ALL)
    expect(answer.headers['content-type']).toBe('application/x-ndjson')
    expect(answer.body.endsWith('}\n')).toBe(true)
    expect(await exported({})).toEqual(IN_ORDER)
  })

  test('gives an empty body when nothing is found', async () => {
    const answer = await get('/v1/export', { ...ALL, query: 'nothing' })
    expect([answer.statusCode, answer.body]).toEqual([200, ''])
  })

  test('returns the newest lines unless the oldest are preferred, always in ascending order', async () => {
    expect(await exported({ size: '4' })).toEqual(IN_ORDER.slice(-4))
    expect(await exported({ size: '4', prefer: 'tail' })).toEqual(IN_ORDER.slice(-4))
    expect(await exported({ size: '4', prefer: 'head' })).toEqual(IN_ORDER.slice(0, 4))
  })

  test('includes both bounds, to the millisecond', async () => {
    const bounds = (from: number, to: number) => exported({ from: String(from), to: String(to) })
    expect(await bounds(RECEIVED_MS + 3, RECEIVED_MS + 4)).toEqual(IN_ORDER.slice(9, 15))
    expect(await bounds(RECEIVED_MS + 3, RECEIVED_MS + 3)).toEqual(IN_ORDER.slice(9, 12))
    expect(await bounds(RECEIVED_MS - 5, RECEIVED_MS - 1)).toEqual([])
    expect(await bounds(RECEIVED_MS + 10, RECEIVED_MS + 20)).toEqual([])
  })

  test('reads bounds by their magnitude, and includes a second as a whole', async () => {
    const bounds = (from: number | bigint, to: number | bigint) =>
      exported({ from: String(from), to: String(to) })
    expect(await bounds(SECOND, SECOND)).toEqual(IN_ORDER)
    expect(await bounds(SECOND + 1, SECOND + 1)).toEqual([])
    expect(await bounds(RECEIVED_MS * 1000, (RECEIVED_MS + 1) * 1000)).toEqual(IN_ORDER.slice(0, 6))
    expect(await bounds(BigInt(RECEIVED_MS) * 1_000_000n, BigInt(RECEIVED_MS) * 1_000_000n)).toEqual(
      IN_ORDER.slice(0, 3),
    )
    expect(await bounds(0, SECOND)).toEqual(IN_ORDER)
    expect(await bounds(-5, 10n ** 18n * 9n)).toEqual(IN_ORDER)
  })

  test('joins lists and query with AND, names of one list with OR', async () => {
    expect(await exported({ hosts: 'web-0', apps: 'odd', levels: '', tags: '' })).toEqual(
      IN_ORDER.filter(line => /0-[13579]/.test(line)),
    )
    expect(await exported({ hosts: 'web-0,web-2,,', query: 'app:even' })).toEqual(
      IN_ORDER.filter(line => /[02]-[02468]/.test(line)),
    )
    expect(await exported({ hosts: 'web' })).toEqual([])
    expect(await exported({ apps: 'EVEN' })).toEqual([])
    expect(await exported({ levels: 'Error,x' })).toEqual(IN_ORDER.filter(line => /[13579]$/.test(line)))
    expect(await exported({ levels: 'err' })).toEqual([])
    expect(await exported({ tags: 'record-1,x' })).toEqual(IN_ORDER.filter(line => line.includes(' 1-')))
    expect(await exported({ tags: 'record' })).toEqual([])
    expect(await exported({ hosts: "' OR 1=1 --" })).toEqual([])
  })

  test('accepts q in place of query, and q takes precedence', async () => {
    expect(await exported({ q: '"0-5"' })).toEqual(['line 0-5'])
    expect(await exported({ q: '"0-5"', query: '"1-5"' })).toEqual(['line 1-5'])
  })

  test('hides lines past their retention', async () => {
    await lines.add([{ line: 'short' }], { account, timeMs: RECEIVED_MS - DAY_MS, retentionDays: 1 })
    try {
      expect(await exported({ query: 'short' })).toEqual(['short'])
      weir.clock.setWall(RECEIVED_MS + 1)
      expect(await exported({ query: 'short' })).toEqual([])
    } finally {
      weir.clock.setWall(RECEIVED_MS)
    }
  })

  test('does not send e-mail', async () => {
    expect((await refusal('/v1/export', { ...ALL, email: 'a@example.org' })).error).toBe(
      'E-mail export is not supported',
    )
    expect(await exported({ email: '', emailSubject: 'x' })).toContain('line 0-0')
  })
})

describe('the way in which lines are found', () => {
  test.each([
    ['order', {}],
    ['order', { query: '*' }],
    ['index', { query: '==record-checkout' }],
    ['index', { query: 'line ==trace42', apps: 'even' }],
    ['index', { query: 'line' }],
    ['scan', { query: 'a' }],
    ['scan', { apps: 'even' }],
    ['scan', { query: '-==checkout' }],
  ])('is in a header: %s for %j', async (access, parameters) => {
    for (const path of ['/v1/export', '/v2/export'])
      expect((await get(path, { ...ALL, ...parameters })).headers['x-weir-search'], path).toBe(access)
  })
})

describe('GET /v2/export', () => {
  const OURS = { query: 'line' }

  test.each([
    ['head', [1, 7, 15, 29, 30, 31]],
    ['tail', [2, 7, 10, 29, 30, 31]],
  ] as const)('has pages of every size that contain every line once: %s', async (prefer, sizes) => {
    for (const size of sizes) {
      const found = await pages({ ...OURS, prefer, size: String(size) })
      expect(found).toHaveLength(Math.ceil(LINES / size))
      const inOrder = prefer === 'head' ? found : found.toReversed()
      expect(
        inOrder.flatMap(({ lines }) => lines.map(({ _line }) => _line)),
        `size ${size}`,
      ).toEqual(IN_ORDER)
      expect(new Set(found.flatMap(({ lines }) => lines.map(({ _id }) => _id))).size).toBe(LINES)
      for (const { pagination_id: token } of found.slice(0, -1)) expect(token).toMatch(/^[\w-]{1,512}$/)
    }
  })

  test('has a full last page if no lines remain', async () => {
    const whole = await page({ ...OURS, size: '30' })
    expect([whole.lines.length, whole.pagination_id]).toEqual([30, null])
    expect((await page({ ...OURS, size: '29' })).pagination_id).not.toBeNull()
  })

  test('has an empty last page if nothing is found', async () => {
    expect(await page({ query: 'nothing' })).toEqual({ lines: [], pagination_id: null })
  })

  test('is not disturbed by lines that arrive during paging, so none is missing or repeated', async () => {
    const parameters = { query: 'arriving', size: '2', prefer: 'tail' }
    const add = (line: string, atMs: number) =>
      lines.add([{ line: `arriving ${line}`, timestamp: atMs }], { account })
    for (const at of [0, 1, 2, 3]) await add(String(at), RECEIVED_MS + 100 + at)
    const first = await page(parameters)
    await add('later', RECEIVED_MS + 200)
    await add('earlier', RECEIVED_MS + 90)
    const second = await page({ ...parameters, pagination_id: String(first.pagination_id) })
    expect(first.lines.map(({ _line }) => _line)).toEqual(['arriving 2', 'arriving 3'])
    expect(second.lines.map(({ _line }) => _line)).toEqual(['arriving 0', 'arriving 1'])
  })

  test('includes a line whose retention ends during paging, which is hidden a day later', async () => {
    for (const at of [0, 1, 2])
      await lines.add([{ line: `ending ${at}`, timestamp: RECEIVED_MS + at }], {
        account,
        timeMs: RECEIVED_MS - DAY_MS,
        retentionDays: 1,
      })
    const parameters = { query: 'ending', size: '2' }
    const { pagination_id: token } = await page(parameters)
    const second = { ...parameters, pagination_id: String(token) }
    try {
      weir.clock.setWall(RECEIVED_MS + DAY_MS)
      expect((await page(second)).lines).toHaveLength(1)
      weir.clock.setWall(RECEIVED_MS + DAY_MS + 1)
      expect((await page(second)).lines).toHaveLength(0)
    } finally {
      weir.clock.setWall(RECEIVED_MS)
    }
  })

  test('refuses a token of other parameters, of another account, or a damaged one', async () => {
    const parameters = { ...ALL, ...OURS, size: '2', prefer: 'head' }
    const { pagination_id: token } = await page(parameters)
    const others: Record<string, string>[] = [
      { from: String(SECOND - 1) },
      { to: String(SECOND + 61) },
      { size: '3' },
      { prefer: 'tail' },
      { query: 'lines' },
      { hosts: 'web-0' },
      { apps: 'x' },
      { levels: 'x' },
      { tags: 'x' },
      { pagination_id: `${token}A` },
      { pagination_id: String(token).slice(1) },
      { pagination_id: '%00' },
    ]
    for (const other of others) {
      const answer = await refusal('/v2/export', { ...parameters, pagination_id: String(token), ...other })
      expect(answer.details).toEqual([
        { message: '"pagination_id" does not belong to these parameters', key: 'pagination_id' },
      ])
    }
    await weir.account('1111111111')
    const headers = {
      authorization: `Token ${weir.credentials.enterpriseAccessToken}`,
      'x-delegate-account-id': '1111111111',
    }
    const url = `/v2/export?${new URLSearchParams({ ...parameters, pagination_id: String(token) })}`
    expect((await weir.call({ url, headers })).statusCode).toBe(400)
    expect((await page({ ...parameters, pagination_id: String(token) })).lines).toHaveLength(2)
  })
})

describe('invalid parameters', () => {
  test.each<[Record<string, string>, string[]]>([
    [{}, ['"from" is required', '"to" is required']],
    [{ from: '1' }, ['"to" is required']],
    [{ from: '', to: 'x' }, ['"from" must be a number', '"to" must be a number']],
    [{ from: '1.5', to: '1e3' }, ['"from" must be an integer']],
    [{ from: '2', to: '1' }, ['"from" must be less than or equal to "to"']],
    [{ ...ALL, size: '0' }, ['"size" must be greater than or equal to 1']],
    [{ ...ALL, size: '10001' }, ['"size" must be less than or equal to 10000']],
    [{ ...ALL, size: 'many' }, ['"size" must be a number']],
    [{ ...ALL, size: '1.5' }, ['"size" must be an integer']],
    [{ ...ALL, prefer: 'middle' }, ['"prefer" must be one of [head, tail]']],
    [{ ...ALL, prefer: '' }, ['"prefer" must be one of [head, tail]']],
    [{ ...ALL, query: '(a' }, ['"query" has an unbalanced parenthesis at character 1']],
    [{ ...ALL, q: 'a AND' }, ['"query" has a dangling AND at character 3']],
    [{ ...ALL, query: '('.repeat(4000) }, ['"query" is nested too deep at character 51']],
    [{ ...ALL, query: 'a '.repeat(3000) }, ['"query" has too many terms']],
    [
      { from: 'x', size: '-1', prefer: 'x', query: 'f:' },
      [
        '"from" must be a number',
        '"to" is required',
        '"query" has no value for field "f" at character 3',
        '"size" must be greater than or equal to 1',
        '"prefer" must be one of [head, tail]',
      ],
    ],
  ])('%j: every finding is reported', async (parameters, messages) => {
    for (const path of ['/v1/export', '/v2/export']) {
      const answer = await refusal(path, parameters)
      expect(answer.details?.map(({ message }) => message)).toEqual(messages)
      expect(answer).toMatchObject({ error: messages[0], code: 'BadRequest', status: 'error' })
    }
  })

  test('a repeated parameter is not a number or a string, and lists are joined', async () => {
    const answer = await weir.call({ url: `/v1/export?from=1&from=2&to=3&query=a&query=b` })
    expect(answer.json<Refusal>().details?.map(({ message }) => message)).toEqual([
      '"from" must be a number',
      '"query" must be a string',
    ])
    const joined = await weir.call({
      url: `/v1/export?from=${SECOND}&to=${SECOND}&hosts=web-0&hosts=web-1&query=line`,
    })
    expect(joined.body.split('\n').slice(0, -1)).toHaveLength(20)
  })

  test('the largest size is accepted', async () => {
    expect(await exported({ size: '10000', query: 'line' })).toHaveLength(LINES)
  })
})

describe('if the operator limits the lines of an export', () => {
  test.each([
    ['fewer', 7],
    ['more', 20_000],
  ])('they are %s, even without a size, and pages stay as they are', async (_name, maxExportLines) => {
    const settings = { ...TEST_SETTINGS, maxExportLines }
    const own = await testInstallation({ store: lines.store, settings })
    own.clock.setWall(RECEIVED_MS)
    const ask = (path: string, size?: number) =>
      own.call({
        url: `${path}?${new URLSearchParams({ ...ALL, query: 'line', ...(size && { size: String(size) }) })}`,
      })
    const linesIn = ({ body }: { readonly body: string }) => body.split('\n').slice(0, -1)
    const expected = Math.min(LINES, maxExportLines)
    expect(linesIn(await ask('/v1/export'))).toHaveLength(expected)
    expect(linesIn(await ask('/v1/export', maxExportLines))).toHaveLength(expected)
    expect((await ask('/v1/export', maxExportLines + 1)).json().error).toBe(
      `"size" must be less than or equal to ${maxExportLines}`,
    )
    expect((await ask('/v2/export')).json<Page>().lines).toHaveLength(LINES)
    expect((await ask('/v2/export', 10_001)).statusCode).toBe(400)
    await own.app.close()
  })
})

describe('for any request', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '',
      '0',
      '-1',
      String(SECOND),
      String(RECEIVED_MS),
      '1e400',
      '9'.repeat(30),
      'head',
      'tail',
    ),
    fc
      .array(
        fc.constantFrom(
          'a',
          ' ',
          '(',
          ')',
          '"',
          '-',
          '=',
          '>',
          ':',
          '[',
          ']',
          ',',
          '*',
          'AND',
          'OR',
          '\0',
          '中',
          '5',
        ),
        { maxLength: 12 },
      )
      .map(some => some.join('')),
  )
  const name = fc.constantFrom(
    'from',
    'to',
    'size',
    'hosts',
    'apps',
    'levels',
    'tags',
    'query',
    'q',
    'prefer',
    'pagination_id',
    'email',
    '__proto__',
  )

  test.each(['/v1/export', '/v2/export'])('%s answers 200 or 400', async path => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(name, value), { maxLength: 5 }),
        fc.boolean(),
        async (pairs, valid) => {
          const bounds: [string, string][] = valid ? Object.entries(ALL) : []
          const asked = new URLSearchParams([...pairs.filter(([one]) => !valid || !(one in ALL)), ...bounds])
          const { statusCode, body } = await weir.call({ url: `${path}?${asked}` })
          expect([200, 400], body).toContain(statusCode)
        },
      ),
      { numRuns: 150 },
    )
  })

  test('a query string with wrong percent-encoding is answered, too', async () => {
    for (const query of ['%', '%zz', '%ff', '=%c3%28', 'query=%', 'from=%00&to=%ff', '&&&', '?'])
      expect((await weir.call({ url: `/v1/export?${query}` })).statusCode).toBe(400)
  })
})

describe('the stream', () => {
  test('an unavailable store is 503, and a search that fails later ends the connection', async () => {
    const away = failing(new StoreError('UNAVAILABLE', 'away', { retriable: true }), 0)
    const first = await testInstallation({ store: away })
    const url = `/v2/export?${new URLSearchParams(ALL)}`
    expect((await first.call({ url })).statusCode).toBe(503)
    await first.app.close()

    const later = await testInstallation({
      store: failing(new StoreError('UNAVAILABLE', 'away'), 1),
    })
    await expect(later.call({ url })).rejects.toThrow()
    await later.app.close()
  })

  test('a client that disconnects ends the search, even if nothing was found yet', async () => {
    const started = Promise.withResolvers<void>()
    const ended = Promise.withResolvers<void>()
    const store = searchedBy(async function* (signal) {
      started.resolve()
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.resolve()
          reject(signal.reason as Error)
        })
      })
      yield []
    })
    const installation = await testInstallation({ store })
    await installation.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = installation.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const token = installation.credentials.accessToken
    const url = `/v1/export?${new URLSearchParams(ALL)}`
    socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\nauthorization: Token ${token}\r\n\r\n`)
    await started.promise
    socket.destroy()
    await ended.promise
    await installation.app.close()
  })

  test('rows are read only as fast as the client accepts them, and not without end', async () => {
    let given = 0
    let isEnded = false
    const ended = Promise.withResolvers<void>()
    const row = { ...FOUND_ROW, line: 'x'.repeat(10_000), found: 1 }
    const store = searchedBy(async function* () {
      try {
        for (; given < 100_000; given += 100) yield Array.from({ length: 100 }, () => row)
      } finally {
        isEnded = true
        ended.resolve()
      }
    })
    const installation = await testInstallation({ store })
    await installation.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = installation.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const token = installation.credentials.accessToken
    const url = `/v1/export?${new URLSearchParams(ALL)}`
    socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\nauthorization: Token ${token}\r\n\r\n`)
    await new Promise(resolve => socket.once('readable', resolve))
    // The client reads nothing: the sent data fits into buffers, a hundredth of the gigabyte.
    let before = -1
    while (before !== given) {
      before = given
      await new Promise(resolve => setTimeout(resolve, 100))
    }
    expect(given).toBeLessThan(10_000)
    // A client that accepts nothing for a minute loses the connection, so the search ends.
    installation.clock.advance(59_999)
    await Promise.resolve()
    expect(isEnded).toBe(false)
    installation.clock.advance(1)
    await ended.promise
    socket.destroy()
    await installation.app.close()
  })
})

/** A store whose searches give these rows. */
function searchedBy(rows: LineSearch['rows']): Store {
  const search = (): LineSearch => ({
    access: 'scan',
    rows,
    async *parts(signal) {
      for await (const some of rows(signal)) yield { rows: some }
    },
  })
  return Object.assign(Object.create(lines.store) as Store, { search })
}

/** A store whose searches fail after some rows. */
function failing(error: Error, afterRows: number): Store {
  return searchedBy(async function* () {
    for (let row = 0; row < afterRows; row++) yield [{ ...FOUND_ROW, line: 'x'.repeat(100_000), found: 2 }]
    throw error
  })
}

describe('on a day with more names of fields than are indexed', () => {
  const ABOUT = { from: String(SECOND), to: String(SECOND + 1) }
  const incompleteHeader = async (parameters: Readonly<Record<string, string>>) =>
    (await get('/v3/search/histogram', { ...ABOUT, ...parameters })).headers['x-weir-incomplete']

  beforeAll(async () => {
    const rows = [
      { account, timeMs: RECEIVED_MS },
      { account, timeMs: RECEIVED_MS + 5 },
      { account, timeMs: RECEIVED_MS - 3 * DAY_MS },
      { account: '0000000000', timeMs: RECEIVED_MS - DAY_MS },
    ].map((row, index) => ({ ...row, offset: BigInt(index + 1), row: 0 }))
    await lines.store.insert({
      topic: 'weir.ingest',
      partition: 0,
      table: 'full_field_days',
      epoch: { offset: 1n, attempt: 0 },
      block: fullFieldDaysBlock(rows),
      rows: rows.length,
    })
  })

  test('a search finds lines by fields that are not, and its answer is complete', async () => {
    const names = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`f${index}`, 1]))
    const texts = [{ ...names, beyond: 'the limit' }, names, { beyond: 'another' }].map(value =>
      JSON.stringify(value),
    )
    const received = { account, timeMs: RECEIVED_MS }
    await lines.add(
      texts.map((line, index) => ({ line, timestamp: RECEIVED_MS - 60_000 - index })),
      received,
    )
    const period = { from: String(RECEIVED_MS - 60_010), to: String(RECEIVED_MS - 59_990) }
    const found = async (path: string, query: string) => {
      const answer = await get(path, { ...period, query })
      expect([answer.statusCode, answer.headers['x-weir-incomplete']]).toEqual([200, undefined])
      return texts.filter(text => answer.body.includes(JSON.stringify(text)))
    }
    for (const path of ['/v1/export', '/v2/export', '/v3/search']) {
      expect(await found(path, 'beyond:*'), path).toEqual([texts[0], texts[2]])
      expect(await found(path, 'beyond:limit'), path).toEqual([texts[0]])
      expect(await found(path, '-beyond:*'), path).toEqual([texts[1]])
    }
  })

  test('a count reports it if the query names a field', async () => {
    const day = 'fields; days="2026-03-04"'
    for (const query of ['status:404', 'line -(meta.a:x)', 'a OR b:*', 'message:x'])
      expect(await incompleteHeader({ query }), query).toBe(day)
  })

  test('a count does not report it for words, or for names that are not fields', async () => {
    for (const query of [
      '',
      'status 404',
      '"status:404"',
      'app:even -level:error host:web tag:x file:* line:x',
    ])
      expect(await incompleteHeader({ query }), query).toBeUndefined()
  })

  test('a count names the days of the account within the searched period', async () => {
    const query = 'status:404'
    const back = (days: number) => String(SECOND - days * 86_400)
    expect(await incompleteHeader({ query, from: back(3) })).toBe('fields; days="2026-03-01, 2026-03-04"')
    expect(await incompleteHeader({ query, from: back(2), to: back(1) })).toBeUndefined()
  })

  test('a count reports the day on which lines came that are older than it', async () => {
    const old = RECEIVED_MS - 9 * DAY_MS
    const period = { from: String(SECOND - 9 * 86_400), to: String(SECOND - 9 * 86_400 + 1) }
    expect(await incompleteHeader({ query: 'status:404', ...period })).toBeUndefined()
    await lines.add([{ line: 'on the day', timestamp: old }], { account, timeMs: RECEIVED_MS - 8 * DAY_MS })
    expect(await incompleteHeader({ query: 'status:404', ...period })).toBeUndefined()
    await lines.add([{ line: 'late', timestamp: old }], { account, timeMs: RECEIVED_MS + 9 })
    expect(await incompleteHeader({ query: 'status:404', ...period })).toBe('fields; days="2026-03-04"')
    expect(await incompleteHeader({ query: 'late', ...period })).toBeUndefined()
  })

  test('such a count is counted', async () => {
    const count = async () =>
      Number(
        /^weir_searches_incomplete_total (\d+)$/m.exec(
          (await weir.call({ method: 'GET', url: '/metrics' })).body,
        )?.[1],
      )
    const before = await count()
    await incompleteHeader({ query: 'status:404' })
    await incompleteHeader({ query: '404' })
    expect(await count()).toBe(before + 1)
  })
})
