import type { PlaceNames, ProgressObserver } from '../../engine/fold-progress.ts'
import type { Logger } from '../../engine/logger.ts'

/** Turns that took at least this long are logged. The units of a turn are worth a few milliseconds at most. */
const LOGGED_MS = 1_000

/** A turn of a node: its work on one record, without a pause. */
export interface NodeTurn {
  readonly tookMs: number
  /** Names of the partition and of the node. */
  readonly names: PlaceNames
  /** Offset of the record. */
  readonly offset: number
}

/**
 * Measures the slowest turn of a node in this process since its start, in all replays, too. Turns end by counted units,
 * so a long one shows work that costs more than it counts, or a machine that had no time for the process.
 */
export class SlowestTurn implements ProgressObserver {
  readonly #nowMs: () => number
  readonly #names = new Map<number, PlaceNames>()
  #logger: Pick<Logger, 'warn'> | undefined
  #turn: NodeTurn | undefined
  #movedMs: number
  #slowestMs = 0
  /** Each further message is about a turn of at least twice the time, so there are few. */
  #loggedFromMs = LOGGED_MS

  /** @param nowMs milliseconds since some start, which never step back */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
    this.#movedMs = nowMs()
  }

  /** undefined: no node had a turn yet. */
  get turn(): NodeTurn | undefined {
    return this.#turn
  }

  /** Writes slow turns to that logger from now on. */
  logTo(logger: Pick<Logger, 'warn'>): void {
    this.#logger = logger
  }

  named(number: number, names: PlaceNames): void {
    this.#names.set(number, names)
  }

  moves(fold: number, node: number, offset: number): void {
    const nowMs = this.#nowMs()
    const tookMs = nowMs - this.#movedMs
    this.#movedMs = nowMs
    if (fold !== 0 && node !== 0 && tookMs > this.#slowestMs) this.#note(fold, node, offset, tookMs)
  }

  #note(fold: number, node: number, offset: number, tookMs: number): void {
    const names = { ...this.#names.get(fold), ...this.#names.get(node) }
    this.#slowestMs = tookMs
    this.#turn = { tookMs, names, offset }
    if (tookMs < this.#loggedFromMs) return
    this.#loggedFromMs = 2 * tookMs
    this.#logger?.warn({ ...names, offset, tookMs: Math.round(tookMs) }, 'a node took long for a record')
  }
}

/** Slowest turn of this process. */
export const slowestTurn = new SlowestTurn(() => performance.now())
