import { useLayoutEffect } from 'react'

const NAME = 'query-term'
/** Marks of one row: a line of many equal words stays quick. */
const MOST_OF_ROW = 20

/** Marks the words of the query in the rows that are shown. The page's elements stay as they are. */
export function useTermMarks(
  list: { readonly current: HTMLElement | null },
  words: readonly string[],
  /** Changes when other rows are shown. */
  shown: unknown,
): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: other rows need other marks
  useLayoutEffect(() => {
    if (!('highlights' in CSS) || list.current === null) return
    const wanted = words.map(each => each.toLowerCase()).filter(each => each.length > 1)
    const ranges = wanted.length === 0 ? [] : rangesIn(list.current, wanted)
    if (ranges.length === 0) CSS.highlights.delete(NAME)
    else CSS.highlights.set(NAME, new Highlight(...ranges))
  }, [list, words, shown])
  useLayoutEffect(() => () => void CSS.highlights?.delete(NAME), [])
}

function rangesIn(list: HTMLElement, words: readonly string[]): Range[] {
  const cells = [...list.querySelectorAll('[data-text]')]
  return cells.flatMap(cell => {
    const { firstChild } = cell
    const text = firstChild?.nodeValue?.toLowerCase() ?? ''
    const starts = words.flatMap(word => placesOf(text, word).map(at => [at, at + word.length] as const))
    return starts.slice(0, MOST_OF_ROW).map(([start, end]) => {
      const range = new Range()
      range.setStart(firstChild as Node, start)
      range.setEnd(firstChild as Node, Math.min(end, firstChild?.nodeValue?.length ?? 0))
      return range
    })
  })
}

function placesOf(text: string, word: string): number[] {
  const places: number[] = []
  for (let at = text.indexOf(word); at !== -1 && places.length < MOST_OF_ROW; at = text.indexOf(word, at + 1))
    places.push(at)
  return places
}
