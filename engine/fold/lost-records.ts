import type { Loss, Witnessed } from '../../schemas/log/loss.ts'
import type { StoreTable } from '../../schemas/log/tables.ts'
import type { LogRecord } from '../log/log.ts'

/** Offsets of lost records behind the fold, and the known facts about them. */
export interface PassedLoss {
  readonly from: bigint
  /** Offset behind the last lost one. */
  readonly to: bigint
  readonly witnessed: readonly Witnessed[]
}

/**
 * Accepted losses, as their places are read. Nothing happens in these places, since positions in them are known: no time
 * passes, and nothing ends. The known facts take effect with the first record behind them.
 */
export class LostRecords {
  #open: (PassedLoss & { readonly witnessed: Witnessed[] }) | undefined

  /** Whether the last record that was read is the place of a lost one. */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  note({ appendTimeMs }: LogRecord, { from, to, witnessed = {} }: Loss): void {
    const known = this.#open ?? { from: BigInt(from), to: 0n, witnessed: [] }
    // A log may lose its end again within an accepted gap: the second acceptance then has a later end.
    this.#open = BigInt(to) > known.to ? { ...known, to: BigInt(to) } : known
    known.witnessed.push({ ...witnessed, timeMs: Math.max(appendTimeMs, witnessed.timeMs ?? 0) })
  }

  /** Passes the lost records. @returns undefined if none precede the present record directly */
  pass(): PassedLoss | undefined {
    const passed = this.#open
    this.#open = undefined
    return passed
  }
}

/** Tables that have rows of the lost records. */
export function reachedTables(witnessed: readonly Witnessed[]): ReadonlySet<StoreTable> {
  return new Set(witnessed.flatMap(({ reached }) => reached ?? []))
}
