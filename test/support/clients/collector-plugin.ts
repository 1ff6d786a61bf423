import { type Answer, basic, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

interface CollectorPluginOptions extends ClientOptions {
  readonly language: 'C' | 'Ruby'
}

const PATH = '/logs/ingest?hostname='

/**
 * The output plugins of two collectors. They never drop a batch: a batch that cannot be delivered blocks the following
 * ones.
 */
export class CollectorPlugin implements ShippingClient {
  readonly outbox: Outbox<SentLine>
  readonly #options: CollectorPluginOptions

  constructor(options: CollectorPluginOptions) {
    this.#options = options
    const isDelivered =
      options.language === 'C'
        ? (status: number) => status >= 200 && status <= 205
        : (status: number) => status < 400
    this.outbox = new Outbox({ send: lines => this.#send(lines), isDelivered, isRetried: () => true })
  }

  log({ text, app, level, timeMs, meta }: LoggedLine): void {
    this.outbox.add({ timestamp: timeMs, line: text, app, level, env: 'production', meta })
  }

  /** Asked before the first batch and from time to time. @param authorization absent: asked before there is a key */
  async isUp(authorization?: string): Promise<boolean> {
    const { origin } = this.#options
    const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) }
    try {
      const { status } = await exchange({ origin, path: PATH, headers })
      return status !== 403 && status < 500
    } catch {
      return false
    }
  }

  #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname } = this.#options
    return exchange({
      origin,
      path: `${PATH}${hostname}&tags=collected`,
      headers: { Authorization: basic(key), 'Content-Type': 'application/json; charset=UTF-8' },
      body: JSON.stringify({ lines }),
    })
  }
}
