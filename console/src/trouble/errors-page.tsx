import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type ReactNode, useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { readPipelines } from '../api/pipelines.ts'
import { type ErrorFilter, MOST_ERRORS, readErrorCounts, readErrors } from '../api/trouble.ts'
import { Choice } from '../components/choice.tsx'
import { count } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import { useZone } from '../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import { ErrorFilters } from './error-filters.tsx'
import { type ErrorGroup, GROUPINGS, groupsOf, matches } from './error-groups.ts'
import { nodeTitle, useNodeTitles } from './node-titles.ts'
import { Hours, OneError } from './one-error.tsx'
import { TEXT } from './texts.ts'
import style from './trouble.module.css'

const PERIODS = [1, 24, 168] as const
const USUAL_HOURS = 24
const POLL_MS = 30_000
const NO_FILTER: ErrorFilter = { pipeline: '', node: '', code: '' }

/** `/console/errors`: errors that nodes of all pipelines reported. */
export default function ErrorsPage() {
  const [parameters, setParameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const hours = PERIODS.find(each => String(each) === parameters.get('hours')) ?? USUAL_HOURS
  const by = GROUPINGS.find(each => each === parameters.get('by')) ?? 'none'
  const filter: ErrorFilter = {
    pipeline: parameters.get('pipeline') ?? '',
    node: parameters.get('node') ?? '',
    code: parameters.get('code') ?? '',
  }
  const errors = useQuery({
    queryKey: ['errors', hours, filter],
    queryFn: ({ signal }) => readErrors(hours, filter, signal),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  })
  const counted = useQuery({
    queryKey: ['error-counts', hours],
    queryFn: ({ signal }) => readErrorCounts(hours, {}, signal),
    placeholderData: keepPreviousData,
    refetchInterval: POLL_MS,
  })
  const pipelines = useQuery({ queryKey: ['pipelines'], queryFn: ({ signal }) => readPipelines(signal) })
  const ids = useMemo(
    () => [...new Set(counted.data?.map(each => each.pipeline_id))].toSorted(),
    [counted.data],
  )
  const titles = useNodeTitles(ids)
  const pipelineTitle = (id: string) => pipelines.data?.find(each => each.id === id)?.title ?? id
  // Until the answer comes, errors of the filter before that match this one are shown.
  const matching = errors.data?.filter(each => matches(each, filter))
  const shown = errors.isPlaceholderData && matching?.length === 0 ? undefined : matching
  const isFiltered = Object.values(filter).some(value => value !== '')
  const set = (members: Readonly<Record<string, string>>) =>
    setParameters(before => {
      for (const [name, value] of Object.entries(members)) {
        if (value === '') before.delete(name)
        else before.set(name, value)
      }
      return before
    })
  const groupName = ({ key, errors: [first] }: ErrorGroup) =>
    by === 'code' ? key : TEXT.errors.nodeOf(nodeTitle(key, titles), pipelineTitle(first?.pipeline_id ?? ''))
  const list = (errors: ErrorGroup['errors']) => (
    <ul className={style.list}>
      {errors.map(each => (
        <li key={each.id}>
          <OneError
            error={each}
            hours={hours}
            zone={zone}
            pipeline={pipelineTitle(each.pipeline_id)}
            node={nodeTitle(each.node_id, titles)}
          />
        </li>
      ))}
    </ul>
  )
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{TEXT.errors.title}</h1>
        <Choice
          label={TEXT.errors.period}
          values={PERIODS}
          present={hours}
          nameOf={each => TEXT.errors.periods[each] ?? ''}
          onChoose={each => set({ hours: String(each) })}
        />
        <Choice
          label={TEXT.errors.grouping}
          values={GROUPINGS}
          present={by}
          nameOf={each => TEXT.errors.groupings[each]}
          onChoose={each => set({ by: each === 'none' ? '' : each })}
        />
      </div>
      <ErrorFilters
        counted={counted.data ?? []}
        filter={filter}
        pipelineTitle={pipelineTitle}
        titles={titles}
        onFilter={set}
      />
      {counted.error !== null && <ProblemBox error={counted.error} onRetry={() => void counted.refetch()} />}
      {errors.error !== null && <ProblemBox error={errors.error} onRetry={() => void errors.refetch()} />}
      {(shown === undefined || shown.length === 0 || by === 'none') && (
        <div className={frame.card}>
          <Loading isLoading={errors.isFetching && (errors.isPlaceholderData || errors.data === undefined)} />
          {shown?.length === 0 && (
            <NoErrors onShowAll={isFiltered ? () => set({ ...NO_FILTER }) : undefined} />
          )}
          {shown !== undefined && shown.length > 0 && list(shown)}
        </div>
      )}
      {by !== 'none' &&
        groupsOf(shown ?? [], by).map(group => (
          <Group key={group.key} group={group} name={groupName(group)} hours={hours}>
            {list(group.errors)}
          </Group>
        ))}
      <p className={style.note}>
        {errors.data?.length === MOST_ERRORS ? TEXT.errors.most(count(MOST_ERRORS)) : TEXT.errors.note}
      </p>
    </div>
  )
}

function NoErrors({ onShowAll }: { readonly onShowAll: (() => void) | undefined }) {
  return (
    <Empty
      title={onShowAll ? TEXT.errors.noMatch : TEXT.errors.none}
      action={
        onShowAll && (
          <button type="button" className="button" onClick={onShowAll}>
            {TEXT.errors.showAll}
          </button>
        )
      }
    >
      <p>{TEXT.errors.noneWhy}</p>
    </Empty>
  )
}

/** Errors of one node or code, with their number per hour. */
function Group({
  group,
  name,
  hours,
  children,
}: {
  readonly group: ErrorGroup
  readonly name: string
  readonly hours: number
  readonly children: ReactNode
}) {
  return (
    <section className={style.group} aria-label={name}>
      <div className={style.row}>
        <h2>{name}</h2>
        {hours > 1 && <Hours counted={group.hours} hours={hours} />}
        <b className={style.count}>{count(group.count)}</b>
      </div>
      <div className={frame.card}>{children}</div>
    </section>
  )
}
