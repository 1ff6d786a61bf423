import { Connection, type ConnectionOptions } from './connection.ts'
import { requestName, type SentRequest } from './sent-request.ts'

const CONNECTIONS = 6

/** Several connections that ship at the same time, and the list of their requests. */
export class Shipper {
  readonly #connections: readonly Connection[]
  readonly #odd: string[] = []
  #sent: SentRequest[] = []
  readonly #newest = new Map<number, SentRequest>()
  #running: Promise<void>[] = []
  #isShipping = false
  /** Named in every request that begins from now on. */
  host = 'none'
  /** Whether connections send without pauses. */
  inHurry = false

  constructor(options: Omit<ConnectionOptions, 'connection'>) {
    this.#connections = Array.from(
      { length: CONNECTIONS },
      (_, connection) => new Connection({ ...options, connection }),
    )
  }

  /** The last acknowledged request of every connection. */
  get newestAcknowledged(): readonly SentRequest[] {
    return [...this.#newest.values()]
  }

  /** Attempts so far that had no known outcome. */
  get retries(): number {
    return this.#connections.reduce((sum, { retries }) => sum + retries, 0)
  }

  start(): void {
    this.#isShipping = true
    this.#running = this.#connections.map(connection => this.#ship(connection))
  }

  /** Lets every connection deliver its current request, then rest. */
  async rest(): Promise<void> {
    this.#isShipping = false
    await Promise.all(this.#running)
  }

  /** Hands over the requests since the last time, and the answers that should not have come. To be called at rest. */
  take(): { sent: SentRequest[]; odd: string[] } {
    const sent = this.#sent
    this.#sent = []
    return { sent, odd: this.#odd.splice(0) }
  }

  /** Gives up the requests under way. */
  close(): void {
    this.#isShipping = false
    for (const connection of this.#connections) connection.close()
  }

  /** The last request of each connection is an acknowledged one: nothing that was sent before is still under way. */
  async #ship(connection: Connection): Promise<void> {
    const begun = (request: SentRequest) => this.#sent.push(request)
    const odd = (request: SentRequest, what: string) => this.#odd.push(`${requestName(request)} ${what}`)
    let request: SentRequest
    do {
      request = await connection.shipOne(this.host, begun, odd)
      if (!this.inHurry) await connection.pause()
      if (request.outcome === 'acknowledged') this.#newest.set(request.connection, request)
    } while (request.outcome !== 'refused' && (this.#isShipping || request.outcome === 'abandoned'))
  }
}
