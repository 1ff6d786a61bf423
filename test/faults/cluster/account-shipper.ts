import { newDice } from '../../support/dice.ts'
import { Connection } from '../connection.ts'
import { requestName, type SentRequest } from '../sent-request.ts'

/** Time for which a connection waits for an answer: less than most troubles last. */
const PATIENCE_MS = 1_500
const CONNECTIONS = 2

export interface AccountShipperOptions {
  readonly seed: number
  /** Place of the account; each has connections of its own, with and without keys. */
  readonly account: number
  readonly ingestUrls: readonly string[]
  readonly ingestionKey: string
}

/** Some connections of one account that ship at the same time, each attempt to any of the ingest processes. */
export class AccountShipper {
  readonly #connections: readonly Connection[]
  readonly #newest = new Map<number, SentRequest>()
  readonly #odd: string[] = []
  #sent: SentRequest[] = []
  #running: Promise<void>[] = []
  #isShipping = false
  /** Named in every request that begins from now on. */
  host = 'none'

  constructor({ seed, account, ingestUrls, ingestionKey }: AccountShipperOptions) {
    this.#connections = Array.from({ length: CONNECTIONS }, (_, place) => {
      const connection = account * CONNECTIONS + place
      const dice = newDice(seed * 1_000 + 700 + connection)
      return new Connection({
        connection,
        seed,
        ingestionKey,
        patienceMs: PATIENCE_MS,
        get ingestUrl() {
          return dice.pick(ingestUrls)
        },
      })
    })
  }

  get newestAcknowledged(): readonly SentRequest[] {
    return [...this.#newest.values()]
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

  /** The requests since the last time, and the answers that should not have come. To be called at rest. */
  take(): { sent: SentRequest[]; odd: string[] } {
    const sent = this.#sent
    this.#sent = []
    return { sent, odd: this.#odd.splice(0) }
  }

  close(): void {
    this.#isShipping = false
    for (const connection of this.#connections) connection.close()
  }

  /** The last request is an acknowledged one: nothing that was sent before is still under way. */
  async #ship(connection: Connection): Promise<void> {
    const begun = (request: SentRequest) => this.#sent.push(request)
    const odd = (request: SentRequest, what: string) => this.#odd.push(`${requestName(request)} ${what}`)
    let request: SentRequest
    do {
      request = await connection.shipOne(this.host, begun, odd)
      await connection.pause()
      if (request.outcome === 'acknowledged') this.#newest.set(request.connection, request)
    } while (request.outcome !== 'refused' && (this.#isShipping || request.outcome === 'abandoned'))
  }
}
