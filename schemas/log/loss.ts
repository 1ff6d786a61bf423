import type { Checkpoint } from './checkpoint.ts'
import { type Control, type Cut, controlType } from './control.ts'
import type { StoreTable } from './tables.ts'
import { schemaIdOf } from './wire-format.ts'

/**
 * The loss of records that somebody has accepted: the payload of a cut of kind 'loss'. Such cuts stand in the place of
 * every lost record, so that offsets that were given before are not given again: a position names one line for ever.
 * What was witnessed of the lost records is in the first of them, and takes effect behind the last.
 */
export interface Loss {
  /** First lost record. */
  readonly from: number
  /** First offset beyond all that is known. */
  readonly to: number
  readonly witnessed?: Witnessed
}

/** What of the lost records is known, or a part of it. */
export interface Witnessed {
  /** Log time, UNIX ms: it does not step back. */
  readonly timeMs?: number
  /** Highest sequences: records that are repeated were taken once. */
  readonly producers?: Checkpoint['producers']
  /** Cuts that were in effect. */
  readonly cuts?: readonly Cut[]
  /** Tables that have what ended behind the first lost record, hence all that was counted before it. */
  readonly reached?: readonly StoreTable[]
}

/** @returns undefined when the record says nothing of a loss */
export function lossOf({ body }: Control): Loss | undefined {
  if (!('weir.Cut' in body) || body['weir.Cut'].kind !== 'loss') return undefined
  return JSON.parse(body['weir.Cut'].payload) as Loss
}

export function lossIn({ value }: { readonly value: Buffer }): Loss | undefined {
  return schemaIdOf(value) === controlType.id ? lossOf(controlType.decode(value)) : undefined
}

export function lossCut(source: { readonly topic: string; readonly partition: number }, loss: Loss): Cut {
  const entity = `${source.topic}/${source.partition}`
  return { kind: 'loss', entity, version: loss.to, payload: JSON.stringify(loss) }
}
