import {
  type ConfigurationLog,
  create,
  remove,
  replace,
} from '../../engine/configuration/configuration-log.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { type Stream, streams } from '../../engine/configuration/kinds/stream.ts'
import type { NetworkAddress } from '../../engine/outbound/outbound.ts'
import type { StreamWrite } from '../../schemas/http/account/stream.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { authorOf } from '../configuration/author.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'reach'>

const NONE = 'Not found'
const NONE_TO_CHANGE = 'Streaming configuration does not exist'

/** The stream of each account; a write must name brokers, of which at least one answers. */
export class Streams {
  readonly #ports: Ports

  constructor(ports: Ports) {
    this.#ports = ports
  }

  /** @throws ApiError 404 */
  get(caller: Caller): Stream {
    return this.#entity(caller).value
  }

  /** @throws ApiError 400, 409, 429 */
  async create(caller: Caller, write: StreamWrite): Promise<Stream> {
    const author = authorOf(caller)
    const { account } = author
    if (this.#configuration.get(streams, account) !== undefined)
      throw new ApiError(409, 'Conflict', 'Streaming configuration exists already')
    await this.#assertReachable(account, write.brokers)
    const stream = streamOf(account, write)
    await this.#configuration.append([create(streams, account, stream)], author)
    return stream
  }

  /** @throws ApiError 400, 404, 429 */
  async replace(caller: Caller, write: StreamWrite): Promise<Stream> {
    const author = authorOf(caller)
    const { account } = author
    this.#entity(caller, NONE_TO_CHANGE)
    await this.#assertReachable(account, write.brokers)
    const stream = streamOf(account, write)
    await untilNotOvertaken(() =>
      this.#configuration.append([replace(streams, this.#entity(caller, NONE_TO_CHANGE), stream)], author),
    )
    return stream
  }

  /** @throws ApiError 404 */
  async delete(caller: Caller): Promise<void> {
    await untilNotOvertaken(() =>
      this.#configuration.append([remove(streams, this.#entity(caller))], authorOf(caller)),
    )
  }

  #entity(caller: Caller, none = NONE): Entity<Stream> {
    const stream = this.#configuration.get(streams, accountOf(caller).shortId)
    if (stream === undefined) throw notFound(none)
    return stream
  }

  #assertReachable(account: string, brokers: readonly string[]): Promise<void> {
    return this.#ports.reach.assertOpen(
      account,
      brokers.map(brokerAddress),
      'Failed to connect to Kafka broker',
    )
  }

  get #configuration(): ConfigurationLog {
    return this.#ports.configuration
  }
}

function streamOf(account: string, { brokers, topic, user, password }: StreamWrite): Stream {
  return { account, brokers, topic, user, password }
}

/** @param broker host:port, the host in brackets when it is an address of IPv6 */
function brokerAddress(broker: string): NetworkAddress {
  const colon = broker.lastIndexOf(':')
  return { host: broker.slice(0, colon).replace(/^\[(.*)\]$/, '$1'), port: Number(broker.slice(colon + 1)) }
}
