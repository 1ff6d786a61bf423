import { useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronRight, Table2 } from 'lucide-react'
import { useState } from 'react'
import { isRefusedQuery } from '../api/problem.ts'
import { type Histogram, histogram, type ListName, type Order, type Selection } from '../api/searches.ts'
import { type LevelKind, levelKind } from '../lines/levels.ts'
import { count } from '../numbers.ts'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { briefTime, dayAndTime, roundTimes } from '../times/time.ts'
import { useChosenBars } from './chosen-bars.ts'
import { CountRest, countedFrom, useCountBudget } from './count-budget.tsx'
import style from './histogram.module.css'

const BUCKETS = 80
const LABELS = 8

interface HistogramProps {
  readonly selection: Selection
  readonly by: string
  readonly zone: string
  readonly order: Order
  /** UNIX ms at which the list begins; null: at its usual end. */
  readonly atMs: number | null
  readonly onNarrow: (fromMs: number, toMs: number) => void
  /** Lets the list begin at a time, UNIX ms. */
  readonly onGo: (atMs: number) => void
  /** Takes a name of a series as a filter, or gives it up. */
  readonly onTake: (list: ListName, value: string) => void
}

/** Lists of filters by the fields that they restrict. */
const LIST_OF: Readonly<Record<string, ListName>> = {
  level: 'levels',
  app: 'apps',
  host: 'hosts',
  tag: 'tags',
}

/**
 * Lines over time, told apart by level. A drag, or Shift with the arrow keys, chooses a part of the time; a click lets the
 * list begin there.
 */
export function HistogramPanel(props: HistogramProps) {
  const { selection, by, zone, onNarrow } = props
  const list = LIST_OF[by]
  const [isOpen, setOpen] = useState(true)
  const [isTable, setTable] = useState(false)
  const { budgetMs, countRest, stop } = useCountBudget(selection)
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['histogram', selection, by, zone, budgetMs],
    queryFn: ({ signal }) => histogram(selection, { by, zone, buckets: BUCKETS, budgetMs }, signal),
    placeholderData: before => before,
  })
  const fromMs = data === undefined ? undefined : countedFrom(data, data.from)
  const Chevron = isOpen ? ChevronDown : ChevronRight
  return (
    <section className={style.panel} aria-label={TEXT.histogram} aria-busy={isFetching}>
      <Loading isLoading={isFetching} onCancel={stop} />
      <div className={style.head}>
        <button
          type="button"
          className="quiet icon"
          aria-expanded={isOpen}
          aria-label={TEXT.histogram}
          onClick={() => setOpen(!isOpen)}
        >
          <Chevron size={15} aria-hidden />
        </button>
        {data !== undefined && (
          <p>
            <b>{TEXT.lines(`${data.complete ? '' : '\u2265 '}${count(data.lines)}`)}</b>
            {!data.complete && fromMs === undefined && <span className="soft">{TEXT.fieldsLeftOut}</span>}
            {fromMs !== undefined && (
              <span className="soft" title={TEXT.countedWhy}>
                {TEXT.countedFrom(briefTime(fromMs, data.to, zone))}
              </span>
            )}
            {fromMs !== undefined && !isFetching && (
              <CountRest
                fromMs={fromMs}
                selection={selection}
                zone={zone}
                onRest={countRest}
                onNarrow={onNarrow}
              />
            )}
          </p>
        )}
        {data !== undefined && (
          <span className={style.legend}>
            <Legend
              data={data}
              taken={list === undefined ? [] : selection[list]}
              onTake={list && (value => props.onTake(list, value))}
            />
          </span>
        )}
        {isOpen && (
          <button
            type="button"
            className="quiet icon"
            aria-pressed={isTable}
            aria-label={isTable ? TEXT.asChart : TEXT.asTable}
            title={isTable ? TEXT.asChart : TEXT.asTable}
            onClick={() => setTable(!isTable)}
          >
            <Table2 size={15} aria-hidden />
          </button>
        )}
      </div>
      {error !== null && !isRefusedQuery(error) && (
        <ProblemBox error={error} onRetry={() => void refetch()} />
      )}
      {isOpen && data === undefined && error === null && <div className={style.place} />}
      {isOpen && data !== undefined && isTable && <CountTable data={data} zone={zone} />}
      {isOpen && data !== undefined && !isTable && <Bars {...props} data={data} />}
    </section>
  )
}

interface Stack {
  readonly name: string
  readonly kind: LevelKind
  readonly lines: readonly number[]
}

const ORDER: readonly LevelKind[] = ['error', 'warning', 'other', 'info', 'debug']

/** Series from the bottom up: errors stand on the axis, where they can be compared. */
function stacksOf({ series, other }: Histogram): Stack[] {
  const named = series.map(({ name, lines }) => ({ name, kind: levelKind(name), lines }))
  const sorted = named.sort((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind))
  const hasOther = other.some(lines => lines > 0)
  return hasOther ? [...sorted, { name: 'other', kind: 'debug', lines: other }] : sorted
}

function totalsOf({ series, other }: Histogram): number[] {
  return other.map((lines, at) => series.reduce((sum, each) => sum + (each.lines[at] ?? 0), lines))
}

/** Names of the series with their lines; a click takes one as a filter. */
function Legend({
  data,
  taken,
  onTake,
}: {
  readonly data: Histogram
  readonly taken: readonly string[]
  /** undefined where no filter restricts the field. */
  readonly onTake: ((value: string) => void) | undefined
}) {
  return stacksOf(data).map(({ name, kind, lines }) => {
    const text = (
      <>
        <i data-kind={kind} />
        {name} <span className="soft">{count(lines.reduce((sum, each) => sum + each, 0))}</span>
      </>
    )
    // All names beyond the largest are one series.
    const isOne = data.series.some(each => each.name === name)
    return onTake === undefined || !isOne ? (
      <span key={name} className={style.key}>
        {text}
      </span>
    ) : (
      <button
        key={name}
        type="button"
        className={style.key}
        aria-pressed={taken.includes(name)}
        title={TEXT.takeSeries(name)}
        onClick={() => onTake(name)}
      >
        {text}
      </button>
    )
  })
}

function Bars({
  data,
  zone,
  order,
  atMs,
  onNarrow,
  onGo,
}: { readonly data: Histogram } & Pick<HistogramProps, 'zone' | 'order' | 'atMs' | 'onNarrow' | 'onGo'>) {
  const { starts } = data
  const stacks = stacksOf(data)
  const most = Math.max(1, ...totalsOf(data))
  const endOf = (at: number) => (at < starts.length - 1 ? (starts[at + 1] as number) - 1 : data.to)
  const { chosen, handlers } = useChosenBars(starts.length, ([from, to]) => {
    const [fromMs, toMs] = [Math.max(data.from, starts[from] as number), Math.min(data.to, endOf(to))]
    if (from === to) onGo(order === 'newest' ? toMs : fromMs)
    else onNarrow(fromMs, toMs)
  })
  const first = starts[0] ?? data.from
  const percentAt = (ms: number) => `${((ms - first) / (data.to + 1 - first)) * 100}%`

  return (
    <figure className={style.figure}>
      <div
        className={style.bars}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move a cursor over the bars
        tabIndex={0}
        role="application"
        aria-label={`${TEXT.histogram}. ${TEXT.narrow}`}
        {...handlers}
      >
        {starts.map((start, at) => (
          <div
            key={start}
            className={style.bucket}
            data-chosen={chosen !== undefined && at >= chosen[0] && at <= chosen[1]}
          >
            {stacks.map(({ name, kind, lines }) =>
              lines[at] ? (
                <i key={name} data-kind={kind} style={{ height: `${((lines[at] ?? 0) / most) * 100}%` }} />
              ) : null,
            )}
          </div>
        ))}
        {!data.complete && data.covered_from > data.from && (
          <span className={style.uncounted} style={{ width: percentAt(data.covered_from) }} aria-hidden />
        )}
        {atMs !== null && atMs >= first && atMs <= data.to && (
          <span className={style.at} style={{ left: percentAt(atMs) }} aria-hidden />
        )}
        <span className={style.most} aria-hidden>
          {count(most)}
        </span>
      </div>
      <div className={style.axis} aria-hidden>
        {roundTimes(first, data.to, { zone, most: LABELS }).map(({ ms, label }) => (
          <span key={ms} style={{ left: percentAt(ms) }}>
            {label}
          </span>
        ))}
      </div>
      {chosen !== undefined && (
        <figcaption className={style.reading} aria-live="polite">
          <b>
            {dayAndTime(starts[chosen[0]] as number, zone)} – {dayAndTime(endOf(chosen[1]), zone)}
          </b>
          {stacks.map(({ name, kind, lines }) => {
            const sum = lines.slice(chosen[0], chosen[1] + 1).reduce((total, each) => total + each, 0)
            return sum === 0 ? null : (
              <span key={name} className={style.key}>
                <i data-kind={kind} />
                {name} {count(sum)}
              </span>
            )
          })}
        </figcaption>
      )}
    </figure>
  )
}

function CountTable({ data, zone }: { readonly data: Histogram; readonly zone: string }) {
  const totals = totalsOf(data)
  return (
    <div className={style.table}>
      <table>
        <thead>
          <tr>
            <th scope="col">{TEXT.start}</th>
            {data.series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
            <th scope="col">{TEXT.total}</th>
          </tr>
        </thead>
        <tbody>
          {data.starts.map((start, at) => (
            <tr key={start}>
              <td>{dayAndTime(start, zone)}</td>
              {data.series.map(({ name, lines }) => (
                <td key={name}>{count(lines[at] ?? 0)}</td>
              ))}
              <td>{count(totals[at] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
