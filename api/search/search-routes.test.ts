import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LineSearch, SearchedPart } from '../../engine/store/search/line-selection.ts'
import { type Store, StoreError } from '../../engine/store/store.ts'
import { HOUR_MS, MINUTE_MS } from '../../engine/times/duration.ts'
import { IS_LONG } from '../../test/support/long-form.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import { RECEIVED_MS, type SentLine } from '../../test/support/sent-lines.ts'
import type { StoredLines } from '../../test/support/stored-lines.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

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
        app: index % 2 === 0 ? 'web' : 'db',
        host: `host-${record}`,
        rest: {},
      })),
      { account, timeMs: RECEIVED_MS + record },
    )
  await lines.add([{ line: 'of somebody else' }], { account: '0000000000' })
})

afterAll(() => searched.close())

interface FoundRecord {
  readonly _id: string
  readonly _ts: number
  readonly _line: string
}

type Piece =
  | { readonly lines: readonly FoundRecord[] }
  | { readonly progress: { readonly covered_to: number; readonly rows: number } }
  | { readonly end: { readonly next: string | null; readonly access: string } }

type Parameters = Readonly<Record<string, string>>

const ALL = { from: String(RECEIVED_MS), to: String(RECEIVED_MS + MINUTE_MS) }

function get(parameters: Parameters, headers = {}) {
  return weir.call({ url: `/v3/search?${new URLSearchParams({ ...ALL, ...parameters })}`, headers })
}

async function pieces(parameters: Parameters, headers = {}): Promise<Piece[]> {
  const answer = await get(parameters, headers)
  expect(answer.statusCode, answer.body).toBe(200)
  expect(answer.headers['content-type']).toBe('application/x-ndjson')
  expect(answer.body.endsWith('\n')).toBe(true)
  const found = answer.body
    .split('\n')
    .slice(0, -1)
    .map(text => JSON.parse(text) as Piece)
  expect(found.findIndex(piece => 'end' in piece)).toBe(found.length - 1)
  return found
}

function recordsOf(found: readonly Piece[]): FoundRecord[] {
  return found.flatMap(piece => ('lines' in piece ? piece.lines : []))
}

async function search(parameters: Parameters, headers = {}) {
  const found = await pieces(parameters, headers)
  const { end } = found.at(-1) as Extract<Piece, { readonly end: object }>
  return { records: recordsOf(found), ...end }
}

/** Lines of all pages. @param between called after each page */
async function paged(parameters: Parameters, between = async () => {}): Promise<FoundRecord[]> {
  const found: FoundRecord[] = []
  for (let after: string | null = ''; after !== null; ) {
    const page = await search({ ...parameters, ...(after === '' ? {} : { after }) })
    found.push(...page.records)
    after = page.next
    await between()
  }
  return found
}

const textsOf = (records: readonly FoundRecord[]) => records.map(({ _line }) => _line)

/** The order of the lines above: time first, then the place in the log. */
const OLDEST_FIRST = Array.from({ length: LINES }, (_, at) => `line ${at % 3}-${Math.floor(at / 3)}`)
const NEWEST_FIRST = OLDEST_FIRST.toReversed()

describe('GET /v3/search', () => {
  test('finds the newest lines first, or the oldest', async () => {
    expect(textsOf((await search({})).records)).toEqual(NEWEST_FIRST)
    expect(textsOf((await search({ order: 'newest', limit: '4' })).records)).toEqual(NEWEST_FIRST.slice(0, 4))
    expect(textsOf((await search({ order: 'oldest', limit: '4' })).records)).toEqual(OLDEST_FIRST.slice(0, 4))
  })

  test('gives the records of an export', async () => {
    const exported = await weir.call({ url: `/v1/export?${new URLSearchParams({ ...ALL, query: '"0-5"' })}` })
    expect((await search({ query: '"0-5"' })).records).toEqual([JSON.parse(exported.body)])
  })

  test('joins query and lists, and finds nothing of other accounts', async () => {
    const { records } = await search({ q: 'line', apps: 'db', hosts: 'host-0,host-1', order: 'oldest' })
    expect(textsOf(records)).toEqual(OLDEST_FIRST.filter(line => /[01]-[13579]/.test(line)))
    expect(await search({ query: 'somebody' })).toEqual({ records: [], next: null, access: 'index' })
  })

  test.each([
    ['order', {}],
    ['index', { query: 'line' }],
    ['scan', { query: 'a' }],
    ['scan', { apps: 'web' }],
  ])('reports how lines were found: %s for %j', async (access, parameters) => {
    expect((await search(parameters as Parameters)).access).toBe(access)
    expect((await get(parameters as Parameters)).headers['x-weir-search']).toBe(access)
  })
})

describe('pages', () => {
  test.each([
    ['newest', NEWEST_FIRST, 1],
    ['oldest', OLDEST_FIRST, 2],
  ] as const)('of every size contain every line once: %s', async (order, expected, smallest) => {
    for (const [query, limits] of [
      ['', [smallest, 7, 10, 29, 30, 31]],
      ['line', [7, 15, 29]],
      ['n OR l', [4, 30]],
    ] as const)
      for (const limit of limits)
        expect(textsOf(await paged({ order, query, limit: String(limit) })), `${limit}`).toEqual(expected)
  })

  test('end with an empty one if the last is full', async () => {
    const last = await search({ limit: '30' })
    expect(last.records).toHaveLength(LINES)
    expect(await search({ limit: '30', after: String(last.next) })).toMatchObject({ records: [], next: null })
  })

  test('continue from a position in either direction', async () => {
    const { next } = await search({ limit: '10' })
    const after = String(next)
    expect(textsOf((await search({ after })).records)).toEqual(NEWEST_FIRST.slice(10))
    const newer = await search({ after, order: 'oldest', limit: '5' })
    expect(textsOf(newer.records)).toEqual(OLDEST_FIRST.slice(LINES - 9, LINES - 4))
  })

  test('continue behind any line, whatever the query and the period', async () => {
    const [first] = (await search({ query: '"1-4"' })).records
    const after = `${first?._ts}-${first?._id}`
    const at = NEWEST_FIRST.indexOf('line 1-4')
    expect(textsOf((await search({ after })).records)).toEqual(NEWEST_FIRST.slice(at + 1))
    expect(textsOf((await search({ after, query: 'app:web', from: '0' })).records)).toEqual(
      NEWEST_FIRST.slice(at + 1).filter(line => /[02468]$/.test(line)),
    )
  })
})

/** Lines of many minutes that come in turns; every hundredth is hours late. */
describe('lines that are hours late', () => {
  const LATE_MS = 5 * HOUR_MS
  const START_MS = RECEIVED_MS - 2 * HOUR_MS
  const WHOLE = { from: String(START_MS - LATE_MS), to: String(RECEIVED_MS + HOUR_MS) }
  let sent = 0

  /** @param word by which the lines are found */
  function next(count: number, word: string): SentLine[] {
    return Array.from({ length: count }, () => {
      const number = sent++
      const late = number % 100 === 50 ? LATE_MS : 0
      const text = number % 3 === 0 ? `${word} number ${number}` : `other number ${number}`
      // Several lines have the same time.
      return { line: text, timestamp: START_MS + Math.floor(number / 4) * 1000 - late, rest: {} }
    })
  }

  const WAYS = [
    ['oldest', 'checkout', 'index', 1_000],
    ['newest', 'q', 'scan', 1_000],
    ['newest', 'checkout', 'index', 3_000],
    ['oldest', 'q', 'scan', 3_000],
  ] as const

  test.each(IS_LONG ? WAYS : WAYS.slice(0, 2))(
    'are each found once, in order, while lines come in: %s, by "%s" (%s)',
    async (order, word, access, count) => {
      sent = 0
      const before = next(count, word)
      for (let at = 0; at < count; at += 500) await lines.add(before.slice(at, at + 500), { account })
      const expected = await paged({ ...WHOLE, order: 'oldest', limit: '10000', query: word })
      expect(expected.length).toBeGreaterThanOrEqual(count / 3)
      const asked = { ...WHOLE, order, query: word, limit: '130' }
      expect((await search(asked)).access).toBe(access)
      const found = await paged(asked, async () => {
        await lines.add(next(100, word), { account })
      })
      const sign = order === 'oldest' ? 1 : -1
      for (const [index, record] of found.slice(1).entries()) {
        const { _ts, _id } = found[index] as FoundRecord
        const isBehind = record._ts === _ts ? BigInt(record._id) - BigInt(_id) : BigInt(record._ts - _ts)
        expect(isBehind * BigInt(sign) > 0n, `${index}: ${record._line}`).toBe(true)
      }
      const ids = new Set(found.map(({ _id }) => _id))
      expect(ids.size).toBe(found.length)
      expect(textsOf(expected.filter(({ _id }) => !ids.has(_id)))).toEqual([])
    },
  )

  test('are searched in parts whose progress divides the lines', async () => {
    const found = await pieces({ ...WHOLE, query: 'checkout', limit: '10000' })
    const progress = found.filter(piece => 'progress' in piece)
    expect(progress.length).toBeGreaterThan(1)
    let [rows, coveredTo] = [0, Number(WHOLE.to)]
    for (const [index, piece] of found.entries()) {
      if (!('progress' in piece)) continue
      const { covered_to, rows: read } = piece.progress
      expect(covered_to).toBeLessThan(coveredTo)
      expect(read).toBeGreaterThan(rows)
      ;[rows, coveredTo] = [read, covered_to]
      expect(Math.min(...recordsOf(found.slice(0, index)).map(({ _ts }) => _ts))).toBeGreaterThanOrEqual(
        covered_to,
      )
      for (const { _ts } of recordsOf(found.slice(index))) expect(_ts).toBeLessThan(covered_to)
    }
  })
})

test('a member with a group finds the lines that the group shows', async () => {
  const headers = await searched.memberLimitedTo('app:web')
  const { records } = await search({ query: 'line OR app:db', order: 'oldest' }, headers)
  expect(textsOf(records)).toEqual(OLDEST_FIRST.filter(line => /[02468]$/.test(line)))
})

describe('bad parameters', () => {
  const position = async () => String((await search({ limit: '1' })).next)

  test.each([
    [{ order: 'ascending' }, '/order', '"order" must be one of [newest, oldest]'],
    [{ order: '' }, '/order', '"order" must be one of [newest, oldest]'],
    [{ limit: '0' }, '/limit', '"limit" must be greater than or equal to 1'],
    [{ limit: '10001' }, '/limit', '"limit" must be less than or equal to 10000'],
    [{ limit: '1.5' }, '/limit', '"limit" must be an integer'],
    [{ limit: 'all' }, '/limit', '"limit" must be a number'],
    [{ query: '(' }, '/query', '"query" has an unbalanced parenthesis'],
    [{ from: 'someday' }, '/from', '"from" must be a number'],
    [{ from: String(RECEIVED_MS + HOUR_MS) }, '/from', '"from" must be less than or equal to "to"'],
    [{ size: '5' }, '/size', '"size" is not allowed'],
    [{ prefer: 'tail' }, '/prefer', '"prefer" is not allowed'],
  ])('%j is 400 for %s', async (parameters, pointer, message) => {
    const answer = await get(parameters as Parameters)
    expect(answer.statusCode).toBe(400)
    const { code, errors } = answer.json()
    expect(code).toBe('EVALIDATION')
    expect(errors).toHaveLength(1)
    expect(errors[0].instancePath).toBe(pointer)
    expect(errors[0].message).toContain(message)
  })

  test('a position that is not one of a line is 400 for /after', async () => {
    const known = await position()
    const [ts, id] = known.split('-')
    const others = ['', 'x', '-', `${ts}`, `${ts}-`, `-${id}`, `${known}-1`, `${known} `]
    const texts = [`-${known}`, `99999999999999-${id}`, `${ts}-${'9'.repeat(39)}`]
    for (const after of [...others, ...texts]) {
      const answer = await get({ after })
      expect(answer.statusCode, after).toBe(400)
      expect(answer.json().errors).toEqual([
        {
          instancePath: '/after',
          message: '"after" must be the position of a line: its "_ts", a hyphen and its "_id"',
        },
      ])
    }
    expect((await get({ after: known })).statusCode).toBe(200)
  })

  test('all of them are reported', async () => {
    const answer = await get({ from: '', order: 'x', limit: '-1', after: 'x', more: '1' })
    const pointers = answer.json().errors.map(({ instancePath }: { instancePath: string }) => instancePath)
    expect(pointers.sort()).toEqual(['/after', '/from', '/limit', '/more', '/order'])
  })

  test('a query with more terms than fit is 400', async () => {
    const query = Array.from({ length: 900 }, (_, index) => `w${index}`).join(' ')
    const answer = await get({ query })
    expect(answer.statusCode).toBe(400)
    expect(answer.json().errors[0].message).toContain('too many terms')
  })
})

test('a token for ingestion alone is refused', async () => {
  const headers = { authorization: `Token ${await weir.token({ scope: 'ingest' })}` }
  expect((await get({}, headers)).statusCode).toBe(403)
})

describe('the stream', () => {
  const PROGRESS: SearchedPart = { progress: { coveredToMs: RECEIVED_MS, linesRead: 1 } }

  /** A server over a store whose searches have these parts. */
  async function serverOf(parts: LineSearch['parts'], settings = TEST_SETTINGS) {
    const found = (): LineSearch => ({ access: 'scan', rows: () => (async function* () {})(), parts })
    const store = Object.assign(Object.create(lines.store) as Store, { search: found })
    return testInstallation({ store, settings })
  }

  async function opened(installation: TestInstallation) {
    await installation.app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = installation.app.server.address() as AddressInfo
    const socket = connect(port, '127.0.0.1')
    const url = `/v3/search?${new URLSearchParams(ALL)}`
    const token = installation.credentials.accessToken
    socket.write(`GET ${url} HTTP/1.1\r\nhost: x\r\nauthorization: Token ${token}\r\n\r\n`)
    return socket
  }

  test('sends each part when it is found', async () => {
    const further = Promise.withResolvers<void>()
    const installation = await serverOf(async function* () {
      yield PROGRESS
      await further.promise
    })
    const socket = await opened(installation)
    let text = ''
    for await (const some of socket) {
      text += String(some)
      if (text.includes('{"progress":{"covered_to"')) break
    }
    expect(text).not.toContain('"end"')
    further.resolve()
    await installation.app.close()
  })

  test('ends the search when the client leaves, even if it finds nothing', async () => {
    const ended = Promise.withResolvers<void>()
    const installation = await serverOf(async function* (signal) {
      yield PROGRESS
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          ended.resolve()
          reject(signal.reason as Error)
        })
      })
    })
    const socket = await opened(installation)
    await new Promise(resolve => socket.once('data', resolve))
    socket.destroy()
    await ended.promise
    await installation.app.close()
  })

  test('is 503 if the store is unavailable, and has no end if the store fails later', async () => {
    const url = `/v3/search?${new URLSearchParams(ALL)}`
    const away = new StoreError('UNAVAILABLE', 'away', { retriable: true })
    const failing = (parts: number): LineSearch['parts'] =>
      async function* () {
        for (let part = 0; part < parts; part++) yield PROGRESS
        throw away
      }
    const first = await serverOf(failing(0))
    expect((await first.call({ url })).statusCode).toBe(503)
    await first.app.close()
    const later = await serverOf(failing(1))
    await expect(later.call({ url })).rejects.toThrow()
    await later.app.close()
  })

  test('counts against the limit of exports', async () => {
    const further = Promise.withResolvers<void>()
    const settings = { ...TEST_SETTINGS, limits: { exportsPerAccount: 1 } }
    const installation = await serverOf(async function* () {
      yield PROGRESS
      await further.promise
    }, settings)
    const socket = await opened(installation)
    await new Promise(resolve => socket.once('data', resolve))
    expect((await installation.call({ url: `/v3/search?${new URLSearchParams(ALL)}` })).statusCode).toBe(429)
    further.resolve()
    socket.destroy()
    await installation.app.close()
  })
})
