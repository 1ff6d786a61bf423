/**
 * Manners of a receiver. `away`: it refuses everything with 503. `deaf`: it takes what comes, and cuts the connection instead of an
 * answer. `hangs`: it neither takes nor answers.
 */
export const RECEIVER_MODES = ['well', 'away', 'deaf', 'hangs'] as const
export type ReceiverMode = (typeof RECEIVER_MODES)[number]

/** A body that a receiver has taken, as it stands in its file. */
export interface TakenBody {
  /** Key of the request, or the name of the object. */
  readonly key: string
  readonly lines: readonly string[]
  /** Ids of the documents, in the order of the lines; empty where the receiver knows none. */
  readonly documents: readonly string[]
}
