import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { ClickHouseError } from '@clickhouse/client'
import { createChdbConnection } from 'chdb/connection'
import { bindParameters } from '../../engine/store/sql-text.ts'

/**
 * The embedded engine behind so much of ClickHouse's HTTP interface as the store uses, to try the way to a server
 * where there is none. It runs in a process of its own, so a test can kill it.
 *
 * usage: node clickhouse-http-front.ts DATA_FOLDER [PORT] [--user NAME --password WORD] [--databases-are-given]
 *          [--dies-of-insert NUMBER]
 * It prints the port once it listens and ends with its input. With a password it lets in nobody without; where
 * databases are given, no user may create one. It can die as a server that loses its power when lines are stored
 * and nobody has been told yet.
 */
const { values: rules, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    user: { type: 'string', default: 'default' },
    password: { type: 'string', default: '' },
    'databases-are-given': { type: 'boolean', default: false },
    'dies-of-insert': { type: 'string' },
  },
})
const [folder = '', port = '0'] = positionals
mkdirSync(folder, { recursive: true })
// Beside the data, so that a test that kills this process can remove both.
const blocks = `${folder}-blocks`
mkdirSync(blocks, { recursive: true })
// Held open, so that the engine does not go away between requests.
const keeper = createChdbConnection({ path: folder })
await keeper.command({ query: 'SELECT 1' })

/** Parameters of the address that are no settings of the engine. */
const NOT_SETTINGS = new Set(['query', 'query_id', 'database', 'default_format', 'session_id', 'role'])
/** Settings of the HTTP server alone. */
const HTTP_SETTINGS = new Set([
  'wait_end_of_query',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
  'enable_http_compression',
  'cancel_http_readonly_queries_on_client_close',
])
let requestNumber = 0
let linesInserts = 0

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => fail(response, error))
})

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const address = new URL(request.url ?? '/', 'http://front')
  const body = await buffer(request)
  if (address.pathname === '/ping') return void response.end('Ok.\n')
  const inAddress = address.searchParams.get('query')
  const blockPath = join(blocks, `${requestNumber++}.native`)
  const form = await formIn(request, body)
  const query = inAddress === null ? body.toString() : withExternal(inAddress, address, form?.name, blockPath)
  assertMay(request, query)
  const session = createChdbConnection({ path: folder })
  try {
    const database = address.searchParams.get('database')
    if (database !== null) await session.command({ query: `USE ${database}` })
    const sql = bindParameters({ sql: query, parameters: parametersOf(address) })
    const readsBody = inAddress !== null && body.length > 0 && form === undefined
    if (readsBody || form !== undefined) writeFileSync(blockPath, form?.block ?? body)
    for (const setting of settingsOf(address)) await session.command({ query: setting })
    const { stream } = await session.query({ query: readsBody ? fromFile(sql, blockPath) : sql })
    const result = await buffer(stream)
    if (query.startsWith('INSERT INTO lines ') && `${++linesInserts}` === rules['dies-of-insert'])
      process.kill(process.pid, 'SIGKILL')
    response.writeHead(200, { 'content-type': 'text/plain', 'x-clickhouse-summary': '{}' })
    response.end(result)
  } finally {
    rmSync(blockPath, { force: true })
    await session.close()
  }
}

/** In the words of a server. */
function assertMay({ headers }: IncomingMessage, query: string): void {
  const { user, password } = rules
  const login = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  if (password !== '' && headers.authorization !== login) {
    const message = 'Authentication failed: password is incorrect, or there is no user with such name. '
    throw new ClickHouseError({ code: '516', type: 'AUTHENTICATION_FAILED', message })
  }
  if (rules['databases-are-given'] && /^CREATE DATABASE/.test(query)) {
    const message = `${user}: Not enough privileges. To execute this query, it's necessary to have the grant CREATE DATABASE. `
    throw new ClickHouseError({ code: '497', type: 'ACCESS_DENIED', message })
  }
}

/** External data for a statement: a form with the rows of one table as a file. */
async function formIn({ headers }: IncomingMessage, body: Buffer) {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return undefined
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  for (const [name, file] of form)
    if (file instanceof Blob) return { name, block: Buffer.from(await file.arrayBuffer()) }
  return undefined
}

function withExternal(query: string, address: URL, name: string | undefined, path: string): string {
  if (name === undefined) return query
  const structure = address.searchParams.get(`${name}_structure`)?.replaceAll("'", "\\'")
  for (const suffix of ['format', 'structure']) address.searchParams.delete(`${name}_${suffix}`)
  return query.replaceAll(new RegExp(`\\b${name}\\b`, 'g'), `file('${path}', 'Native', '${structure}')`)
}

function fromFile(sql: string, path: string): string {
  return sql
    .replace(/\binput\('((?:[^'\\]|\\.)*)'\)/, `file('${path}', 'Native', '$1')`)
    .replace(/\s+FORMAT Native\s*$/, '')
}

function parametersOf(address: URL): Record<string, unknown> {
  const parameters: Record<string, unknown> = {}
  for (const [name, value] of address.searchParams)
    if (name.startsWith('param_'))
      parameters[name.slice('param_'.length)] = value.startsWith('[') ? value : unescaped(value)
  return parameters
}

/** The client escapes tabs and the like, as in tab-separated files; in a list only within its quotes. */
function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', '0': '\0' }
  return text.replace(/\\(.)/gs, (_, character: string) => named[character] ?? character)
}

function settingsOf(address: URL): string[] {
  const settings: string[] = []
  for (const [name, value] of address.searchParams) {
    if (NOT_SETTINGS.has(name) || HTTP_SETTINGS.has(name) || name.startsWith('param_')) continue
    settings.push(`SET ${name} = ${/^\d+$/.test(value) ? value : `'${value.replaceAll("'", "''")}'`}`)
  }
  // Read-only comes last: it takes the right to set anything.
  return settings.sort((a, b) => Number(a.includes('readonly')) - Number(b.includes('readonly')))
}

function fail(response: ServerResponse, error: unknown): void {
  const known = error instanceof ClickHouseError || (error as { code?: string }).code !== undefined
  const code = known ? String((error as { code?: string }).code) : '1002'
  const type = (error as { type?: string }).type ?? 'UNKNOWN_EXCEPTION'
  const { message } = error as Error
  response.writeHead(500, { 'x-clickhouse-exception-code': code })
  response.end(`Code: ${code}. DB::Exception: ${message} (${type}) (version 26.7)\n`)
}

server.listen(Number(port), '127.0.0.1', () => {
  const address = server.address()
  if (address !== null && typeof address === 'object') console.log(`port ${address.port}`)
})

// A test run that was itself killed leaves nobody behind.
process.stdin.resume().on('end', stop)
process.on('SIGTERM', stop)

function stop(): void {
  server.close()
  server.closeAllConnections()
  rmSync(blocks, { recursive: true, force: true })
  void keeper.close().finally(() => process.exit(0))
}
