import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useMemo } from 'react'
import { useSearchParams } from 'wouter'
import { readGroups, readMembers, readTokens } from '../access/requests.ts'
import { readPipelines } from '../api/pipelines.ts'
import { type Caller, usableAccounts } from '../api/session.ts'
import { IconButton } from '../components/icon-button.tsx'
import frame from '../shell/frame.module.css'
import { useZone } from '../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../shell/states.tsx'
import style from './audit.module.css'
import { AuditFilters } from './audit-filters.tsx'
import { Change } from './change.tsx'
import { actorName, entityName, type Names, namesInEvents } from './entity-names.ts'
import { type AuditEvent, type AuditFilter, NO_FILTER, type PageStart, readAudit } from './requests.ts'
import { TEXT } from './texts.ts'

const POLL_MS = 15_000

/** `/console/audit`: changes of the configuration of an account, or of the enterprise, newest first, for administrators. */
export default function AuditPage({ caller }: { readonly caller: Caller }) {
  const [parameters, setParameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const filter = useMemo(() => filterOf(parameters), [parameters])
  const change = (members: Partial<AuditFilter>) =>
    setParameters(before => {
      for (const [name, value] of Object.entries(members)) {
        if (value === NO_FILTER[name as keyof AuditFilter]) before.delete(name)
        else before.set(name, value)
      }
      return before
    })
  const { data, error, isLoading, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['audit', filter],
      queryFn: ({ signal, pageParam }) => readAudit(filter, pageParam, signal),
      initialPageParam: undefined as PageStart | undefined,
      getNextPageParam: ({ next }) => next,
      // Older pages that were opened stay as they are.
      refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) > 1 ? false : POLL_MS),
    })
  const events = useMemo(() => data?.pages.flatMap(page => page.events), [data])
  const { names, people } = useNames(events, caller.account !== null)
  const only = events?.find(({ entity }) => entity === filter.entity)
  const by = events?.find(({ actor }) => actor.id === filter.actor)?.actor
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{TEXT.title}</h1>
      </div>
      <AuditFilters
        filter={filter}
        people={people}
        shownActor={by === undefined ? filter.actor : ''}
        zone={zone}
        onFilter={change}
      />
      {(by !== undefined || filter.entity !== '') && (
        <div className={style.chips}>
          {by !== undefined && (
            <Only
              id={by.id}
              text={TEXT.onlyBy(actorName(by))}
              without={TEXT.withoutBy}
              onWithout={() => change({ actor: '' })}
            />
          )}
          {filter.entity !== '' && (
            <Only
              id={filter.entity}
              text={TEXT.onlyOf(only === undefined ? filter.entity : entityName(only, names))}
              without={TEXT.withoutOnly}
              onWithout={() => change({ entity: '' })}
            />
          )}
        </div>
      )}
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      <div className={frame.card}>
        <Loading isLoading={isLoading || isFetchingNextPage} />
        {events?.length === 0 && (
          <Empty
            title={TEXT.none}
            action={
              <button type="button" className="button" onClick={() => change(NO_FILTER)}>
                {TEXT.all}
              </button>
            }
          >
            <p>{TEXT.noneWhy}</p>
          </Empty>
        )}
        <ul className={style.list}>
          {events?.map(event => (
            <li key={event.id}>
              <Change
                event={event}
                names={names}
                zone={zone}
                onOnly={() => change({ ...NO_FILTER, entity: event.entity })}
                onOnlyBy={() => change({ ...NO_FILTER, actor: event.actor.id })}
              />
            </li>
          ))}
        </ul>
      </div>
      <div className={style.more}>
        {hasNextPage && (
          <button type="button" className="button" onClick={() => void fetchNextPage()}>
            {TEXT.older}
          </button>
        )}
        <span className="soft">{TEXT.masked}</span>
      </div>
    </div>
  )
}

/** A condition that was chosen at a change, by the name of its entity. */
function Only({
  id,
  text,
  without,
  onWithout,
}: {
  readonly id: string
  readonly text: string
  readonly without: string
  readonly onWithout: () => void
}) {
  return (
    <p className={style.only}>
      <span title={id}>{text}</span>
      <IconButton label={without} onClick={onWithout}>
        <X size={14} aria-hidden />
      </IconButton>
    </p>
  )
}

function filterOf(parameters: URLSearchParams): AuditFilter {
  const text = (name: keyof AuditFilter) => parameters.get(name) ?? NO_FILTER[name]
  return {
    from: text('from'),
    to: text('to'),
    actor: text('actor'),
    action: text('action'),
    kind: text('kind'),
    entity: text('entity'),
  }
}

/** Names of entities by their ids, and names by which people, tokens and keys can be found. */
function useNames(
  events: readonly AuditEvent[] | undefined,
  isInAccount: boolean,
): {
  readonly names: Names
  readonly people: readonly string[]
} {
  // An enterprise has tokens and accounts; the others belong to accounts.
  const enabled = isInAccount
  const pipelines = useQuery({
    queryKey: ['pipelines'],
    queryFn: ({ signal }) => readPipelines(signal),
    enabled,
  })
  const accounts = useQuery({ queryKey: ['accounts'], queryFn: usableAccounts })
  const groups = useQuery({ queryKey: ['groups'], queryFn: ({ signal }) => readGroups(signal), enabled })
  const tokens = useQuery({ queryKey: ['tokens'], queryFn: ({ signal }) => readTokens(signal) })
  const members = useQuery({ queryKey: ['members'], queryFn: ({ signal }) => readMembers(signal), enabled })
  const names = useMemo(
    () =>
      new Map([
        ...namesInEvents(events ?? []),
        ...[...(groups.data ?? []), ...(tokens.data ?? [])].map(({ id, name }) => [id, name] as const),
        ...(pipelines.data ?? []).map(({ id, title }) => [id, title] as const),
        ...(accounts.data ?? []).map(({ account, company }) => [account, company] as const),
      ]),
    [events, pipelines.data, accounts.data, groups.data, tokens.data],
  )
  const people = useMemo(() => {
    const given = [
      ...(members.data ?? []).map(({ email }) => email),
      ...(tokens.data ?? []).filter(({ kind }) => kind !== 'user').map(({ name }) => name),
      ...(events ?? []).map(({ actor }) => actorName(actor)),
    ]
    return [...new Set(given)].filter(name => name !== '').toSorted((a, b) => a.localeCompare(b))
  }, [events, members.data, tokens.data])
  return { names, people }
}
