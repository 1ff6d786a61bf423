import { WireType } from './wire-format.ts'

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
export const configurationSnapshotType = new WireType<ConfigurationSnapshotPart>('ConfigurationSnapshot')
