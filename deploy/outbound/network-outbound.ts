import type { KafkaOutbound } from '../../engine/outbound/kafka-exchange.ts'
import type { Outbound } from '../../engine/outbound/outbound.ts'
import { HttpRequests, type HttpRequestsPorts } from './http-requests.ts'
import type { KafkaProducers } from './kafka-producers.ts'
import { tlsConnection } from './tls-connection.ts'

/** An outbound port over the network. */
export interface NetworkOutbound extends Outbound, KafkaOutbound {
  /** Closes the connections of requests and records; those of `connect` and `connectTls` belong to their callers. */
  close(): Promise<void>
}

/** Outbound over judged connections: TLS and HTTP use `connect`, and open no connection of their own. */
export function networkOutbound(ports: HttpRequestsPorts): NetworkOutbound {
  const { connect, ca } = ports
  const requests = new HttpRequests(ports)
  const connectTls: Outbound['connectTls'] = async (address, options, signal) =>
    tlsConnection(
      await connect(address, signal),
      address,
      { ...(ca !== undefined && { ca }), ...options },
      signal,
    )
  let producers: Promise<KafkaProducers> | undefined
  return {
    connect,
    connectTls,
    request: (request, signal) => requests.send(request, signal),
    async produce(production, signal) {
      producers ??= openProducers({ connect, connectTls })
      return (await producers).send(production, signal)
    },
    async close() {
      await Promise.all([requests.close(), (await producers)?.close()])
    },
  }
}

/** Loads the client of Kafka, which most installations do not need. */
async function openProducers(outbound: Pick<Outbound, 'connect' | 'connectTls'>): Promise<KafkaProducers> {
  const { KafkaProducers: Producers } = await import('./kafka-producers.ts')
  return new Producers(outbound)
}
