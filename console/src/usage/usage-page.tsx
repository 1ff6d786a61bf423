import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { type Caller, isAdministrator } from '../api/session.ts'
import { type UsageKind, type UsageOverTime, usageOverTime } from '../api/usage.ts'
import { Choice } from '../components/choice.tsx'
import { count, size } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import { useZone } from '../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { DAY_MS, dayOf, HOUR_MS, typedTime } from '../times/time.ts'
import { Quotas } from './quotas.tsx'
import style from './usage.module.css'
import { UsageChart } from './usage-chart.tsx'
import { layersOf, type Unit, usageRows } from './usage-rows.ts'
import { UsageTable } from './usage-table.tsx'

const KINDS = Object.keys(TEXT.usageKinds) as UsageKind[]
const UNITS: readonly Unit[] = ['bytes', 'lines']
const PERIODS = [1, 7, 30] as const
const USUAL_DAYS = 7
const MOST_NAMES = 100

/** `/console/usage` */
export function UsagePage({ caller }: { readonly caller: Caller }) {
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const choice = useUsageChoice()
  const { kind, set } = choice
  const { data, before, error, isFetching, refetch } = useUsage(choice, zone)
  const hasNames = data !== undefined && data.series.length > 0
  return (
    <div className={frame.page}>
      <UsageHead {...choice} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      <div className={style.parts}>
        <section
          className={frame.card}
          aria-busy={isFetching}
          aria-label={TEXT.usageChart}
          data-is-first={data === undefined && error === null}
        >
          <Loading isLoading={isFetching} />
          {data?.series.length === 0 && (
            <Empty
              title={TEXT.noUsage}
              action={
                choice.days === 30 ? undefined : (
                  <button type="button" className="button" onClick={() => set('days', '30')}>
                    {TEXT.days(30)}
                  </button>
                )
              }
            >
              <p>{TEXT.noUsageWhy}</p>
            </Empty>
          )}
          {hasNames && <ChartOfUsage choice={choice} data={data} before={before} zone={zone} />}
        </section>
        {hasNames && (
          <section className={frame.card} aria-label={TEXT.usageKinds[kind]}>
            <TableOfUsage choice={choice} data={data} before={before} />
          </section>
        )}
        <p className={style.note}>
          {TEXT.usageNote(zone)}
          {kind === 'tags' && ` ${TEXT.tagsOverlap}`}
          {data?.exact === false && ` ${TEXT.usageInexact}`}
        </p>
        {isAdministrator(caller) && <Quotas zone={zone} />}
      </div>
    </div>
  )
}

/** The kind, unit, days and name that the address of the page holds. */
function useUsageChoice() {
  const [parameters, setParameters] = useSearchParams()
  return {
    kind: KINDS.find(each => each === parameters.get('by')) ?? 'apps',
    unit: UNITS.find(each => each === parameters.get('unit')) ?? 'bytes',
    days: PERIODS.find(each => String(each) === parameters.get('days')) ?? USUAL_DAYS,
    /** The one name that is shown; null: all. */
    name: parameters.get('name'),
    set: (key: string, value: string | undefined) =>
      setParameters(before => {
        if (value === undefined) before.delete(key)
        else before.set(key, value)
        if (key === 'by') before.delete('name')
        return before
      }),
    addressOf: (name: string) => {
      const next = new URLSearchParams(parameters)
      next.set('name', name)
      return `/usage?${next}`
    },
  }
}

type UsageChoice = ReturnType<typeof useUsageChoice>

/** The usage of the chosen days, and that of as many days before. */
function useUsage({ kind, days }: UsageChoice, zone: string) {
  const [nowMs] = useState(() => Date.now())
  const fromMs = firstOfDays(nowMs, days, zone)
  const interval = days === 1 ? ('hour' as const) : ('day' as const)
  const wish = { kind, interval, zone, limit: MOST_NAMES }
  const present = useQuery({
    queryKey: ['usage', wish, fromMs, nowMs],
    queryFn: ({ signal }) => usageOverTime({ ...wish, fromMs, toMs: nowMs }, signal),
    placeholderData: keepPreviousData,
  })
  const { data: before } = useQuery({
    queryKey: ['usage before', wish, fromMs, nowMs],
    // Equally long, and at the same time of the day.
    queryFn: ({ signal }) => {
      const shiftMs = days * DAY_MS
      return usageOverTime({ ...wish, fromMs: fromMs - shiftMs, toMs: nowMs - shiftMs }, signal)
    },
  })
  return { ...present, before }
}

function UsageHead({ kind, unit, days, set }: UsageChoice) {
  return (
    <div className={frame.head}>
      <h1>{TEXT.usageTitle}</h1>
      <Choice
        label={TEXT.usageBy}
        values={KINDS}
        present={kind}
        nameOf={each => TEXT.usageKinds[each]}
        onChoose={each => set('by', each)}
      />
      <Choice
        label={TEXT.unit}
        values={UNITS}
        present={unit}
        nameOf={each => TEXT.units[each]}
        onChoose={each => set('unit', each)}
      />
      <Choice
        label={TEXT.range}
        values={PERIODS}
        present={days}
        nameOf={TEXT.days}
        onChoose={each => set('days', String(each))}
      />
    </div>
  )
}

interface ShownUsage {
  readonly choice: UsageChoice
  readonly data: UsageOverTime
  readonly before: UsageOverTime | undefined
}

/** Rows of the chosen names, and what all others have. */
function sumsOf({ choice: { name, unit }, data, before }: ShownUsage) {
  const all = usageRows(data, before, unit)
  const rows = name === null ? all : all.filter(each => each.name === name)
  const other = name === null ? data.other[unit] : []
  const otherTotal = other.reduce((sum, each) => sum + each, 0)
  return { rows, other, otherTotal, total: rows.reduce((sum, each) => sum + each.total, otherTotal) }
}

function ChartOfUsage({ zone, ...usage }: ShownUsage & { readonly zone: string }) {
  const { choice, data } = usage
  const { name, unit, days, set } = choice
  const { rows, other, total } = sumsOf(usage)
  const shown = (value: number) => (unit === 'bytes' ? size(Math.round(value)) : count(Math.round(value)))
  return (
    <>
      <p className={style.sum}>
        <b title={`${count(total)} ${unit === 'bytes' ? 'B' : TEXT.linesUnit}`}>{shown(total)}</b>
        {name === null ? (
          <span className="soft">{TEXT.inAll(TEXT.days(days))}</span>
        ) : (
          <button type="button" className="button" onClick={() => set('name', undefined)}>
            {name}
            <X size={14} aria-hidden />
            <span className="hidden">{TEXT.showAll}</span>
          </button>
        )}
      </p>
      <UsageChart
        starts={data.starts}
        intervalMs={data.interval === 'hour' ? HOUR_MS : DAY_MS}
        layers={layersOf(rows, other, data.starts)}
        zone={zone}
        shown={shown}
      />
    </>
  )
}

function TableOfUsage(usage: ShownUsage) {
  const { kind, unit, days, addressOf } = usage.choice
  const { rows, total, otherTotal } = sumsOf(usage)
  return (
    <UsageTable
      rows={rows}
      total={total}
      unit={unit}
      other={otherTotal}
      overlaps={kind === 'tags'}
      ownChart={addressOf}
      searchOf={
        kind === 'pools' ? undefined : each => `/search?${kind}=${encodeURIComponent(each)}&from=${days}d`
      }
    />
  )
}

/** Beginning of the first of some days up to today, in a zone. */
function firstOfDays(nowMs: number, days: number, zone: string): number {
  const day = dayOf(nowMs - (days - 1) * DAY_MS, zone)
  return typedTime(day, zone) ?? nowMs - days * DAY_MS
}
