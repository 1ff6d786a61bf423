import { useQuery } from '@tanstack/react-query'
import { isRefusedQuery } from '../api/problem.ts'
import { type Facet, facets, type ListName, type Selection } from '../api/searches.ts'
import { levelKind } from '../lines/levels.ts'
import { count } from '../numbers.ts'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { briefTime } from '../times/time.ts'
import { CountRest, countedFrom, useCountBudget } from './count-budget.tsx'
import style from './facets.module.css'
import { useFieldKeys } from './field-keys.ts'
import { FieldList } from './field-list.tsx'

/** Fields with lists of names in the address. */
const FIELDS: readonly (readonly [string, ListName])[] = [
  ['level', 'levels'],
  ['app', 'apps'],
  ['host', 'hosts'],
  ['tag', 'tags'],
]

interface FacetsProps {
  readonly selection: Selection
  readonly zone: string
  readonly columns: readonly string[]
  readonly onColumns: (columns: readonly string[]) => void
  readonly onNarrow: (fromMs: number, toMs: number) => void
  readonly onTake: (list: ListName, value: string) => void
  readonly onTerm: (field: string, value: string, isLeftOut: boolean) => void
}

/** Values of the main fields with their lines, to narrow the search, and the other fields. */
export function Facets({ selection, zone, columns, onColumns, onNarrow, onTake, onTerm }: FacetsProps) {
  const { budgetMs, countRest, stop } = useCountBudget(selection)
  const { data, error, isFetching, isPending, refetch } = useQuery({
    queryKey: ['facets', selection, budgetMs],
    queryFn: ({ signal }) => facets(selection, { fields: FIELDS.map(([field]) => field), budgetMs }, signal),
    placeholderData: before => before,
  })
  const countedTime = (facet: Facet) => {
    const fromMs = countedFrom(facet, selection.fromMs)
    return fromMs === undefined ? undefined : briefTime(fromMs, selection.toMs, zone)
  }
  /** From there on all fields are counted. */
  const [wholeFrom] = (data ?? [])
    .flatMap(facet => countedFrom(facet, selection.fromMs) ?? [])
    .toSorted((a, b) => b - a)
  return (
    <aside className={style.facets} aria-label={TEXT.filters} aria-busy={isFetching}>
      <Loading isLoading={isFetching} onCancel={stop} />
      {error !== null && !isRefusedQuery(error) && (
        <ProblemBox error={error} onRetry={() => void refetch()} />
      )}
      {FIELDS.map(([field, list]) => {
        const facet = data?.find(each => each.field === field)
        return (
          facet !== undefined && (
            <FacetOf
              key={field}
              facet={facet}
              countedSince={countedTime(facet)}
              taken={selection[list]}
              onChoose={(value, isLeftOut) => (isLeftOut ? onTerm(field, value, true) : onTake(list, value))}
            />
          )
        )
      })}
      {data !== undefined && <p className={style.hint}>{TEXT.facetHint}</p>}
      {wholeFrom !== undefined && !isFetching && (
        <CountRest
          fromMs={wholeFrom}
          selection={selection}
          zone={zone}
          onRest={countRest}
          onNarrow={onNarrow}
        />
      )}
      {/* The fields stand below the values, and do not move when those come. */}
      <div hidden={isPending}>
        <FieldList selection={selection} columns={columns} onColumns={onColumns} onTerm={onTerm} />
      </div>
    </aside>
  )
}

function FacetOf({
  facet,
  countedSince,
  taken,
  onChoose,
}: {
  readonly facet: Facet
  /** Time from which on lines were counted; undefined: all were. */
  readonly countedSince: string | undefined
  readonly taken: readonly string[]
  readonly onChoose: (value: string, isLeftOut: boolean) => void
}) {
  const fieldKeys = useFieldKeys()
  const name = TEXT.facetNames[facet.field] ?? facet.field
  const most = facet.values[0]?.lines ?? 1
  const mark = facet.exact ? '' : '\u2248 '
  const further = facet.distinct - facet.values.length
  return (
    <section>
      <h2>
        {name}
        {countedSince !== undefined && (
          <small title={TEXT.countedWhy}>{TEXT.countedFrom(countedSince)}</small>
        )}
      </h2>
      {facet.values.length === 0 && (
        <p className="soft">{facet.complete ? TEXT.noValues : TEXT.notCounted}</p>
      )}
      <ul>
        {facet.values.map(({ value, lines }) => (
          <li key={value}>
            <button
              type="button"
              aria-pressed={taken.includes(value)}
              title={facet.exact ? value : `${value}. ${TEXT.ofLines(count(facet.of_lines))}`}
              onClick={event => onChoose(value, event.altKey)}
              onKeyDown={fieldKeys(isLeftOut => onChoose(value, isLeftOut))}
            >
              {/* Bars compare values of one field. */}
              <i style={{ width: `${(lines / most) * 100}%` }} aria-hidden />
              <span data-level={facet.field === 'level' ? levelKind(value) : undefined}>{value}</span>
              <small>{mark + count(lines)}</small>
            </button>
          </li>
        ))}
      </ul>
      {further > 0 && <p className={style.further}>{TEXT.further(mark + count(further))}</p>}
    </section>
  )
}
