import type { Page } from 'playwright-core'

/** Frames of a page, and the longest time without lines. */
export interface Scrolled {
  readonly intervals: readonly number[]
  /** Longest time without a line, in frames. */
  readonly longestBlank: number
}

/** A page with `probe.mjs` in it. */
export class MeasuredPage {
  readonly page: Page

  constructor(page: Page) {
    this.page = page
  }

  /** Milliseconds between frames for some time. */
  frames(ms: number): Promise<readonly number[]> {
    return this.#probe(`frames(${ms})`)
  }

  scroll(ms: number): Promise<Scrolled> {
    return this.#probe(`scroll(${ms})`)
  }

  /** Times of the first paint since the request for the page, and of the first line since the first byte of the lines. */
  opened(): Promise<{ readonly paintMs: number | null; readonly linesMs: number | null }> {
    return this.#probe('opened()')
  }

  /** Times of the keys and clicks since the last call. */
  reactions(): Promise<readonly number[]> {
    return this.#probe('reactions()')
  }

  longestTaskMs(): Promise<number> {
    return this.#probe('longestTask()')
  }

  /** Bytes of the heap after its garbage was collected. */
  async heapBytes(): Promise<number> {
    const session = await this.page.context().newCDPSession(this.page)
    await session.send('HeapProfiler.collectGarbage')
    await session.detach()
    return this.#probe('heapBytes()')
  }

  /** @returns milliseconds from a click until so many elements are painted */
  appears(clicked: string, selector: string, count = 1): Promise<number> {
    return this.#probe(`appears(${JSON.stringify(clicked)}, ${JSON.stringify(selector)}, ${count})`)
  }

  #probe<Answer>(call: string): Promise<Answer> {
    return this.page.evaluate(`weirProbe.${call}`) as Promise<Answer>
  }
}

/** The least value that so large a share of some does not exceed; NaN of none. */
export function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}
