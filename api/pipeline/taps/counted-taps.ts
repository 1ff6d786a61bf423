import type { Taps } from '../../../engine/replay/taps/taps.ts'

/** Taps that count how many are open. */
export class CountedTaps implements Taps {
  readonly #taps: Taps
  #count = 0

  constructor(taps: Taps) {
    this.#taps = taps
  }

  get count(): number {
    return this.#count
  }

  open: Taps['open'] = (...given) => {
    const tap = this.#taps.open(...given)
    if (tap.signal.aborted) return tap
    this.#count++
    tap.signal.addEventListener('abort', () => this.#count--, { once: true })
    return tap
  }
}
