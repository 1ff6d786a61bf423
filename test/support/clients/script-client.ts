import { type Answer, basic, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

/** A client of a scripting language: the key is the password of any user. Its retries are unknown; 5xx here. */
export class ScriptClient implements ShippingClient {
  readonly outbox: Outbox<SentLine>
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
    this.outbox = new Outbox({
      send: lines => this.#send(lines),
      isDelivered: status => status === 200,
      isRetried: status => status >= 500,
      batchLines: 1,
    })
  }

  /** Every line at once, its time as digits. */
  log({ text, app, level, timeMs, meta = {} }: LoggedLine): void {
    this.outbox.add({ line: text, app, level, timestamp: String(timeMs), meta: JSON.stringify(meta) })
  }

  #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname } = this.#options
    return exchange({
      origin,
      path: `/logs/ingest?hostname=${hostname}&now=${Date.now()}`,
      headers: { authorization: basic('username', key), 'content-type': 'application/json' },
      body: JSON.stringify({ lines }),
    })
  }
}
