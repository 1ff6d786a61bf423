import { type Answer, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

/** A client that sends each tag, and its key, as a separate parameter. Its retries are unknown; 5xx here. */
export class TagRepeatingClient implements ShippingClient {
  readonly outbox: Outbox<SentLine>
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
    this.outbox = new Outbox({
      send: lines => this.#send(lines),
      isDelivered: status => status === 200,
      isRetried: status => status >= 500,
    })
  }

  log({ text, app, level, timeMs, meta }: LoggedLine): void {
    this.outbox.add({ line: text, app, level, timestamp: timeMs, meta })
  }

  #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname } = this.#options
    const path = `/logs/ingest?apikey=${key}&hostname=${hostname}&tags=first&tags=second,third&tags=first`
    return exchange({ origin, path, body: JSON.stringify({ lines }) })
  }
}
