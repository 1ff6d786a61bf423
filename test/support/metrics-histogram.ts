/** A histogram of the metrics' text form: how many values are at most each bound. The last bound is infinite. */
export interface Histogram {
  readonly bounds: readonly number[]
  readonly counts: readonly number[]
}

/** Reads one, summed over the labels that are not named. */
export function histogramOf(
  metrics: string,
  name: string,
  labels: Readonly<Record<string, string>>,
): Histogram {
  const counts = new Map<number, number>()
  const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`)
  for (const [, texts = '', count] of metrics.matchAll(
    new RegExp(`^${name}_bucket\\{(.*)\\} (\\d+)$`, 'gm'),
  )) {
    if (!wanted.every(label => texts.split(',').includes(label))) continue
    const bound = /le="([^"]+)"/.exec(texts)?.[1] ?? ''
    const number = bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound)
    counts.set(number, (counts.get(number) ?? 0) + Number(count))
  }
  const bounds = [...counts.keys()].sort((a, b) => a - b)
  return { bounds, counts: bounds.map(bound => counts.get(bound) as number) }
}

/** Values between two readings of the same processes, combined. */
export function addedHistogram(before: readonly Histogram[], after: readonly Histogram[]): Histogram {
  const bounds = after.find(({ counts }) => counts.length > 0)?.bounds ?? []
  const at = (histograms: readonly Histogram[], index: number) =>
    histograms.reduce((sum, { counts }) => sum + (counts[index] ?? 0), 0)
  return { bounds, counts: bounds.map((_, index) => at(after, index) - at(before, index)) }
}

/**
 * Upper bound of the given quantile: the next bound of the histogram.
 *
 * @throws Error when the histogram is empty
 */
export function quantileBound({ bounds, counts }: Histogram, share: number): number {
  const total = counts.at(-1) ?? 0
  if (total === 0) throw new Error('the histogram is empty')
  return bounds[counts.findIndex(count => count >= share * total)] as number
}
