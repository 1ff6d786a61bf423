import { useLayoutEffect } from 'react'
import { termPlaces } from './term-places.ts'

const NAME = 'query-term'

/**
 * Marks the words of the query in the lines of a list: in its elements with `data-text`. The elements stay as they are.
 * Several lists of a page can have marks at the same time.
 */
export function useTermMarks(
  list: { readonly current: HTMLElement | null },
  words: readonly string[],
  /** Changes when other lines are shown. */
  shown: unknown,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other lines need other marks
  useLayoutEffect(() => {
    if (!('highlights' in CSS) || list.current === null) return
    return mark(rangesIn(list.current, words))
  }, [list, words, shown])
}

/** Adds ranges to the marks of the page. @returns a function that removes them */
function mark(ranges: readonly Range[]): () => void {
  const marks = CSS.highlights.get(NAME) ?? new Highlight()
  CSS.highlights.set(NAME, marks)
  for (const range of ranges) marks.add(range)
  return () => {
    for (const range of ranges) marks.delete(range)
  }
}

function rangesIn(list: HTMLElement, words: readonly string[]): Range[] {
  return [...list.querySelectorAll('[data-text]')].flatMap(({ firstChild }) =>
    firstChild === null
      ? []
      : termPlaces(firstChild.nodeValue ?? '', words).map(({ start, end }) => {
          const range = new Range()
          range.setStart(firstChild, start)
          range.setEnd(firstChild, end)
          return range
        }),
  )
}
