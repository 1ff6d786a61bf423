import { BackOff } from '../../clock/back-off.ts'
import type { Clock } from '../../clock/clock.ts'
import { LogError } from '../log.ts'
import type { KafkaBroker, KafkaCluster } from './kafkajs-cluster.ts'

const PAUSES = { firstMs: 25, longestMs: 250 }
/** Errors that a repetition cannot solve, with the remedy for the operator. */
const FATAL: Readonly<Record<string, string>> = {
  SASL_AUTHENTICATION_FAILED: 'check KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD',
  UNSUPPORTED_SASL_MECHANISM: 'check KAFKA_SASL_MECHANISM',
  ILLEGAL_SASL_STATE:
    'that port does not require a login: unset KAFKA_SASL_MECHANISM, or set KAFKA_BROKERS to the port that does',
  TOPIC_AUTHORIZATION_FAILED:
    'allow the user of KAFKA_SASL_USERNAME to use the topics that begin with "weir."',
  CLUSTER_AUTHORIZATION_FAILED: 'allow the user of KAFKA_SASL_USERNAME to create topics',
  GROUP_AUTHORIZATION_FAILED: 'allow the user of KAFKA_SASL_USERNAME to use the group',
}

/** Message of kafkajs about a broker to which the connection could not be completed; the error has no name. */
const NOT_CONNECTED = 'Broker not connected'

export interface KafkaLinkOptions {
  readonly cluster: KafkaCluster
  readonly clock: Clock
  /** Time during which a call is repeated while brokers are unavailable or leaders move. */
  readonly patienceMs: number
}

/** Calls to the present leader of a partition. */
export class KafkaLink {
  readonly #options: KafkaLinkOptions
  #metadataIsOld = false
  #closed = false

  constructor(options: KafkaLinkOptions) {
    this.#options = options
  }

  async open(): Promise<void> {
    const connect = () => this.#options.cluster.connect()
    await this.#repeated(() => connect().catch(refuseUntrusted))
  }

  /** Adds topics whose leaders are tracked. */
  async follow(topics: readonly string[]): Promise<void> {
    await this.#repeated(() => this.#options.cluster.addMultipleTargetTopics(topics))
  }

  /**
   * Sends a request to the leader of a partition, again and again until it answers or patience ends. The request must be
   * harmless when repeated.
   *
   * @throws LogError LOG_UNAVAILABLE (retriable unless access is refused), LOG_RECORD_TOO_LARGE, LOG_CLOSED; the broker's
   *   errors about the offset, as kafkajs throws them
   */
  ask<Answer>(
    topic: string,
    partition: number,
    call: (broker: KafkaBroker) => Promise<Answer>,
  ): Promise<Answer> {
    return this.#repeated(async () => call(await this.broker(await this.leaderOf(topic, partition))))
  }

  async broker(nodeId: number): Promise<KafkaBroker> {
    if (this.#closed) throw new LogError('LOG_CLOSED', 'The log has been closed.')
    return this.#options.cluster.findBroker({ nodeId })
  }

  /** Node id of the leader. @throws LogError LOG_UNAVAILABLE while there is none */
  async leaderOf(topic: string, partition: number): Promise<number> {
    const { cluster } = this.#options
    if (this.#closed) throw new LogError('LOG_CLOSED', 'The log has been closed.')
    if (this.#metadataIsOld) {
      await cluster.refreshMetadata()
      this.#metadataIsOld = false
    }
    const found = cluster
      .findTopicPartitionMetadata(topic)
      .find(({ partitionId }) => partitionId === partition)
    if (found === undefined || found.leader < 0) {
      this.#metadataIsOld = true
      throw new LogError('LOG_UNAVAILABLE', `${topic}/${partition} has no leader.`, { retriable: true })
    }
    return found.leader
  }

  /** Makes the next call read the leaders again. Callers must call it after any failure, since leaders may have moved. */
  doubt(): void {
    this.#metadataIsOld = true
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#options.cluster.disconnect()
  }

  async #repeated<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    const { clock, patienceMs } = this.#options
    const untilMs = clock.monotonicMs() + patienceMs
    const attempt = async () => {
      try {
        return await call()
      } catch (error) {
        if (this.#closed) throw new LogError('LOG_CLOSED', 'The log has been closed.')
        this.doubt()
        throw logErrorOf(error)
      }
    }
    const mayRepeat = (failure: unknown, pauseMs: number) =>
      failure instanceof LogError && failure.retriable && clock.monotonicMs() + pauseMs <= untilMs
    return new BackOff(clock, PAUSES).repeat(attempt, mayRepeat)
  }
}

/** A refused certificate ends the start at once, because waiting cannot solve it. */
function refuseUntrusted(error: Error): never {
  if (!/certificate/i.test(error.message)) throw error
  throw new LogError('LOG_UNAVAILABLE', `Kafka: ${error.message.trim()}`, { cause: error })
}

/** Translates errors of a broker or connection into errors of the log; other errors are returned unchanged. */
export function logErrorOf(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof LogError) return error
  if (isOutOfRange(error)) return error
  const type = typeOf(error)
  const remedy = FATAL[type]
  if (remedy !== undefined)
    return new LogError('LOG_UNAVAILABLE', `Kafka refuses: ${error.message}; ${remedy}.`, { cause: error })
  if (type === 'MESSAGE_TOO_LARGE' || type === 'RECORD_LIST_TOO_LARGE')
    return new LogError('LOG_RECORD_TOO_LARGE', `Kafka refuses a record: ${error.message}`, { cause: error })
  if (!error.name.startsWith('KafkaJS') && error.message !== NOT_CONNECTED) return error
  return new LogError('LOG_UNAVAILABLE', `Kafka: ${error.message.trim()}`, { retriable: true, cause: error })
}

export function isOutOfRange(error: unknown): boolean {
  return error instanceof Error && typeOf(error) === 'OFFSET_OUT_OF_RANGE'
}

/** Kafka's name of the error, if the broker gave one. */
export function typeOf(error: Error): string {
  const { type, cause, originalError } = error as { type?: string; cause?: unknown; originalError?: unknown }
  if (typeof type === 'string') return type
  if (error.name === 'KafkaJSSASLAuthenticationError') return 'SASL_AUTHENTICATION_FAILED'
  const below = originalError ?? cause
  return below instanceof Error ? typeOf(below) : ''
}
