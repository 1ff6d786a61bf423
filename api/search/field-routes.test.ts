import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { LineSearch, SearchedPart } from '../../engine/store/search/line-selection.ts'
import { DAY_MS, HOUR_MS } from '../../engine/times/duration.ts'
import {
  openSearchedInstallation,
  type SearchedInstallation,
} from '../../test/support/searched-installation.ts'
import { RECEIVED_MS } from '../../test/support/sent-lines.ts'
import type { StoredLines } from '../../test/support/stored-lines.ts'
import type { TestInstallation } from '../../test/support/test-installation.ts'

const HOUR_START = Math.floor(RECEIVED_MS / HOUR_MS) * HOUR_MS

let searched: SearchedInstallation
let lines: StoredLines
let weir: TestInstallation
let account: string

beforeAll(async () => {
  searched = await openSearchedInstallation(RECEIVED_MS + DAY_MS)
  ;({ lines, weir, account } = searched)
  const sent = (minute: number, app: string, object: object, more = {}) => ({
    line: JSON.stringify(object),
    timestamp: HOUR_START + minute * 60_000,
    ...{ app, level: 'info', host: 'h', ...more },
  })
  await lines.add(
    [
      sent(0, 'web', { code: 1, traceId: 'a1', deep: { er: [true, 'x'] } }),
      sent(1, 'web', { code: 'two', traceId: 'a2', big: 0 }, { meta: '{"region":"eu"}' }),
      sent(2, 'db', { code: 3, traceId: 'A3', tables: ['users', 'users', 'orders'], App: 'its own' }),
      { ...sent(3, 'db', {}), line: 'a text with {"big":12345678901234567890}' },
      { ...sent(4, 'db', {}), line: `{"big":12345678901234567890,"long":"${'x'.repeat(600)}"}` },
    ],
    { account, timeMs: RECEIVED_MS },
  )
  await lines.add([{ line: '{"alien":1}', timestamp: HOUR_START }], { account: '0000000000' })
})

afterAll(() => searched.close())

const HOUR = { from: String(HOUR_START), to: String(HOUR_START + HOUR_MS - 1) }

function ask(path: string, parameters: Readonly<Record<string, string>>, headers = {}) {
  return weir.call({ url: `/v3/search/${path}?${new URLSearchParams({ ...HOUR, ...parameters })}`, headers })
}

async function found(path: string, parameters: Readonly<Record<string, string>>, headers = {}) {
  const answer = await ask(path, parameters, headers)
  expect(answer.statusCode, answer.body).toBe(200)
  return answer.json().data
}

async function names(parameters: Readonly<Record<string, string>>, headers = {}): Promise<string[]> {
  return (await found('field', parameters, headers)).fields.map(({ name }: { name: string }) => name)
}

describe('fields of the lines that a search finds', () => {
  test('have names of the query language, types, counts and examples', async () => {
    const { fields, ...rest } = await found('field', {})
    const of = (name: string) => fields.find((field: { name: string }) => field.name === name)
    expect(of('code')).toEqual({ name: 'code', type: 'both', lines: 3, examples: ['3', 'two', '1'] })
    expect(of('deep.er')).toEqual({ name: 'deep.er', type: 'text', lines: 1, examples: ['true', 'x'] })
    expect(of('tables')).toMatchObject({ lines: 1, examples: ['users', 'orders'] })
    expect(of('app')).toEqual({ name: 'app', type: 'text', lines: 5, examples: ['db', 'web'] })
    expect(of('meta.region')).toMatchObject({ lines: 1, examples: ['eu'] })
    expect(of('big')).toMatchObject({ type: 'number', lines: 3, examples: ['12345678901234567890', '0'] })
    expect(of('long')).toMatchObject({ lines: 1, examples: [] })
    const others = fields.map(({ name }: { name: string }) => name.toLowerCase())
    expect(others).not.toContain('alien')
    // A member of this name is not what queries mean by it.
    expect(others.filter((name: string) => name === 'app')).toHaveLength(1)
    expect(rest).toEqual({ more: false, of_lines: 5, complete: true, covered_from: HOUR_START })
  })

  test('each find their lines when they are searched for', async () => {
    for (const { name, lines: count } of (await found('field', {})).fields)
      expect((await found('value', { field: 'app', query: `${name}:*` })).of_lines, name).toBe(count)
  })

  test('are those of most lines first, as many as were asked for, and it says that there are more', async () => {
    const { fields, more } = await found('field', { limit: '4' })
    expect(fields.map(({ lines: count }: { lines: number }) => count)).toEqual([5, 5, 5, 3])
    expect(more).toBe(true)
  })

  test('begin with the prefix, whatever its case', async () => {
    expect(await names({ prefix: 'TRACE' })).toEqual(['traceId'])
    expect(await names({ prefix: 'deep.' })).toEqual(['deep.er'])
    expect(await names({ prefix: 'nothing' })).toEqual([])
  })

  test('are those of the lines that the query and the lists leave', async () => {
    expect(await names({ query: 'code:two', prefix: 'b' })).toEqual(['big'])
    expect(await names({ apps: 'db', prefix: 'd' })).toEqual([])
  })
})

describe('values of a field', () => {
  test('are counted by lines, once per line', async () => {
    const { values, ...rest } = await found('value', { field: 'tables' })
    expect(values).toEqual([
      { value: 'orders', lines: 1 },
      { value: 'users', lines: 1 },
    ])
    expect(rest).toMatchObject({ field: 'tables', more: false, of_lines: 5, complete: true })
    expect((await found('value', { field: 'app' })).values).toEqual([
      { value: 'db', lines: 3 },
      { value: 'web', lines: 2 },
    ])
  })

  test('begin with the prefix, whatever its case', async () => {
    const { values, more } = await found('value', { field: 'traceId', prefix: 'a', limit: '2' })
    expect(values.map(({ value }: { value: string }) => value)).toEqual(['A3', 'a1'])
    expect(more).toBe(true)
    expect((await found('value', { field: 'big', prefix: '123' })).values).toEqual([
      { value: '12345678901234567890', lines: 2 },
    ])
  })
})

describe('somebody who is limited to some apps', () => {
  test('learns no name, value or number of lines of others', async () => {
    const headers = await searched.memberLimitedTo('app:web')
    const fields = await found('field', {}, headers)
    expect(fields.of_lines).toBe(2)
    expect(fields.fields.map(({ name }: { name: string }) => name)).not.toContain('tables')
    const values = await found('value', { field: 'app' }, headers)
    expect(values).toMatchObject({ values: [{ value: 'web', lines: 2 }], of_lines: 2 })
    expect((await found('value', { field: 'tables' }, headers)).values).toEqual([])
  })
})

test('reading ends when its time is over, and says how far it came', async () => {
  const { store } = lines
  const search = store.search.bind(store)
  const slow = (each: LineSearch): LineSearch => ({
    ...each,
    async *parts(signal: AbortSignal): AsyncGenerator<SearchedPart> {
      for await (const part of each.parts(signal)) {
        weir.clock.advance(100)
        yield part
        yield part
      }
    },
  })
  store.search = (selection, page) => slow(search(selection, page))
  try {
    const { of_lines, complete, covered_from } = await found('field', { budget_ms: '100' })
    expect([of_lines, complete, covered_from]).toEqual([5, false, HOUR_START])
  } finally {
    store.search = search
  }
})

test.each([
  ['value', {}, 'field', 'is required'],
  ['value', { field: 'line' }, 'field', 'must be app, host'],
  ['value', { field: 'app', limit: '0' }, 'limit', 'must be greater than or equal to 1'],
  ['field', { limit: '1001' }, 'limit', 'must be less than or equal to 1000'],
  ['field', { budget_ms: '1' }, 'budget_ms', 'must be greater than or equal to 100'],
  ['field', { field: 'a' }, 'field', 'is not allowed'],
  ['field', { query: '(' }, 'query', ''],
] as const)('%s with %j is refused and names the parameter', async (path, parameters, key, message) => {
  const answer = await ask(path, parameters)
  expect(answer.statusCode).toBe(400)
  const { code, errors } = answer.json()
  expect([code, errors[0].instancePath]).toEqual(['EVALIDATION', `/${key}`])
  expect(errors[0].message).toContain(message)
})
