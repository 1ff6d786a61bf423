import { type Answer, exchange } from './exchange.ts'

const TOKEN = /^st[a-z]_[0-9a-f]{40}$/
/** Output in place of a missing answer. */
export const GAVE_UP = 'no answer'

interface CommandLineOptions {
  readonly origin: string
  /** An access token or a service key, distinguished by its form. */
  readonly secret: string
  readonly timeoutMs?: number
}

type Parameters = Readonly<Record<string, string>>

interface ShownLine {
  readonly _host?: string
  readonly _app: string
  readonly _line: string
  readonly message?: string
}

interface AccountAnswer {
  readonly account: string
  readonly company: string
  readonly owneremail: string
  readonly plan: { readonly type: string }
  readonly status: string
  readonly meta: { readonly suspendIngestion: boolean }
}

/** The command-line client for searches. Everything that it shows is a line of text. */
export class CommandLineClient {
  /** Path and query of every request so far. */
  readonly requests: string[] = []
  readonly #options: CommandLineOptions

  constructor(options: CommandLineOptions) {
    this.#options = options
  }

  /** @param range both ends, UNIX ms */
  async search(range: readonly [number, number], query = '_account:*', filters: Parameters = {}) {
    const [from, to] = range.map(String) as [string, string]
    const asked = { ...filters, from, prefer: 'tail', query, size: '100', to }
    const shown: string[] = []
    for (let token: string | undefined = ''; token !== undefined; ) {
      const answer = await this.#get('/v2/export', token === '' ? asked : { ...asked, pagination_id: token })
      if (answer?.status !== 200) return [...shown, refusalIn(answer)]
      const page: { lines: ShownLine[]; pagination_id?: string | null } = JSON.parse(answer.body)
      shown.push(...shownLines(page.lines))
      token = page.pagination_id || undefined
    }
    return shown
  }

  /** Like `search`, by the older interface, which has no pages. */
  async searchOnce(range: readonly [number, number], query = '_account:*', filters: Parameters = {}) {
    const [from, to] = range.map(String) as [string, string]
    const asked = { ...filters, from, prefer: 'tail', query, size: '100', to }
    return textsOf(await this.#get('/v1/export', asked))
  }

  /** Search of an old release that is not made any more: it calls the query `q`, and sends its key in the address. */
  async searchAsBefore(range: readonly [number, number], query: string) {
    const [from, to] = range.map(ms => String(Math.floor(ms / 1_000))) as [string, string]
    const asked = { from, q: query, servicekey: this.#options.secret, size: '100', to }
    return textsOf(await this.#get('/v1/export', asked, {}))
  }

  async accounts(): Promise<string[]> {
    const answer = await this.#get('/v3/auth/account')
    if (answer?.status !== 200) return [refusalIn(answer)]
    const { data }: { data: AccountAnswer[] } = JSON.parse(answer.body)
    return data.map(({ account, company, owneremail, plan, status, meta }) =>
      [account, company, owneremail, plan.type, status, meta.suspendIngestion].join(' '),
    )
  }

  /** Names of the views in a category of which only the id is known: it is asked for as each type in turn. */
  async viewsIn(category: string): Promise<string[]> {
    for (const type of ['boards', 'screens', 'views']) {
      const answer = await this.#get(`/v1/config/categories/${type}/${category}`)
      if (answer?.status === 404) continue
      if (answer?.status !== 200) return [refusalIn(answer)]
      return this.#viewsNamed(JSON.parse(answer.body).name)
    }
    return ['There is no such category']
  }

  async #viewsNamed(category: string): Promise<string[]> {
    const answer = await this.#get('/v1/config/view')
    if (answer?.status !== 200) return [refusalIn(answer)]
    const views: { name: string; category: string[] }[] = JSON.parse(answer.body)
    return views.filter(view => view.category.includes(category)).map(({ name }) => name)
  }

  /** @returns undefined when there was no answer in time */
  async #get(
    path: string,
    asked: Parameters = {},
    headers = this.#credential(),
  ): Promise<Answer | undefined> {
    const names = Object.keys(asked).toSorted()
    const query = names.map(name => `${name}=${escaped(asked[name] as string)}`).join('&')
    const target = query === '' ? path : `${path}?${query}`
    this.requests.push(target)
    const { origin, timeoutMs = 3_000 } = this.#options
    const sent = { 'content-type': 'application/json', ...headers }
    try {
      return await exchange({ method: 'GET', origin, path: target, headers: sent, timeoutMs })
    } catch {
      return undefined
    }
  }

  #credential(): Record<string, string> {
    const { secret } = this.#options
    return TOKEN.test(secret) ? { Authorization: `Token ${secret}` } : { servicekey: secret }
  }
}

/** A line without a host is hidden. */
export function shownLines(lines: readonly ShownLine[]): string[] {
  return lines
    .filter(({ _host }) => _host)
    .map(({ _host, _app, _line, message }) => `${_host} ${_app} ${message || _line}`)
}

/** `code` and `error` of an answer that is not 200. */
export function refusalIn(answer: Pick<Answer, 'status' | 'body'> | undefined): string {
  if (answer === undefined) return GAVE_UP
  const { code, error } = JSON.parse(answer.body)
  return `${answer.status} ${code}: ${error}`
}

function textsOf(answer: Answer | undefined): string[] {
  if (answer?.status !== 200) return [refusalIn(answer)]
  const lines = answer.body.split('\n').filter(line => line !== '')
  return shownLines(lines.map(line => JSON.parse(line)))
}

/** Blanks become plus signs, and everything but letters, digits and four symbols is escaped. */
function escaped(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, symbol => `%${symbol.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
}
