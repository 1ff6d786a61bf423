import { type Answer, basic, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

const RETRIED = [408, 500, 504]

/** The handler for Ruby: of the statuses of a server in trouble it knows two, and 503 is not one of them. */
export class RubyHandler implements ShippingClient {
  readonly outbox: Outbox<SentLine>
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
    this.outbox = new Outbox({
      send: lines => this.#send(lines),
      isDelivered: status => status === 200,
      isRetried: status => RETRIED.includes(status),
    })
  }

  /** Times go out as seconds. */
  log({ text, app, level, timeMs, meta }: LoggedLine): void {
    this.outbox.add({ line: text, app, level, timestamp: timeMs / 1_000, meta })
  }

  #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname } = this.#options
    return exchange({
      origin,
      // Neither host nor tags are percent-encoded.
      path: `/logs/ingest?hostname=${hostname}&mac=&ip=&tags=ruby,handler&now=${Date.now()}`,
      headers: { Authorization: basic(key), 'content-type': 'application/json' },
      body: JSON.stringify({ e: 'ls', ls: lines }),
    })
  }
}
