import type { ChangedEvent, SentFrom } from './rekeyed.ts'
import { WireType } from './wire-format.ts'

/** Events that a partition hands over to the lanes of an outbox partition; the shapes are described in avro/outgoing.1.avsc. */
export interface Outgoing {
  readonly behaviour: number
  readonly sourceTopic: string
  readonly sourcePartition: number
  readonly account: string
  readonly parts: readonly OutgoingPart[]
}

export type OutgoingPart =
  | { readonly 'weir.OutgoingEvents': OutgoingEvents }
  | { readonly 'weir.PipelineDeleted': PipelineDeleted }

export interface OutgoingEvents {
  readonly pipeline: string
  readonly version: number
  readonly node: string
  /** Canonical type of the destination. */
  readonly type: string
  /** JSON. */
  readonly options: string
  readonly lines: Buffer
  readonly offsets: Buffer
  readonly rows: Buffer
  readonly changed: readonly ChangedEvent[]
}

export interface PipelineDeleted extends SentFrom {
  readonly pipeline: string
}

export const outgoingType = new WireType<Outgoing>('Outgoing')
