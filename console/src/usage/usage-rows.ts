import type { UsageOverTime } from '../api/usage.ts'

export type Unit = 'bytes' | 'lines'

/** Usage of one name in a range, beside the range before. */
export interface UsageRow {
  readonly name: string
  readonly values: readonly number[]
  readonly total: number
  /** Undefined if the range before is not known for this name. */
  readonly before: number | undefined
}

/** Number of names with a colour of their own; the others are one part of the chart. */
export const COLOURS = 7

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0)

/**
 * Rows of names, those of most first.
 *
 * @param before the range of equal length before; undefined while it is not known
 */
export function usageRows(
  usage: UsageOverTime,
  before: UsageOverTime | undefined,
  unit: Unit,
): readonly UsageRow[] {
  const earlier = new Map(before?.series.map(each => [each.name, sum(each[unit])]))
  const knowsAll = before !== undefined && sum(before.other.lines) === 0
  return usage.series
    .map(each => ({
      name: each.name,
      values: each[unit],
      total: sum(each[unit]),
      before: earlier.get(each.name) ?? (knowsAll ? 0 : undefined),
    }))
    .sort((a, b) => b.total - a.total)
}

/** One part of a stacked chart. */
export interface Layer {
  /** Undefined for all names without a colour of their own. */
  readonly name: string | undefined
  readonly values: readonly number[]
}

/** Layers of the chart from the bottom up. */
export function layersOf(
  rows: readonly UsageRow[],
  other: readonly number[],
  starts: readonly number[],
): readonly Layer[] {
  const own = rows.slice(0, COLOURS).map(({ name, values }) => ({ name, values }))
  const rest = starts.map((_, at) =>
    rows.slice(COLOURS).reduce((total, { values }) => total + (values[at] ?? 0), other[at] ?? 0),
  )
  return rest.some(value => value > 0) ? [...own, { name: undefined, values: rest }] : own
}

/** Change against the range before in words, such as `+12 %`; undefined where it cannot be said. */
export function changeOf({ total, before }: UsageRow): string | undefined {
  if (before === undefined) return undefined
  if (before === 0) return total === 0 ? '0 %' : 'new'
  const percent = Math.round(((total - before) / before) * 100)
  if (percent > 999) return `\u00d7 ${Math.round(total / before)}`
  return `${percent > 0 ? '+' : percent < 0 ? '\u2212' : ''}${Math.abs(percent)} %`
}
