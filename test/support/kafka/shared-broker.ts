import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { KafkaCluster } from './kafka-cluster.ts'

/** Address at which the test processes of one run ask for the addresses of its broker. */
const VARIABLE = 'WEIR_TESTS_SHARED_BROKER'

export interface SharedBroker {
  stop(): Promise<void>
}

/**
 * Lets the test processes that this one starts share a broker, which starts when the first of them asks for it.
 *
 * @param start starts the broker
 */
export async function offerSharedBroker(start: () => Promise<KafkaCluster>): Promise<SharedBroker> {
  let starting: Promise<KafkaCluster> | undefined
  const server = createServer((_, response) => {
    starting ??= start()
    starting.then(
      ({ bootstrap }) => response.end(bootstrap.join(',')),
      (error: Error) => response.writeHead(500).end(error.message),
    )
  })
  server.unref().listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.env[VARIABLE] = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    async stop() {
      delete process.env[VARIABLE]
      server.close()
      const cluster = await starting?.catch(() => undefined)
      await cluster?.stop()
    },
  }
}

/** Undefined in a process that no run of tests has started. */
export function sharedBroker(): (() => Promise<string[]>) | undefined {
  const url = process.env[VARIABLE]
  if (url === undefined) return undefined
  return async () => {
    const response = await fetch(url)
    const text = await response.text()
    if (!response.ok) throw new Error(text)
    return text.split(',')
  }
}
