import type { NetworkAddress, TlsOptions } from './outbound.ts'
import type { OutboundErrorCode } from './outbound-error.ts'

/** Records for a topic of a Kafka cluster that a user named. */
export interface KafkaProduction {
  /** Some brokers, which report the others. */
  readonly brokers: readonly NetworkAddress[]
  /** Absent: connections are not encrypted. */
  readonly tls?: TlsOptions
  /** Absent: no login. */
  readonly login?: KafkaLogin
  readonly topic: string
  readonly compression: KafkaCompression
  /** None: only the connection and the login are tried. In order. Records without a key go to one partition, which follows from `stickiness`. */
  readonly records: readonly KafkaRecord[]
  readonly stickiness: string
  /** Account whose connections carry the records: it never waits for those of another. Absent: the installation. */
  readonly owner?: string
}

export interface KafkaLogin {
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512'
  readonly username: string
  readonly password: string
}

export type KafkaCompression = 'gzip' | 'lz4' | 'none' | 'snappy' | 'zstd'

export interface KafkaRecord {
  readonly key: string | null
  readonly value: string
  readonly headers: Readonly<Record<string, string>>
  /** UNIX ms. */
  readonly timestampMs: number
}

/**
 * Answer of a cluster to records: `error` is the name that Kafka gives it, such as `MESSAGE_TOO_LARGE`; null: all of them are
 * written. After an error, some of them may be. A failure means that no broker answered, or none that is allowed.
 */
export type KafkaOutcome = { readonly error: string | null } | { readonly failure: OutboundErrorCode }

/** The only way to write to clusters of Kafka that a user named. */
export interface KafkaOutbound {
  /**
   * Writes records to a topic, over connections of `Outbound` that later records use again.
   *
   * @param signal ends the wait; records on their way may be written nevertheless
   * @throws the reason of the signal
   */
  produce(production: KafkaProduction, signal: AbortSignal): Promise<KafkaOutcome>
}
