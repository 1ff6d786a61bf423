import type { Clock } from '../../clock/clock.ts'
import type { RequestPace } from '../../nodes/contract/define-destination.ts'
import type { LaneName } from '../fold/lane-cursor.ts'

/** Bounds the rate of the requests of each node, over all partitions of a process. */
export class RequestPaces {
  readonly #clock: Clock
  /** Times at which the newest requests of each node began or will begin, oldest first. */
  readonly #begun = new Map<string, number[]>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Time until the next request of a node may begin, in ms. @param pace undefined: it may begin at once */
  untilDueMs(lane: LaneName, pace: RequestPace | undefined): number {
    return pace === undefined ? 0 : Math.max(0, this.#dueMs(lane, pace) - this.#clock.monotonicMs())
  }

  /**
   * Resolves when a request may begin.
   *
   * @param pace undefined: at once
   */
  async whenDue(lane: LaneName, pace: RequestPace | undefined, signal: AbortSignal): Promise<void> {
    const key = keyOf(lane)
    if (pace === undefined) {
      this.#begun.delete(key)
      return
    }
    const begun = this.#begun.get(key) ?? []
    this.#begun.set(key, begun)
    const nowMs = this.#clock.monotonicMs()
    const dueMs = Math.max(nowMs, this.#dueMs(lane, pace))
    begun.push(dueMs)
    // Only those of the present span delay another, so a large number of requests needs no memory while few come.
    const past = begun.findIndex(beganMs => beganMs > nowMs - pace.perMs)
    begun.splice(0, Math.max(past, begun.length - pace.requests))
    if (dueMs > nowMs) await this.#clock.sleep(dueMs - nowMs, signal)
  }

  #dueMs(lane: LaneName, { requests, perMs }: RequestPace): number {
    const earlierMs = this.#begun.get(keyOf(lane))?.at(-requests)
    return earlierMs === undefined ? 0 : earlierMs + perMs
  }
}

function keyOf({ account, pipeline, node }: LaneName): string {
  return `${account} ${pipeline} ${node}`
}
