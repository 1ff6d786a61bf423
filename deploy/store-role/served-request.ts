import type { IncomingMessage } from 'node:http'
import type { ExternalTable, ServedStatement } from '../../engine/store/embedded-server/embedded-server.ts'
import { engineError, notImplemented } from '../../engine/store/embedded-server/engine-error.ts'
import { readsInput } from '../../engine/store/embedded-server/statement-text.ts'
import { askerOfKey } from '../../engine/turns/asker.ts'

/** A batch has at most 32 MB of lines; its other columns are small. */
const MAX_ROWS_BYTES = 128 * 1024 ** 2
/** The engine itself refuses longer texts than 256 KiB. */
const MAX_TEXT_BYTES = 1024 ** 2

/** Parameters of the address that are not settings of a statement, but of the interface itself. */
const OF_THE_INTERFACE =
  /^(?:query|query_id|database|default_format|role|user|password|quota_key|compress|decompress|buffer_size|wait_end_of_query|send_progress_in_http_headers|enable_http_compression|add_http_cors_header|cancel_http_readonly_queries_on_client_close|http_\w+|session_\w+|param_\w+|readonly)$/
const TABLE_NAME = /^[A-Za-z_]\w*$/

/**
 * The statement of a request to ClickHouse's HTTP interface, as far as the store uses it.
 *
 * @throws errors in the engine's words
 */
export async function statementOf(request: IncomingMessage): Promise<ServedStatement> {
  const { searchParams: parameters } = new URL(request.url ?? '/', 'http://store')
  const { headers } = request
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw notImplemented('compressed requests are not supported here')
  if (parameters.has('session_id'))
    throw notImplemented('sessions are not supported here: give settings with each statement')
  const form = await formOf(request)
  for (const [name, value] of form.fields) parameters.append(name, value)
  const table = takeTable(form.files, parameters)
  const beside = {
    parameters: named(parameters, name => /^param_(\w+)$/.exec(name)?.[1]),
    database: parameters.get('database') ?? String(headers['x-clickhouse-database'] ?? 'default'),
    asker: askerOfKey(parameters.get('quota_key') ?? ''),
    format: parameters.get('default_format') ?? String(headers['x-clickhouse-format'] ?? 'TabSeparated'),
    isReadOnly: request.method === 'GET' || (parameters.get('readonly') ?? '0') !== '0',
    isGivenWhole: parameters.get('wait_end_of_query') === '1',
    ...(table && { table }),
  }
  const settings = named(parameters, name => (OF_THE_INTERFACE.test(name) ? undefined : name))
  const sql = parameters.get('query') ?? ''
  if (readsInput(sql)) return { ...beside, settings, sql, input: () => bodyOf(request, MAX_ROWS_BYTES) }
  const text = form.isThere ? '' : Buffer.concat(await bodyOf(request, MAX_TEXT_BYTES)).toString()
  if (sql !== '' && text !== '')
    throw notImplemented('rows beside a statement are read by the function input(…) with a FORMAT at its end')
  return { ...beside, settings, sql: sql + text }
}

interface Form {
  readonly isThere: boolean
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly files: readonly (readonly [name: string, content: Uint8Array])[]
}

async function formOf(request: IncomingMessage): Promise<Form> {
  const type = request.headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) return { isThere: false, fields: [], files: [] }
  const body = new Blob((await bodyOf(request, MAX_ROWS_BYTES)) as Uint8Array<ArrayBuffer>[])
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  const fields: [string, string][] = []
  const files: [string, Uint8Array][] = []
  for (const [name, value] of form)
    if (typeof value === 'string') fields.push([name, value])
    else files.push([name, new Uint8Array(await value.arrayBuffer())])
  return { isThere: true, fields, files }
}

/** The table that was sent as a file, with its description in the address. */
function takeTable(files: Form['files'], parameters: URLSearchParams): ExternalTable | undefined {
  const [file, another] = files
  if (file === undefined) return undefined
  const [name, content] = file
  const [structure, format] = ['structure', 'format'].map(what => {
    const value = parameters.get(`${name}_${what}`)
    parameters.delete(`${name}_${what}`)
    return value
  })
  if (another !== undefined || !structure || !TABLE_NAME.test(name))
    throw notImplemented('one external table is supported here, with its structure')
  return { name, structure, format: format ?? 'TabSeparated', rows: [content] }
}

function named(
  parameters: URLSearchParams,
  nameOf: (name: string) => string | undefined,
): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [given, value] of parameters) {
    const name = nameOf(given)
    if (name !== undefined) found[name] = value
  }
  return found
}

async function bodyOf(request: IncomingMessage, limitBytes: number): Promise<Buffer[]> {
  const chunks: Buffer[] = []
  let size = 0
  // A request that is too large still gets its answer, so its connection must stay open.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > limitBytes)
      throw engineError(307, 'TOO_MANY_BYTES', `a request may have ${limitBytes} bytes here`)
    chunks.push(chunk)
  }
  return chunks
}
