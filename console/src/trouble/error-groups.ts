import type { ErrorCount, ErrorFilter, HourlyError } from '../api/trouble.ts'

export const GROUPINGS = ['none', 'node', 'code'] as const
export type Grouping = (typeof GROUPINGS)[number]

/** Errors that belong together, with their sums. */
export interface ErrorGroup {
  /** Id of the node, or the code; the empty text for all errors. */
  readonly key: string
  readonly errors: readonly HourlyError[]
  readonly count: number
  readonly hours: HourlyError['hours']
}

export function matches(
  { pipeline_id: id, node_id: node, code }: Pick<ErrorCount, 'pipeline_id' | 'node_id' | 'code'>,
  filter: Partial<ErrorFilter>,
): boolean {
  return isAny(filter.pipeline, id) && isAny(filter.node, node) && isAny(filter.code, code)
}

function isAny(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === '' || wanted === value
}

/** Groups of errors, those with the most errors first. Errors of a group keep their order. */
export function groupsOf(errors: readonly HourlyError[], by: Grouping): readonly ErrorGroup[] {
  const groups = Map.groupBy(errors, ({ node_id: node, code }) => ({ none: '', node, code })[by])
  return [...groups]
    .map(([key, members]) => ({
      key,
      errors: members,
      count: members.reduce((sum, { count }) => sum + count, 0),
      hours: hoursOf(members),
    }))
    .toSorted((a, b) => b.count - a.count)
}

/** Sums of the hours of several errors, ascending. */
function hoursOf(errors: readonly HourlyError[]): HourlyError['hours'] {
  const counts = new Map<string, number>()
  for (const { start, count } of errors.flatMap(({ hours }) => hours))
    counts.set(start, (counts.get(start) ?? 0) + count)
  return [...counts]
    .map(([start, count]) => ({ start, count }))
    .toSorted((a, b) => a.start.localeCompare(b.start))
}

/** Errors by each value of a member, the most frequent first; for lists of which one is chosen. */
export function countsBy(
  counted: readonly ErrorCount[],
  keyOf: (counted: ErrorCount) => string,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const each of counted) {
    const value = keyOf(each)
    counts.set(value, (counts.get(value) ?? 0) + each.count)
  }
  return new Map([...counts].toSorted(([, a], [, b]) => b - a))
}
