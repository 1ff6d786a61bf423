import { type Answer, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

/** A client of a compiled language: the body contains its identity. Its retries are unknown; 5xx here. */
export class CompiledClient implements ShippingClient {
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
    this.outbox.add({ line: text, app, level, timestamp: new Date(timeMs).toISOString(), meta })
  }

  #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname } = this.#options
    const body = {
      apikey: key,
      hostname,
      ip: '10.0.0.1',
      mac: 'C0-FF-EE-C0-FF-EE',
      tags: 'compiled,prod',
      lines,
    }
    return exchange({
      origin,
      path: '/logs/ingest',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  }
}
