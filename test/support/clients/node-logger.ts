import { type Answer, basic, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

interface NodeLoggerOptions extends ClientOptions {
  /** The older releases send the key by Basic. */
  readonly isOlder?: boolean
  /** Meta goes out as an object, and is searchable. */
  readonly indexMeta?: boolean
  readonly batchLines?: number
}

const RETRIED = [500, 502, 503, 504, 521, 522, 524]

/** The logger for Node.js: it drops the batch at every status that it does not know, including 429. */
export class NodeLogger implements ShippingClient {
  readonly outbox: Outbox<SentLine>
  /** Statuses of the lines of every batch that was taken in part. */
  readonly lineStatuses: number[][] = []
  readonly #options: NodeLoggerOptions

  constructor(options: NodeLoggerOptions) {
    this.#options = options
    this.outbox = new Outbox({
      send: lines => this.#send(lines),
      isDelivered: status => status === 200 || status === 207,
      isRetried: status => RETRIED.includes(status),
      ...(options.batchLines !== undefined && { batchLines: options.batchLines }),
    })
  }

  log({ text, app, level, timeMs, meta }: LoggedLine): void {
    const { indexMeta = false } = this.#options
    this.outbox.add({
      timestamp: timeMs,
      line: text,
      level,
      app,
      env: '',
      meta: indexMeta ? (meta ?? {}) : JSON.stringify(meta ?? {}),
    })
  }

  async #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname, isOlder = false } = this.#options
    const query = new URLSearchParams({ hostname, ip: '10.0.0.1', mac: 'c0:ff:ee:c0:ff:ee' })
    query.set('tags', 'prod,eu')
    query.set('now', String(Date.now()))
    const answer = await exchange({
      origin,
      path: `/logs/ingest?${query}`,
      headers: {
        'Content-Type': 'application/json; charset=UTF-8',
        ...(isOlder ? { Authorization: basic(key) } : { apikey: key }),
      },
      body: JSON.stringify({ e: 'ls', ls: lines }),
    })
    if (answer.status === 207) this.lineStatuses.push(JSON.parse(answer.body).status)
    return answer
  }
}
