import type { BatchBounds } from '../contract/define-destination.ts'

/** Events of one request within a batch: the index of the first, and that behind the last. */
export type EventRange = readonly [first: number, end: number]

/**
 * Cuts the events of a batch into requests within its bounds. A larger event is in one alone.
 *
 * @param sizes bytes that each event adds
 */
export function requestRanges(
  sizes: readonly number[],
  { bytes, events = Number.POSITIVE_INFINITY }: Omit<BatchBounds, 'ageMs'>,
): EventRange[] {
  const ranges: EventRange[] = []
  let first = 0
  let sum = 0
  for (let index = 0; index < sizes.length; index++) {
    const size = sizes[index] as number
    if (index > first && (sum + size > bytes || index - first >= events)) {
      ranges.push([first, index])
      first = index
      sum = 0
    }
    sum += size
  }
  if (first < sizes.length) ranges.push([first, sizes.length])
  return ranges
}
