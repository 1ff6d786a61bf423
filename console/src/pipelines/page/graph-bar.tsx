import { Plus } from 'lucide-react'
import { Choice } from '../../components/choice.tsx'
import type { DraftChanges, NodeChange } from '../document/draft-changes.ts'
import type { CountPeriod } from '../graph/use-counts.ts'
import { TEXT } from '../texts.ts'
import style from './page.module.css'
import { VIEWS, type ViewParameters } from './view-parameters.ts'

export interface GraphBarProps {
  readonly parameters: ViewParameters
  readonly canWrite: boolean
  /** Periods of counts to choose from; none where counts are not shown. */
  readonly periods: readonly CountPeriod[]
  /** Differences of the draft from the running document; absent if there are none, or nothing runs. */
  readonly changes: DraftChanges | undefined
  readonly onAdd: () => void
}

/** Choices of the shown version and its counts, and a button for a new node. */
export function GraphBar({ parameters, canWrite, periods, changes, onAdd }: GraphBarProps) {
  const { view, period, setView, setPeriod } = parameters
  return (
    <div className={style.bar}>
      <Choice
        label={TEXT.viewLabel}
        values={VIEWS}
        present={view}
        nameOf={each => TEXT.views[each]}
        onChoose={setView}
      />
      {view === 'draft' && canWrite && (
        <button type="button" className="button" onClick={onAdd}>
          <Plus size={14} aria-hidden />
          {TEXT.edit.addNode}
        </button>
      )}
      {view === 'draft' && !canWrite && <span className="soft">{TEXT.edit.onlyRead}</span>}
      {view === 'draft' && changes !== undefined && (
        <label className={style.changes}>
          <input
            type="checkbox"
            checked={parameters.showsChanges}
            onChange={({ target }) => parameters.setShowsChanges(target.checked)}
          />
          {TEXT.changes.show}
          <span className="soft">{summaryOf(changes)}</span>
        </label>
      )}
      {view === 'deployed' && periods.length > 0 && (
        <Choice
          label={TEXT.countsLabel}
          values={periods}
          present={period}
          nameOf={each => TEXT.countPeriods[each]}
          onChoose={setPeriod}
        />
      )}
    </div>
  )
}

const CHANGES: readonly NodeChange[] = ['added', 'changed', 'removed']

function summaryOf({ nodes }: DraftChanges): string {
  const all = [...nodes.values()]
  const parts = CHANGES.flatMap(change => {
    const count = all.filter(each => each === change).length
    return count === 0 ? [] : [TEXT.changes.part(count, TEXT.changes.words[change])]
  })
  return parts.length === 0 ? TEXT.changes.onlyEdges : TEXT.changes.summary(parts)
}
