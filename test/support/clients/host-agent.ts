import { gzipSync } from 'node:zlib'
import { type Answer, basic, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

/** The agent that follows the files of a host: it knows a file and not an app, and sends large batches, compressed and in chunks. */
export class HostAgent implements ShippingClient {
  readonly outbox: Outbox<SentLine>
  readonly #options: ClientOptions

  constructor(options: ClientOptions) {
    this.#options = options
    this.outbox = new Outbox({
      send: lines => this.#send(lines),
      isDelivered: status => status === 200,
      isRetried: status => status === 429 || (status >= 500 && status <= 504) || status === 507,
      batchLines: 5_000,
    })
  }

  /** The app is the name of the file that the line was found in. */
  log({ text, app, level, timeMs, meta }: LoggedLine): void {
    this.outbox.add({ line: text, file: `/var/log/${app}`, level, timestamp: timeMs, meta })
  }

  #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname } = this.#options
    const query = new URLSearchParams({ hostname, tags: 'agent', now: String(Date.now()) })
    return exchange({
      origin,
      path: `/logs/agent?${query}`,
      headers: {
        authorization: basic(key),
        'content-type': 'application/json',
        'content-encoding': 'gzip',
      },
      isChunked: true,
      body: gzipSync(JSON.stringify({ lines })),
    })
  }
}
