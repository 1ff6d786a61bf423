import type { JsonObject } from '../../../schemas/json.ts'
import type { HttpRequest } from '../../outbound/http-exchange.ts'
import type { NetworkAddress, Outbound } from '../../outbound/outbound.ts'
import { OutboundError } from '../../outbound/outbound-error.ts'
import { SECOND_MS } from '../../times/duration.ts'
import type { LaneName } from '../fold/lane-cursor.ts'

/** Time for a connection. (Our choice.) */
const PATIENCE_MS = 10 * SECOND_MS
const PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

interface LostServer {
  readonly address: NetworkAddress
  /** JSON of the options of the request. */
  readonly config: string
}

/**
 * Servers that accepted no connection for the last request of a lane. Trying the connection alone shows whether that has changed, so a batch
 * for a server that is away is not read and encoded in vain.
 */
export class LostServers {
  readonly #connect: Outbound['connect'] | undefined
  readonly #lost = new Map<string, LostServer>()

  /** @param connect absent: no server counts as lost */
  constructor(connect: Outbound['connect'] | undefined) {
    this.#connect = connect
  }

  /** Notes the outcome of a request of a lane. */
  note(lane: LaneName, config: JsonObject, request: unknown, outcome: unknown): void {
    const { failure } = outcome as { readonly failure?: unknown }
    const address = failure === 'NOT_CONNECTED' ? addressOf(request as Partial<HttpRequest>) : undefined
    if (address === undefined) this.#lost.delete(keyOf(lane))
    else this.#lost.set(keyOf(lane), { address, config: JSON.stringify(config) })
  }

  /**
   * Whether the server of a lane is lost, and still accepts no connection.
   *
   * @param config present options of the lane
   * @throws the reason of the signal
   */
  async isLost(lane: LaneName, config: JsonObject, signal: AbortSignal): Promise<boolean> {
    const lost = this.#lost.get(keyOf(lane))
    if (lost === undefined || this.#connect === undefined) return false
    try {
      if (lost.config === JSON.stringify(config)) {
        const wait = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
        const connection = await this.#connect(lost.address, wait)
        connection.destroy()
      }
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof OutboundError && error.code === 'NOT_CONNECTED') return true
    }
    this.#lost.delete(keyOf(lane))
    return false
  }
}

/** Address of the only server that takes a request directly; undefined: there are others, or a proxy is between. */
function addressOf({ url, otherUrls = [], connection }: Partial<HttpRequest>): NetworkAddress | undefined {
  if (url === undefined || otherUrls.length > 0 || connection?.proxy !== undefined) return undefined
  const { protocol, hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  return { host, port: port === '' ? (PORTS[protocol] as number) : Number(port) }
}

function keyOf({ account, pipeline, node }: LaneName): string {
  return `${account} ${pipeline} ${node}`
}
