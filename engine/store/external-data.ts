import { HOUR_MS } from '../times/duration.ts'
import { AUDIT_COMMENT, type AuditStatement } from './connection.ts'

export interface Login {
  readonly url: string
  readonly username: string
  readonly password: string
  readonly database: string
}

/** Audits of a large day read all of it. */
const TIMEOUT_MS = HOUR_MS
const TABLE = 'external_rows'
const SETTINGS = {
  output_format_json_quote_64bit_integers: '1',
  log_comment: AUDIT_COMMENT,
  readonly: '2',
  cancel_http_readonly_queries_on_client_close: '1',
  // Without it, the server answers 200 first and fails afterwards.
  wait_end_of_query: '1',
}

/**
 * Statements with rows that are sent along with them, as a form with the block as a file. The client does not support
 * this (ClickHouse, "External data for query processing").
 */
export class ExternalData {
  readonly #login: Login
  readonly #closed = new AbortController()
  #last: Promise<unknown> = Promise.resolve()

  constructor(login: Login) {
    this.#login = login
  }

  /** Rows of the statement; one statement at a time. */
  read<Row>(statement: AuditStatement): Promise<Row[]> {
    const result = this.#last.then(() => this.#read<Row>(statement))
    this.#last = result.catch(() => {})
    return result
  }

  /** Ends running statements; the server ends them, too. */
  close(): void {
    this.#closed.abort()
  }

  async #read<Row>({ sql, block, signal }: AuditStatement): Promise<Row[]> {
    const { url, username, password, database } = this.#login
    const query = `${sql(TABLE)} FORMAT JSONEachRow`
    const address = new URL(url)
    const parameters = {
      ...SETTINGS,
      database,
      ...(block && { query, [`${TABLE}_format`]: 'Native', [`${TABLE}_structure`]: block.structure }),
    }
    for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value)
    const response = await fetch(address, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` },
      body: block === undefined ? query : formOf(block.block),
      signal: AbortSignal.any([
        this.#closed.signal,
        AbortSignal.timeout(TIMEOUT_MS),
        ...(signal ? [signal] : []),
      ]),
    })
    const text = await response.text()
    // The server's own words, "Code: N. DB::Exception: …", identify the error.
    if (!response.ok) throw new Error(text)
    return text.split('\n').flatMap(line => (line === '' ? [] : [JSON.parse(line) as Row]))
  }
}

function formOf(block: readonly Uint8Array[]): FormData {
  const form = new FormData()
  form.set(TABLE, new Blob(block as Uint8Array<ArrayBuffer>[]))
  return form
}
