import type { Checkpoint } from './checkpoint.ts'
import { type Control, type Cut, controlType } from './control.ts'
import type { StoreTable } from './tables.ts'
import { schemaIdOf } from './wire-format.ts'

/** Kind of the cuts that record accepted losses. */
export const LOSS_CUT = 'loss' satisfies Cut['kind']

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
  if (!('weir.Cut' in body) || body['weir.Cut'].kind !== LOSS_CUT) return undefined
  return JSON.parse(body['weir.Cut'].payload) as Loss
}

/** A record with its place on the log. */
interface PlacedRecord {
  readonly offset: bigint
  readonly knownEnd?: bigint | undefined
}

/**
 * Whether the append of a record was refused, because it landed below the end of the partition that its writer knew.
 * The log had lost records in between. Its offset was given before, and its sender was asked to repeat it. A reader
 * treats it as the place of a lost record.
 */
export function isRefused({ offset, knownEnd = 0n }: PlacedRecord): boolean {
  return offset < knownEnd
}

/** Loss of the record whose place a refused one takes. */
export function refusedPlace({ offset }: PlacedRecord): Loss {
  return { from: Number(offset), to: Number(offset) + 1 }
}

/** The loss that a record is a place of; undefined for any other record. */
export function lossIn(record: PlacedRecord & { readonly value: Buffer }): Loss | undefined {
  if (isRefused(record)) return refusedPlace(record)
  return schemaIdOf(record.value) === controlType.id ? lossOf(controlType.decode(record.value)) : undefined
}

export function lossCut(source: { readonly topic: string; readonly partition: number }, loss: Loss): Cut {
  const entity = `${source.topic}/${source.partition}`
  return { kind: LOSS_CUT, entity, version: loss.to, payload: JSON.stringify(loss) }
}
