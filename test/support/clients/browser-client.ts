import { type Answer, basic, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

interface BrowserClientOptions extends ClientOptions {
  /** Origin of the client's page. */
  readonly pageOrigin: string
}

/**
 * The client inside of pages. The browser sends the POST only when a preflight allows it. It shows the answer, even an
 * error, only when the answer allows the page's origin; otherwise the client only knows that the request failed.
 */
export class BrowserClient implements ShippingClient {
  readonly outbox: Outbox<SentLine>
  readonly #options: BrowserClientOptions
  /** UNIX ms; a browser keeps the answer to a preflight for as long as that says. */
  #allowedUntilMs = 0

  constructor(options: BrowserClientOptions) {
    this.#options = options
    this.outbox = new Outbox({
      send: lines => this.#send(lines),
      isDelivered: status => status === 200,
      isRetried: status => status >= 500,
    })
  }

  log({ text, app, level, timeMs, meta }: LoggedLine): void {
    this.outbox.add({ timestamp: timeMs, line: text, app, level, meta })
  }

  async #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname, pageOrigin } = this.#options
    const path = `/logs/ingest?${new URLSearchParams({ hostname, now: String(Date.now()) })}`
    const headers = { 'content-type': 'application/json; charset=UTF-8', authorization: basic(key) }
    if (Date.now() >= this.#allowedUntilMs) await this.#preflight(path, Object.keys(headers))
    const sent = { origin, path, headers: { ...headers, origin: pageOrigin } }
    return this.#shown(await exchange({ ...sent, body: JSON.stringify({ lines }) }))
  }

  async #preflight(path: string, names: readonly string[]): Promise<void> {
    const { origin, pageOrigin } = this.#options
    const asked = {
      origin: pageOrigin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': names.toSorted().join(','),
    }
    const { status, headers } = this.#shown(
      await exchange({ method: 'OPTIONS', origin, path, headers: asked }),
    )
    const isAllowed =
      status >= 200 &&
      status < 300 &&
      listed(headers['access-control-allow-methods']).includes('post') &&
      names.every(name => listed(headers['access-control-allow-headers']).includes(name))
    if (!isAllowed) throw new TypeError('Failed to fetch')
    this.#allowedUntilMs = Date.now() + Number(headers['access-control-max-age'] ?? 5) * 1_000
  }

  #shown(answer: Answer): Answer {
    const allowed = answer.headers['access-control-allow-origin']
    if (allowed === '*' || allowed === this.#options.pageOrigin) return answer
    throw new TypeError('Failed to fetch')
  }
}

function listed(header: string | string[] | undefined): string[] {
  return String(header ?? '')
    .toLowerCase()
    .split(',')
    .map(name => name.trim())
}
