import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ServedStatement } from '../../engine/store/embedded-server/embedded-server.ts'
import { statementOf } from './served-request.ts'

let server: Server
let url: string
/** Reads the statement of the next request. */
let taken: (statement: Promise<ServedStatement>) => Promise<void>

beforeAll(async () => {
  server = createServer((request, response) => {
    void taken(statementOf(request)).finally(() => response.end())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterAll(() => {
  server.close()
})

/** Sends a request. @returns its statement, and the rows of its input */
async function sent(
  init: RequestInit,
  parameters: Readonly<Record<string, string>> = {},
): Promise<{ readonly statement: ServedStatement; readonly rows: string | undefined }> {
  const outcome = Promise.withResolvers<{ statement: ServedStatement; rows: string | undefined }>()
  taken = async reading => {
    try {
      const statement = await reading
      const input = await statement.input?.()
      outcome.resolve({ statement, rows: input && Buffer.concat(input).toString() })
    } catch (error) {
      outcome.reject(error)
    }
  }
  const [, answered] = await Promise.allSettled([
    fetch(`${url}?${new URLSearchParams(parameters)}`, init),
    outcome.promise,
  ])
  if (answered.status === 'rejected') throw answered.reason
  return answered.value
}

const post = (
  body: NonNullable<RequestInit['body']>,
  headers: Readonly<Record<string, string>> = {},
): RequestInit => ({ method: 'POST', body, headers })

test('a statement gets parameters, settings, database, format and asker from the address', async () => {
  const { statement } = await sent(post('SELECT {a:String}'), {
    param_a: "it's",
    database: 'weir',
    default_format: 'JSONEachRow',
    quota_key: 'ent/acc',
    wait_end_of_query: '1',
    readonly: '2',
    max_threads: '7',
    log_comment: 'x',
    // Not settings of a statement, but of the interface.
    query_id: 'q',
    http_headers_progress_interval_ms: '1',
    enable_http_compression: '1',
  })
  expect(statement).toEqual({
    sql: 'SELECT {a:String}',
    parameters: { a: "it's" },
    settings: { max_threads: '7', log_comment: 'x' },
    database: 'weir',
    format: 'JSONEachRow',
    asker: { account: 'acc', enterprise: 'ent' },
    isReadOnly: true,
    isGivenWhole: true,
  })
})

test('a GET changes nothing, whatever it says, and a POST may', async () => {
  const query = { query: 'DROP TABLE t' }
  expect((await sent({ method: 'GET' }, query)).statement.isReadOnly).toBe(true)
  expect((await sent({ method: 'GET' }, { ...query, readonly: '0' })).statement.isReadOnly).toBe(true)
  expect((await sent(post(''), query)).statement).toMatchObject({ isReadOnly: false, database: 'default' })
})

test('rows for input(…) are read when the statement starts, and are no part of its text', async () => {
  const sql = "INSERT INTO t SELECT a FROM input('a String') FORMAT Native"
  expect(await sent(post('a\n\nDROP TABLE t\n'), { query: sql })).toMatchObject({
    statement: { sql },
    rows: 'a\n\nDROP TABLE t\n',
  })
})

function formOf(name: string, ...more: readonly string[]): FormData {
  const form = new FormData()
  for (const each of [name, ...more]) form.set(each, new Blob(['rows']))
  form.set('param_a', 'in the form')
  return form
}

test('a table comes as a file with its structure, beside the statement', async () => {
  const parameters = { query: 'SELECT * FROM rows', rows_structure: 'a String', rows_format: 'Native' }
  const { statement } = await sent(post(formOf('rows')), parameters)
  expect(statement).toMatchObject({
    sql: 'SELECT * FROM rows',
    parameters: { a: 'in the form' },
    settings: {},
    table: { name: 'rows', structure: 'a String', format: 'Native' },
  })
  expect(Buffer.concat([...(statement.table?.rows ?? [])]).toString()).toBe('rows')
})

test.each<[string, RequestInit, Readonly<Record<string, string>>, string]>([
  [
    'a compressed body',
    post('x', { 'content-encoding': 'gzip' }),
    {},
    'compressed requests are not supported',
  ],
  ['a session', post('SELECT 1'), { session_id: 's' }, 'sessions are not supported here'],
  [
    'rows that nothing reads',
    post('a'),
    { query: 'INSERT INTO t FORMAT Native' },
    'are read by the function input',
  ],
  [
    'a table without structure',
    post(formOf('rows')),
    { query: 'SELECT 1' },
    'one external table is supported',
  ],
  [
    'two tables',
    post(formOf('rows', 'more')),
    { query: 'SELECT 1', rows_structure: 'a String' },
    'one external table',
  ],
  [
    'a table that is SQL',
    post(formOf('a b')),
    { query: 'SELECT 1', 'a b_structure': 'a String' },
    'one external table',
  ],
])('%s is refused in the words of the engine', async (_, init, parameters, sentence) => {
  const refusal = sent(init, parameters)
  await expect(refusal).rejects.toThrow(/^Code: 48\. DB::Exception: /)
  await expect(refusal).rejects.toThrow(sentence)
})

test('a text of a megabyte is taken, and a longer one is refused', async () => {
  const text = 'x'.repeat(1024 ** 2)
  expect((await sent(post(text))).statement.sql).toBe(text)
  await expect(sent(post(`${text}x`))).rejects.toThrow('Code: 307')
})
