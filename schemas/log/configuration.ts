import { schemaIdOf, WireType } from './wire-format.ts'

/** One change of the configuration; see avro/configuration-event.1.avsc. */
export interface ConfigurationEvent {
  /** UUID by which the writer knows its own event again. */
  readonly id: string
  readonly atMs: number
  /** Subject id of who did it. */
  readonly actor: string
  /** Short account id; empty: not of one account. */
  readonly account: string
  readonly changes: readonly ConfigurationChange[]
}

export interface ConfigurationChange {
  readonly kind: string
  readonly entity: string
  /** 0: must not exist yet; -1: whatever it is. */
  readonly expectedVersion: number
  /** JSON with secrets encrypted; empty: removed. */
  readonly value: string
}

/** A part of a snapshot; see avro/configuration-snapshot.1.avsc. */
export interface ConfigurationSnapshotPart {
  readonly id: string
  readonly upTo: number
  readonly part: number
  readonly parts: number
  readonly entities: readonly SnapshotEntity[]
}

export interface SnapshotEntity {
  readonly kind: string
  readonly entity: string
  readonly createdVersion: number
  readonly version: number
  readonly value: string
}

export const configurationEventType = new WireType<ConfigurationEvent>('ConfigurationEvent')
/** The event by which a lost end of the log is accepted; programs that do not know it refuse to fold on. */
export const configurationLossType = new WireType<ConfigurationEvent>('ConfigurationLoss')
export const configurationSnapshotType = new WireType<ConfigurationSnapshotPart>('ConfigurationSnapshot')
/** The same of a log on which a loss was accepted. */
export const configurationSnapshotAfterLossType = new WireType<ConfigurationSnapshotPart>(
  'ConfigurationSnapshotAfterLoss',
)

/** The event of a record that is no part of a snapshot. @throws WireFormatError */
export function configurationEventOf(value: Buffer): ConfigurationEvent {
  const isLoss = schemaIdOf(value) === configurationLossType.id
  return (isLoss ? configurationLossType : configurationEventType).decode(value)
}
