import { type Problem, pointerTo } from '../event/problem.ts'

/**
 * Finds items of a list that repeat an earlier item. The schema's own rule compares every item with every other, which takes
 * minutes for a list that fits into one request.
 *
 * @param keyOf returns the value that identifies an item; undefined for an item that is not compared
 */
export function duplicateProblems(
  pointer: string,
  items: unknown,
  keyOf: (item: unknown) => string | undefined,
): Problem[] {
  if (!Array.isArray(items)) return [] // reported by the schema
  const seen = new Set<string>()
  return items.flatMap((item: unknown, index) => {
    const key = keyOf(item)
    if (key === undefined || seen.size !== seen.add(key).size) return []
    return [{ instancePath: pointerTo(pointer, index), message: 'must NOT have duplicate items' }]
  })
}
