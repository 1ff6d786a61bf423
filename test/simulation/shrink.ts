import type { Plan } from './plan.ts'

/** A plan with some of its actions alone. */
export function withOnly(plan: Plan, kept: readonly number[]): Plan {
  return { ...plan, actions: kept.map(index => plan.actions[index] as Plan['actions'][number]) }
}

/**
 * Removes actions that a failure does not need: large pieces of the plan first, then smaller ones, down to single
 * actions.
 *
 * @param fails whether a plan still fails in any way
 * @returns remaining actions
 */
export async function shrink(plan: Plan, fails: (plan: Plan) => Promise<boolean>): Promise<number[]> {
  let kept = plan.actions.map((_, index) => index)
  for (let size = Math.ceil(kept.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let start = 0; start < kept.length; ) {
      const fewer = [...kept.slice(0, start), ...kept.slice(start + size)]
      if (await fails(withOnly(plan, fewer))) kept = fewer
      else start += size
    }
  }
  return kept
}
