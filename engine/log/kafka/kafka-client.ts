import type { ConnectionOptions } from 'node:tls'
import kafkajs, { type ISocketFactory, type Kafka, type SASLOptions } from 'kafkajs'
import type { Logger } from '../../logger.ts'
import { kafkaLogCreator } from './kafkajs-logger.ts'

const CONNECTION_TIMEOUT_MS = 3_000
const DEFAULT_REQUEST_TIMEOUT_MS = 5_000

export interface KafkaClientOptions {
  /** host:port of some brokers, which report the others. */
  readonly brokers: readonly string[]
  readonly logger: Logger
  readonly tls?: ConnectionOptions | undefined
  readonly sasl?: SaslLogin | undefined
  readonly requestTimeoutMs?: number | undefined
  /** Name of this process for the brokers and the group. */
  readonly clientId?: string | undefined
  /** Opens the connections. Default: those of Node. */
  readonly socketFactory?: ISocketFactory | undefined
}

export interface SaslLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

/** A client with the settings of the brokers. Each user of the client makes its own connections. */
export function kafkaClient({
  brokers,
  logger,
  tls,
  sasl,
  requestTimeoutMs,
  clientId = 'weir',
  socketFactory,
}: KafkaClientOptions): Kafka {
  return new kafkajs.Kafka({
    clientId,
    brokers: [...new Set(brokers)],
    ...(tls !== undefined && { ssl: tls }),
    ...(sasl !== undefined && { sasl: { ...sasl } as SASLOptions }),
    ...(socketFactory !== undefined && { socketFactory }),
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: requestTimeoutMs ?? DEFAULT_REQUEST_TIMEOUT_MS,
    // Callers repeat requests themselves, because they know which ones are safe to repeat.
    retry: { retries: 0 },
    logLevel: kafkajs.logLevel.WARN,
    logCreator: kafkaLogCreator(logger),
  })
}
