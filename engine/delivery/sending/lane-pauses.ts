import type { Clock } from '../../clock/clock.ts'
import type { LaneName } from '../fold/lane-cursor.ts'

const CHANGED = 'the pipeline has changed'

/** Pauses of lanes whose remotes refuse the credentials. A change of the pipeline ends them. */
export class LanePauses {
  readonly #clock: Clock
  /** Pauses of each pipeline. */
  readonly #ends = new Map<string, Set<AbortController>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * Resolves after the time, or when `end` is called for the pipeline, or when the signal is aborted.
   *
   * @returns whether it ended before its time because the pipeline has changed
   */
  async wait({ pipeline }: LaneName, ms: number, signal: AbortSignal): Promise<boolean> {
    const ends = this.#ends.get(pipeline) ?? new Set()
    this.#ends.set(pipeline, ends)
    const end = new AbortController()
    ends.add(end)
    await this.#clock.sleep(ms, AbortSignal.any([signal, end.signal]))
    ends.delete(end)
    if (ends.size === 0) this.#ends.delete(pipeline)
    return end.signal.aborted
  }

  /** Ends the pauses of a pipeline, which may have other credentials now. */
  end(pipeline: string): void {
    for (const end of this.#ends.get(pipeline) ?? []) end.abort(CHANGED)
  }
}
