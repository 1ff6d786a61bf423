import { useSearchParams } from 'wouter'
import { COUNT_PERIODS, type CountPeriod } from '../graph/use-counts.ts'

export const VIEWS = ['draft', 'deployed'] as const
export type View = (typeof VIEWS)[number]

/** The shown version, node and counts of a graph, as the address of the page has them. */
export interface ViewParameters {
  readonly view: View
  /** Name of the selected node. */
  readonly selected: string | null
  readonly period: CountPeriod
  /** Whether changes of the draft are marked. */
  readonly showsChanges: boolean
  setView(view: View): void
  select(name: string | null): void
  setPeriod(period: CountPeriod): void
  setShowsChanges(shows: boolean): void
}

/** @param periods periods of counts that can be shown; the first is chosen where the address has none of them */
export function useViewParameters(periods: readonly CountPeriod[]): ViewParameters {
  const [parameters, setParameters] = useSearchParams()
  const set = (name: string, value: string | null, replace = false) =>
    setParameters(
      before => {
        if (value === null) before.delete(name)
        else before.set(name, value)
        return before
      },
      { replace },
    )
  const first = periods[0] ?? COUNT_PERIODS[0]
  return {
    view: parameters.get('rev') === 'deployed' ? 'deployed' : 'draft',
    selected: parameters.get('node'),
    period: periods.find(each => each === parameters.get('counts')) ?? first,
    showsChanges: parameters.get('cmp') !== 'off',
    setView: view => set('rev', view === 'draft' ? null : view),
    select: name => set('node', name, true),
    setShowsChanges: shows => set('cmp', shows ? null : 'off'),
    setPeriod: period => set('counts', period === first ? null : period),
  }
}
