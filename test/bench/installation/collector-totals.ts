import { readFileSync } from 'node:fs'

/** Collections of a main thread since its process began, with the time that they stopped it. */
export interface CollectorTotals {
  /** Total for collections of the whole heap, including incremental steps. */
  readonly full: number
  readonly fullMs: number
  /** Total for collections of young objects. */
  readonly young: number
  readonly youngMs: number
}

export function collectorTotals(file: string): CollectorTotals {
  return JSON.parse(readFileSync(file, 'utf8')) as CollectorTotals
}

export function collectorDifference(before: CollectorTotals, after: CollectorTotals): CollectorTotals {
  return {
    full: after.full - before.full,
    fullMs: after.fullMs - before.fullMs,
    young: after.young - before.young,
    youngMs: after.youngMs - before.youngMs,
  }
}
