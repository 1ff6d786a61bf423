import type { SystemRates } from './requests.ts'

/** Mean rates a second; undefined where nothing is known. */
export interface MeanRates {
  readonly name: SystemRates['series'][number]['name']
  readonly lastMinute: number | undefined
  readonly lastHour: number | undefined
}

/** Means of the intervals that are known. The last interval may have begun a moment ago, so the one before it counts. */
export function meanRates({ series }: SystemRates): readonly MeanRates[] {
  return series.map(({ name, values }) => {
    const known = values.filter(value => value !== null)
    return {
      name,
      lastMinute: (values.length > 1 ? values.at(-2) : values.at(-1)) ?? undefined,
      lastHour: known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0) / known.length,
    }
  })
}
