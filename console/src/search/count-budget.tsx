import { useState } from 'react'
import { type Selection, WHOLE_BUDGET_MS } from '../api/searches.ts'
import { TEXT } from '../texts.ts'
import { briefTime } from '../times/time.ts'

/** Time that the server may take for the counts of a search: its own limit, until the reader asks for the rest. */
export function useCountBudget(selection: Selection) {
  const [wholeOf, setWholeOf] = useState<Selection>()
  const isWhole = wholeOf === selection
  return {
    budgetMs: isWhole ? WHOLE_BUDGET_MS : undefined,
    countRest: isWhole ? undefined : () => setWholeOf(selection),
    /** Returns to the counts that are there. */
    stop: isWhole ? () => setWholeOf(undefined) : undefined,
  }
}

/**
 * Start of the counted part of a period, where lines before it were not counted; undefined: none are before it.
 *
 * @param startMs start of the period, UNIX ms
 */
export function countedFrom(
  { complete, covered_from: fromMs }: { readonly complete: boolean; readonly covered_from: number },
  startMs: number,
): number | undefined {
  return !complete && fromMs > startMs ? fromMs : undefined
}

/** Way on from counts of a part: they are made for the whole range, or else the range becomes that part. */
export function CountRest({
  fromMs,
  selection,
  zone,
  onRest,
  onNarrow,
}: {
  /** Start of the counted part, UNIX ms. */
  readonly fromMs: number
  readonly selection: Selection
  readonly zone: string
  /** Counts the whole range; undefined: that took too long. */
  readonly onRest: (() => void) | undefined
  readonly onNarrow: (fromMs: number, toMs: number) => void
}) {
  const narrow = () => onNarrow(fromMs, selection.toMs)
  // Nothing was counted in the longest time: there is no part to search.
  if (onRest === undefined && fromMs > selection.toMs) return null
  return (
    <button type="button" className="link" onClick={onRest ?? narrow}>
      {onRest === undefined ? TEXT.searchFrom(briefTime(fromMs, selection.toMs, zone)) : TEXT.countRest}
    </button>
  )
}
