import { type Answer, exchange } from './exchange.ts'
import { Outbox } from './outbox.ts'
import type { ClientOptions, LoggedLine, SentLine, ShippingClient } from './shipping-client.ts'

interface PythonHandlerOptions extends ClientOptions {
  /** Some releases send milliseconds. */
  readonly timestamps: 'seconds' | 'milliseconds'
}

const RETRIED = [429, 500, 502, 503, 504, 507]

/** The handler for Python's logging: sends parameters that it has no value for, and its clock in seconds. */
export class PythonHandler implements ShippingClient {
  readonly outbox: Outbox<SentLine>
  readonly #options: PythonHandlerOptions

  constructor(options: PythonHandlerOptions) {
    this.#options = options
    this.outbox = new Outbox({
      send: lines => this.#send(lines),
      isDelivered: status => status === 200,
      isRetried: status => RETRIED.includes(status),
    })
  }

  log({ text, app, level, timeMs, meta = {} }: LoggedLine): void {
    const { timestamps, hostname } = this.#options
    const timestamp = timestamps === 'seconds' ? timeMs / 1_000 : timeMs
    this.outbox.add({
      hostname,
      timestamp,
      line: text,
      level,
      app,
      env: '',
      meta: pythonJson(meta),
    })
  }

  #send(lines: readonly SentLine[]): Promise<Answer> {
    const { origin, key, hostname } = this.#options
    const now = Math.floor(Date.now() / 1_000)
    return exchange({
      origin,
      path: `/logs/ingest?hostname=${encodeURIComponent(hostname)}&ip=10.0.0.1&mac=&tags=&now=${now}`,
      headers: { apikey: key, 'Content-Type': 'application/json' },
      body: pythonJson({ e: 'ls', ls: lines }),
    })
  }
}

/** JSON as Python writes it: non-ASCII characters are escaped, and blanks separate members. */
function pythonJson(value: unknown): string {
  const spaced = JSON.stringify(value, null, 1).replace(/,\n */g, ', ').replace(/\n */g, '')
  return spaced.replace(/[\u007f-\uffff]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
