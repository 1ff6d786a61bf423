import type { Cut } from './control.ts'
import { ExtendedType } from './wire-format.ts'

/**
 * Events that one partition sends to another; the shapes are described in avro/rekeyed.1.avsc. Records with annotated events have the
 * form of avro/annotated-rekeyed.1.avsc.
 */
export interface Rekeyed {
  readonly behaviour: number
  readonly sourceTopic: string
  readonly sourcePartition: number
  readonly account: string
  readonly parts: readonly RekeyedPart[]
}

export type RekeyedPart =
  | { readonly 'weir.RekeyedEvents': RekeyedEvents }
  | { readonly 'weir.ForwardedCut': SentFrom & Cut }
  | { readonly 'weir.MovedState': SentFrom & MovedState }
  | { readonly 'weir.ShareMoved': SentFrom & Share }
  | { readonly 'weir.ShareRecalled': SentFrom & Share }

/** Position in the source topic that a part comes from. */
export interface SentFrom {
  readonly offset: number
  readonly row: number
}

export interface RekeyedEvents {
  readonly pipeline: string
  readonly version: number
  readonly node: string
  readonly lines: Buffer
  readonly offsets: Buffer
  readonly rows: Buffer
  readonly changed: readonly ChangedEvent[]
}

export interface ChangedEvent {
  readonly index: number
  readonly message: string | null
  readonly metadata: string | null
  readonly timestamp: string | null
  /** JSON. Absent or null: none. */
  readonly annotations?: string | null
}

export interface MovedState {
  readonly pipeline: string
  readonly versions: readonly number[]
  readonly node: string
  readonly data: Buffer
}

export interface Share {
  readonly share: number
}

export const rekeyedType = new ExtendedType<Rekeyed>('Rekeyed', 'AnnotatedRekeyed', ({ parts }) =>
  parts.some(part => 'weir.RekeyedEvents' in part && isAnnotated(part['weir.RekeyedEvents'].changed)),
)

/** Whether one of the events has annotations. */
export function isAnnotated(changed: readonly ChangedEvent[]): boolean {
  return changed.some(({ annotations = null }) => annotations !== null)
}
