import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { LineText } from '../api/records.ts'
import { type Order, type Selection, search } from '../api/searches.ts'
import {
  type FoundRow,
  type LinePage,
  pageAtEnd,
  pageOfRow,
  positionOf,
  rowsOf,
  withEnd,
  withinBounds,
  withLines,
} from './line-pages.ts'

const PAGE_LINES = 1_000
/** A page that is read again may have further lines, which arrived late. */
const REPEATED_PAGE_LINES = 2 * PAGE_LINES
/** Lines beyond these are released, the farthest first. */
const MAX_HELD_LINES = 50_000

export interface FoundLines {
  /** The lines that were read, undefined in the place of a released one. */
  readonly lines: readonly FoundRow[]
  readonly isLoading: boolean
  /** Whether the lines belong to the search before. */
  readonly isStale: boolean
  readonly error: unknown
  /** Position behind which further lines may be; null: the range is at its end. */
  readonly next: string | null
  readonly access: string | undefined
  /** UNIX ms to which the present reading came. */
  readonly coveredToMs: number | undefined
}

interface Reading extends Omit<FoundLines, 'lines'> {
  readonly pages: readonly LinePage[]
}

const NOTHING: Reading = {
  pages: [],
  isLoading: true,
  isStale: false,
  error: null,
  next: null,
  access: undefined,
  coveredToMs: undefined,
}

/** Lines of a search as they are found, and further ones on demand. */
export function useFoundLines(selection: Selection, order: Order) {
  const [reading, setReading] = useState(NOTHING)
  const latest = useRef(NOTHING)
  const running = useRef<AbortController>(undefined)
  const lastPage = useRef(0)

  const change = useCallback((members: Partial<Reading>) => {
    latest.current = { ...latest.current, ...members }
    setReading(latest.current)
  }, [])

  /** @param isNew whether the page is the first one of another search */
  const readPage = useCallback(
    async (at: number, isNew: boolean) => {
      running.current?.abort()
      const controller = new AbortController()
      running.current = controller
      const { signal } = controller
      lastPage.current = at
      const { pages, next } = latest.current
      const after = isNew || at === 0 ? undefined : (pages[at]?.after ?? next ?? undefined)
      // Last line of the page, where the page behind it is known.
      const end = isNew ? undefined : pages[at + 1]?.after
      const limit = end === undefined ? PAGE_LINES : REPEATED_PAGE_LINES
      change({ isLoading: true, isStale: isNew, error: null, coveredToMs: undefined })
      try {
        let lines: readonly LineText[] = []
        for await (const piece of search(selection, { order, limit, after }, signal)) {
          if (signal.aborted) return
          if ('rows' in piece) {
            change({ coveredToMs: piece.coveredToMs })
            continue
          }
          const { isStale, pages: before } = latest.current
          const present = isStale ? [] : before
          if ('lines' in piece) {
            const [own, isAtEnd] = upTo(end, [...lines, ...piece.lines])
            lines = own
            change({ pages: withLines(present, at, { after, lines }), isStale: false })
            if (!isAtEnd) continue
          } else if (end === undefined) {
            change({ next: piece.next, access: piece.access })
          }
          const whole = withEnd(isStale ? present : latest.current.pages, at)
          change({
            pages: withinBounds(whole, at, MAX_HELD_LINES),
            isStale: false,
            isLoading: false,
          })
          return
        }
      } catch (error) {
        if (signal.aborted) return
        // Lines of another search must not stand below the error of this one.
        const { isStale, pages: before } = latest.current
        change({ pages: isStale ? [] : before, isStale: false, isLoading: false, error })
      }
    },
    [change, selection, order],
  )

  useEffect(() => {
    void readPage(0, true)
    return () => running.current?.abort()
  }, [readPage])

  const readMore = useCallback(() => {
    const { next, isLoading, pages } = latest.current
    if (next !== null && !isLoading) void readPage(pageAtEnd(pages), false)
  }, [readPage])
  const readAgain = useCallback(
    (row: number) => {
      const page = pageOfRow(latest.current.pages, row)
      if (page === -1 || (latest.current.isLoading && page === lastPage.current)) return
      if (latest.current.error === null) void readPage(page, false)
    },
    [readPage],
  )
  const cancel = useCallback(() => {
    running.current?.abort()
    change({ isLoading: false, isStale: false })
  }, [change])
  const repeat = useCallback(
    () => void readPage(lastPage.current, latest.current.pages.length === 0),
    [readPage],
  )
  const lines = useMemo(() => rowsOf(reading.pages), [reading.pages])
  return { found: { ...reading, lines }, readMore, readAgain, cancel, repeat }
}

/** The lines up to the one at a position, and whether it is among them. */
function upTo(
  end: string | undefined,
  lines: readonly LineText[],
): readonly [lines: readonly LineText[], isAtEnd: boolean] {
  const last = end === undefined ? -1 : lines.findIndex(line => positionOf(line) === end)
  return last === -1 ? [lines, false] : [lines.slice(0, last + 1), true]
}
