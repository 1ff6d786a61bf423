import type { Checkpoint } from './checkpoint.ts'
import { type Control, type Cut, controlType } from './control.ts'
import type { StoreTable } from './tables.ts'
import { schemaIdOf } from './wire-format.ts'

/**
 * Accepted loss of records: the payload of a cut of kind 'loss'. Such cuts replace every lost record, so that offsets are never
 * given twice: a position names one line forever. The first of them contains the known facts about the lost records, which take
 * effect after the last.
 */
export interface Loss {
  /** First lost record. */
  readonly from: number
  /** First offset beyond everything that is known. */
  readonly to: number
  readonly witnessed?: Witnessed
}

/** Known facts about the lost records, possibly incomplete. */
export interface Witnessed {
  /** Log time, UNIX ms: it must not step back. */
  readonly timeMs?: number
  /** Highest sequences, so that repeated records count once. */
  readonly producers?: Checkpoint['producers']
  /** Cuts that were in effect. */
  readonly cuts?: readonly Cut[]
  /** Tables that contain results of batches that ended after the first lost record. They contain all earlier results, too. */
  readonly reached?: readonly StoreTable[]
}

/** @returns undefined when the record is not about a loss */
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
