import { type Problem, pointerTo } from '../event/problem.ts'

/**
 * Finds the items of a list that say again what an earlier one said. The schema's own rule compares every item with
 * every other, which takes minutes for what fits into one request.
 *
 * @param keyOf what tells items apart; undefined for an item that is not compared
 */
export function duplicateProblems(
  pointer: string,
  items: unknown,
  keyOf: (item: unknown) => string | undefined,
): Problem[] {
  if (!Array.isArray(items)) return [] // The schema has said so.
  const seen = new Set<string>()
  return items.flatMap((item: unknown, index) => {
    const key = keyOf(item)
    if (key === undefined || seen.size !== seen.add(key).size) return []
    return [{ instancePath: pointerTo(pointer, index), message: 'must NOT have duplicate items' }]
  })
}
