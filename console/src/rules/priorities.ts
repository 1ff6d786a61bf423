/** Highest number that a rule can have. */
const MAX_PRIORITY = 1_000_000

/** A rule with the number that decides its place: the lowest one comes first. */
interface Ranked {
  readonly id: string
  readonly priority: number
}

/** Rules in the order in which they decide. Those of one number stay as the server lists them. */
export function inOrder<Rule extends Ranked>(rules: readonly Rule[]): readonly Rule[] {
  return rules.toSorted((a, b) => a.priority - b.priority)
}

/**
 * Numbers that give rules a new order. The present numbers are used again where they differ, so that few rules change.
 *
 * @param rules in the wanted order
 * @returns rules whose number changes, with the new one
 */
export function priorityChanges(rules: readonly Ranked[]): readonly Ranked[] {
  const numbers = rules.map(({ priority }) => priority).toSorted((a, b) => a - b)
  for (let at = 1; at < numbers.length; at++)
    numbers[at] = Math.max(numbers[at] as number, (numbers[at - 1] as number) + 1)
  // Numbers at the upper end make room below them.
  for (let at = numbers.length - 1, most = MAX_PRIORITY; at >= 0; at--, most--)
    numbers[at] = Math.min(numbers[at] as number, most)
  return rules
    .map(({ id, priority }, at) => ({ id, before: priority, priority: numbers[at] as number }))
    .filter(({ before, priority }) => before !== priority)
    .map(({ id, priority }) => ({ id, priority }))
}
