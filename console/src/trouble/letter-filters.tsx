import type { RevisionSummary } from '../pipelines/requests.ts'
import { TimeRange } from '../shell/time-range.tsx'
import { instantOf } from '../times/time.ts'
import { Choices } from './choices.tsx'
import type { LetterFilter } from './letter-filter.ts'
import { type NodeTitles, nodeTitle } from './node-titles.ts'
import { TEXT as PAGE_TEXT } from './texts.ts'
import style from './trouble.module.css'

const TEXT = PAGE_TEXT.letters
const NOW = 'now'
const DAY_AGO = '24h'

/** Lists of codes, nodes and revisions, and a range of time, that narrow failed events. */
export function LetterFilters({
  filter,
  codes,
  titles,
  revisions,
  zone,
  onFilter,
}: {
  readonly filter: LetterFilter
  /** Codes that are known; they can repeat. */
  readonly codes: readonly string[]
  readonly titles: NodeTitles
  readonly revisions: readonly RevisionSummary[]
  readonly zone: string
  readonly onFilter: (members: Partial<LetterFilter>) => void
}) {
  const nowMs = Date.now()
  const to = filter.to === '' ? NOW : filter.to
  // A chosen value stays in its list, even if nothing of it is known.
  const withChosen = (known: readonly string[], present: string) =>
    [...new Set([...known, present])].filter(each => each !== '')
  const numbers = new Map(revisions.map(({ id, number }) => [id, TEXT.revision(number)]))
  return (
    <div className={style.filters}>
      <Choices
        label={TEXT.node}
        all={TEXT.allNodes}
        present={filter.node}
        options={withChosen([...titles.keys()], filter.node).map(id => [id, nodeTitle(id, titles)])}
        onChoose={node => onFilter({ node })}
      />
      <Choices
        label={TEXT.code}
        all={TEXT.allCodes}
        present={filter.code}
        options={withChosen(codes, filter.code)
          .toSorted()
          .map(code => [code, code])}
        onChoose={code => onFilter({ code })}
      />
      <Choices
        label={TEXT.revisionLabel}
        all={TEXT.allRevisions}
        present={filter.revision}
        options={withChosen([...numbers.keys()], filter.revision).map(id => [id, numbers.get(id) ?? id])}
        onChoose={revision => onFilter({ revision })}
      />
      <TimeRange
        from={filter.from}
        to={to}
        zone={zone}
        fromMs={instantOf(filter.from === '' ? DAY_AGO : filter.from, nowMs) ?? nowMs}
        toMs={instantOf(to, nowMs) ?? nowMs}
        align="start"
        hasAll
        onChoose={(from, end) => onFilter({ from, to: end === NOW ? '' : end })}
      />
    </div>
  )
}
