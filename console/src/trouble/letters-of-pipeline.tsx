import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Link } from 'wouter'
import { Check } from '../components/check.tsx'
import { count } from '../numbers.ts'
import { type PipelineRecord, readRevisions } from '../pipelines/requests.ts'
import { addSample } from '../pipelines/samples.ts'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { dayAndTime } from '../times/time.ts'
import { filterMembers, type LetterFilter } from './letter-filter.ts'
import { LetterFilters } from './letter-filters.tsx'
import { LetterSettings } from './letter-settings.tsx'
import { nodeTitle, useNodeTitles } from './node-titles.ts'
import { type DeadLetterRecord, type DeadLetterReplayRecord, readLetters, replayLetters } from './requests.ts'
import { TEXT } from './texts.ts'
import style from './trouble.module.css'

const INDENT = 2

/** Failed events of one pipeline, its settings, and their replay. */
export function LettersOfPipeline({
  pipeline,
  filter,
  codes,
  zone,
  canWrite,
  onFilter,
}: {
  readonly pipeline: PipelineRecord
  readonly filter: LetterFilter
  /** Codes of the failed events that wait. */
  readonly codes: readonly string[]
  readonly zone: string
  readonly canWrite: boolean
  readonly onFilter: (members: Partial<LetterFilter>) => void
}) {
  const ids = useMemo(() => [pipeline.id], [pipeline.id])
  const titles = useNodeTitles(ids)
  const revisions = useQuery({
    queryKey: ['revisions', pipeline.id],
    queryFn: ({ signal }) => readRevisions(pipeline.id, signal),
  })
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const { data, error, isFetching, refetch, hasNextPage, fetchNextPage } = useLetters(pipeline.id, filter)
  const { replay, send } = useReplay(pipeline.id, () => setChosen(new Set()))
  const letters = data?.pages.flatMap(page => page.data) ?? []
  // Another filter may hide some that were chosen: they are not replayed unseen.
  const chosenIds = letters.filter(({ id }) => chosen.has(id)).map(({ id }) => id)
  const settings = data?.pages[0]?.meta.settings
  const choose = (id: string, isChosen: boolean) =>
    setChosen(before => new Set(isChosen ? [...before, id] : [...before].filter(each => each !== id)))
  return (
    <section className={style.letters} aria-label={TEXT.letters.list(pipeline.title)}>
      <div className={style.head}>
        <h2>{TEXT.letters.list(pipeline.title)}</h2>
        <Check
          label={TEXT.letters.onlyWaiting}
          isChecked={filter.show !== 'all'}
          onChange={isChecked => onFilter({ show: isChecked ? '' : 'all' })}
        />
        <ReplayButtons
          filter={filter}
          chosenIds={chosenIds}
          canReplayAll={canWrite && letters.length > 0}
          isBusy={replay.isPending}
          onReplay={send}
        />
      </div>
      <Loading isLoading={isFetching || replay.isPending} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {settings && <LetterSettings pipelineId={pipeline.id} settings={settings} canWrite={canWrite} />}
      <LetterFilters
        filter={filter}
        codes={[...codes, ...letters.map(({ code }) => code)]}
        titles={titles}
        revisions={revisions.data ?? []}
        zone={zone}
        onFilter={onFilter}
      />
      {replay.error !== null && (
        <p className={style.refused} role="alert">
          {replay.error.message}
        </p>
      )}
      {replay.data && <Answer answer={replay.data} />}
      {data !== undefined && letters.length === 0 && <p className="soft">{TEXT.letters.noneHere}</p>}
      <ul className={style.list}>
        {letters.map(letter => (
          <li key={letter.id}>
            <Letter
              letter={letter}
              zone={zone}
              node={nodeTitle(letter.node_id, titles)}
              revision={revisions.data?.find(({ id }) => id === letter.revision_id)?.number}
              canWrite={canWrite}
              isChosen={chosen.has(letter.id)}
              onChoose={isChosen => choose(letter.id, isChosen)}
              onReplay={
                canWrite && letter.replayed_at === null && !replay.isPending
                  ? () => send({ ids: [letter.id] })
                  : undefined
              }
            />
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="button" onClick={() => void fetchNextPage()}>
          {TEXT.letters.more}
        </button>
      )}
    </section>
  )
}

/** Failed events of a pipeline that match a filter, page by page. */
function useLetters(pipelineId: string, filter: LetterFilter) {
  return useInfiniteQuery({
    queryKey: ['letters', pipelineId, filter],
    queryFn: ({ signal, pageParam }) =>
      readLetters(
        pipelineId,
        {
          ...filterMembers(filter, Date.now()),
          ...(filter.show !== 'all' && { replayed: 'false' }),
          ...(pageParam !== '' && { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: '',
    placeholderData: keepPreviousData,
    getNextPageParam: page => page.meta.page.next,
  })
}

/** Replay of failed events of a pipeline, one request at a time. */
function useReplay(pipelineId: string, onDone: () => void) {
  const queries = useQueryClient()
  const mutationKey = ['replay', pipelineId]
  const replay = useMutation({
    mutationKey,
    mutationFn: (body: object) => replayLetters(pipelineId, body),
    onSuccess: async () => {
      onDone()
      await queries.invalidateQueries({ queryKey: ['letters', pipelineId] })
      await queries.invalidateQueries({ queryKey: ['waiting-letters'] })
    },
  })
  // A second press may come before the page is drawn again.
  const send = (body: object) => {
    if (queries.isMutating({ mutationKey }) === 0) replay.mutate(body)
  }
  return { replay, send }
}

/** Buttons that replay the chosen events, and all that match the filter. */
function ReplayButtons({
  filter,
  chosenIds,
  canReplayAll,
  isBusy,
  onReplay,
}: {
  readonly filter: LetterFilter
  readonly chosenIds: readonly string[]
  readonly canReplayAll: boolean
  readonly isBusy: boolean
  readonly onReplay: (body: object) => void
}) {
  const conditions = filterMembers(filter, Date.now())
  return (
    <>
      {chosenIds.length > 0 && (
        <button
          type="button"
          className="primary"
          title={TEXT.letters.replayWhy}
          disabled={isBusy}
          onClick={() => onReplay({ ids: chosenIds })}
        >
          {TEXT.letters.replayChosen(count(chosenIds.length))}
        </button>
      )}
      {canReplayAll && (
        <button
          type="button"
          className="button"
          title={TEXT.letters.replayWhy}
          disabled={isBusy}
          onClick={() => onReplay(Object.keys(conditions).length === 0 ? {} : { filter: conditions })}
        >
          {TEXT.letters.replayAll}
        </button>
      )}
    </>
  )
}

function Letter({
  letter,
  zone,
  node,
  revision,
  canWrite,
  isChosen,
  onChoose,
  onReplay,
}: {
  readonly letter: DeadLetterRecord
  readonly zone: string
  /** Title of the node that failed. */
  readonly node: string
  /** Number of the revision that failed, where it is known. */
  readonly revision: number | undefined
  readonly canWrite: boolean
  readonly isChosen: boolean
  readonly onChoose: (isChosen: boolean) => void
  readonly onReplay: (() => void) | undefined
}) {
  const { code, message, failed_at: failedAt, replayed_at: replayedAt, event, pipeline_id: id } = letter
  const time = (at: string) => dayAndTime(Date.parse(at), zone)
  return (
    <>
      <div className={style.row}>
        {onReplay !== undefined && (
          <input
            type="checkbox"
            aria-label={TEXT.letters.chooseOne(code, time(failedAt))}
            checked={isChosen}
            onChange={({ target }) => onChoose(target.checked)}
          />
        )}
        <div>
          <p>
            <code>{code}</code> {message}
          </p>
          <p className="soft">
            <Link href={`/pipelines/${id}?rev=deployed&node=${encodeURIComponent(letter.node_id)}`}>
              {node}
            </Link>
            {[
              '',
              ...(revision === undefined ? [] : [TEXT.letters.ofRevision(revision)]),
              time(failedAt),
              replayedAt === null ? TEXT.letters.waits : TEXT.letters.replayed(time(replayedAt)),
            ].join(' \u00b7 ')}
          </p>
        </div>
        {onReplay !== undefined && (
          <button type="button" className="button" onClick={onReplay}>
            {TEXT.letters.replay}
          </button>
        )}
      </div>
      <details>
        <summary>{TEXT.letters.event}</summary>
        <pre>{JSON.stringify(event.message, null, INDENT)}</pre>
        {canWrite && <AsSample pipelineId={id} event={event} />}
      </details>
    </>
  )
}

/** Takes the event as a sample, with which the draft can be tried before the event is replayed. */
function AsSample({
  pipelineId,
  event,
}: {
  readonly pipelineId: string
  readonly event: DeadLetterRecord['event']
}) {
  const [isTaken, setTaken] = useState(false)
  if (isTaken) return <Link href={`/pipelines/${pipelineId}?tab=simulate`}>{TEXT.letters.simulate}</Link>
  return (
    <button
      type="button"
      className="button"
      onClick={() => void addSample(pipelineId, event).then(() => setTaken(true))}
    >
      {TEXT.letters.asSample}
    </button>
  )
}

/** The counts of a replay as sentences. */
function Answer({ answer }: { readonly answer: DeadLetterReplayRecord }) {
  const sentences = (Object.keys(TEXT.letters.answer) as (keyof DeadLetterReplayRecord)[])
    .filter(name => answer[name] > 0)
    .map(name => TEXT.letters.answer[name](count(answer[name])))
  return (
    <p className={style.answer} role="status">
      {sentences.length === 0 ? TEXT.letters.noneHere : sentences.join(' ')}
    </p>
  )
}
