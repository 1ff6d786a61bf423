import { ExtendedType, schemaIdOf, WireType } from './wire-format.ts'

/** One change of the configuration; see avro/configuration-event.1.avsc. */
export interface ConfigurationEvent {
  /** UUID by which the writer recognises its own event. */
  readonly id: string
  readonly atMs: number
  /** Subject id of the actor. */
  readonly actor: string
  /** Short account id; empty: the event concerns more than one account. */
  readonly account: string
  readonly changes: readonly ConfigurationChange[]
}

export interface ConfigurationChange {
  readonly kind: string
  readonly entity: string
  /** 0: the entity must not exist yet; -1: any version. */
  readonly expectedVersion: number
  /** JSON with encrypted secrets; empty: the entity was removed. */
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

/** Kind of the entities that put a record into quarantine. Programs that do not know it refuse a log with one. */
export const QUARANTINE_KIND = 'quarantine'

const isQuarantine = ({ kind }: { readonly kind: string }): boolean => kind === QUARANTINE_KIND
const holdsQuarantine = ({ entities }: ConfigurationSnapshotPart): boolean => entities.some(isQuarantine)

export const configurationEventType = new ExtendedType<ConfigurationEvent>(
  'ConfigurationEvent',
  'ConfigurationQuarantine',
  ({ changes }) => changes.some(isQuarantine),
)
/** Event that accepts the loss of the log's end. Programs that do not know it refuse to process later events. */
export const configurationLossType = new WireType<ConfigurationEvent>('ConfigurationLoss')
export const configurationSnapshotType = new ExtendedType<ConfigurationSnapshotPart>(
  'ConfigurationSnapshot',
  'ConfigurationSnapshotWithQuarantine',
  holdsQuarantine,
)
/** Snapshot of a log on which a loss was accepted. */
export const configurationSnapshotAfterLossType = new ExtendedType<ConfigurationSnapshotPart>(
  'ConfigurationSnapshotAfterLoss',
  'ConfigurationSnapshotWithQuarantine',
  holdsQuarantine,
)

/** The event of a record that is not part of a snapshot. @throws WireFormatError */
export function configurationEventOf(value: Buffer): ConfigurationEvent {
  const isLoss = schemaIdOf(value) === configurationLossType.id
  return (isLoss ? configurationLossType : configurationEventType).decode(value)
}
