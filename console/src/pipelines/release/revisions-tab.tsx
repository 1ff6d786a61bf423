import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useSearchParams } from 'wouter'
import { Dialog } from '../../components/dialog.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { useZone } from '../../shell/preferences.ts'
import { Empty, Loading, ProblemBox } from '../../shell/states.tsx'
import { dayAndTime } from '../../times/time.ts'
import type { OpenDraft } from '../open-draft.ts'
import { type RevisionSummary, readDifference, readRevisions, restoreRevision } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { DifferenceText } from './difference-text.tsx'
import style from './release.module.css'

const DRAFT = 'draft'

/** Revisions of a pipeline: the list, any two compared, and one restored into the draft. */
export default function RevisionsTab({ pipeline, draft, canWrite }: OpenDraft) {
  const [parameters, setParameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const [restored, setRestored] = useState<RevisionSummary>()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['revisions', pipeline.id, pipeline.deployed_revision_id],
    queryFn: ({ signal }) => readRevisions(pipeline.id, signal),
  })
  const compare = (from: string, to: string) =>
    setParameters(before => {
      before.set('cmp', `${from}..${to}`)
      return before
    })
  const [from, to] = (parameters.get('cmp') ?? '').split('..')
  return (
    <div className={style.revisions}>
      <Loading isLoading={isFetching} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data?.length === 0 && (
        <Empty title={TEXT.revisions.none}>
          <p>{TEXT.revisions.noneWhy}</p>
        </Empty>
      )}
      {data !== undefined && data.length > 0 && (
        <>
          <RevisionTable
            revisions={data}
            zone={zone}
            canWrite={canWrite}
            onCompare={compare}
            onRestore={setRestored}
          />
          {canWrite && (
            <Comparison
              pipelineId={pipeline.id}
              numbers={data.map(({ number }) => String(number))}
              from={from || String(data[0]?.number)}
              to={to || DRAFT}
              onChange={compare}
            />
          )}
        </>
      )}
      {restored !== undefined && (
        <RestoreDialog
          pipelineId={pipeline.id}
          revision={restored}
          draft={draft}
          onClose={() => setRestored(undefined)}
        />
      )}
    </div>
  )
}

function RevisionTable({
  revisions,
  zone,
  canWrite,
  onCompare,
  onRestore,
}: {
  readonly revisions: readonly RevisionSummary[]
  readonly zone: string
  readonly canWrite: boolean
  readonly onCompare: (from: string, to: string) => void
  readonly onRestore: (revision: RevisionSummary) => void
}) {
  return (
    <div className={style.card}>
      <table>
        <thead>
          <tr>
            <th scope="col">{TEXT.revisions.number}</th>
            <th scope="col">{TEXT.revisions.published}</th>
            <th scope="col" className={style.number}>
              {TEXT.revisions.nodes}
            </th>
            {canWrite && (
              <th scope="col">
                <span className="hidden">{TEXT.revisions.actions}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {revisions.map((revision, index) => (
            <tr key={revision.id}>
              <td>
                <b>{revision.number}</b>
                {revision.deployed && <span className={style.runs}>{TEXT.revisions.running}</span>}
              </td>
              <td>{dayAndTime(Date.parse(revision.created_at), zone)}</td>
              <td className={style.number}>{revision.nodes}</td>
              {canWrite && (
                <td className={style.rowButtons}>
                  <RowButton
                    label={TEXT.revisions.compare}
                    revision={revision}
                    onClick={() => {
                      const before = revisions[index + 1] ?? revision
                      onCompare(String(before.number), String(revision.number))
                    }}
                  />
                  <RowButton
                    label={TEXT.revisions.restore}
                    revision={revision}
                    onClick={() => onRestore(revision)}
                  />
                </td>
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function RowButton({
  label,
  revision,
  onClick,
}: {
  readonly label: string
  readonly revision: RevisionSummary
  readonly onClick: () => void
}) {
  const name = `${label} ${TEXT.revisions.revision(revision.number)}`
  return (
    <button type="button" className="quiet" aria-label={name} onClick={onClick}>
      {label}
    </button>
  )
}

function Comparison({
  pipelineId,
  numbers,
  from,
  to,
  onChange,
}: {
  readonly pipelineId: string
  readonly numbers: readonly string[]
  readonly from: string
  readonly to: string
  readonly onChange: (from: string, to: string) => void
}) {
  const id = useId()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['revision-difference', pipelineId, from, to],
    queryFn: ({ signal }) => readDifference(pipelineId, from, to, signal),
    staleTime: 0,
  })
  const choice = (
    name: string,
    label: string,
    value: string,
    all: readonly string[],
    set: (to: string) => void,
  ) => (
    <>
      <label htmlFor={`${id}-${name}`}>{label}</label>
      <select
        id={`${id}-${name}`}
        className="field"
        value={value}
        onChange={({ target }) => set(target.value)}
      >
        {all.map(each => (
          <option key={each} value={each}>
            {each === DRAFT ? TEXT.revisions.draft : TEXT.revisions.revision(each)}
          </option>
        ))}
      </select>
    </>
  )
  return (
    <section className={style.comparison} aria-label={TEXT.revisions.compare}>
      <div className={style.choices}>
        <h2>{TEXT.revisions.compare}</h2>
        {choice('from', TEXT.revisions.from, from, numbers, next => onChange(next, to))}
        {choice('to', TEXT.revisions.to, to, [DRAFT, ...numbers], next => onChange(from, next))}
      </div>
      <Loading isLoading={isFetching} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data && <DifferenceText difference={data} none={TEXT.revisions.same} />}
    </section>
  )
}

function RestoreDialog({
  pipelineId,
  revision: { number },
  draft,
  onClose,
}: {
  readonly pipelineId: string
  readonly revision: RevisionSummary
  readonly draft: OpenDraft['draft']
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const restoring = useMutation({
    mutationFn: async () => {
      await restoreRevision(pipelineId, number)
      await draft.reload()
      await queries.invalidateQueries()
    },
    onSuccess: onClose,
  })
  return (
    <Dialog title={TEXT.revisions.restoreTitle(number)} onClose={onClose}>
      <p>{TEXT.revisions.restoreWhy}</p>
      {draft.isChanged && <p className={style.warning}>{TEXT.revisions.restoreUnsaved}</p>}
      <Refusal error={restoring.error} />
      <div className={style.buttons}>
        <button type="button" className="button" onClick={onClose}>
          {TEXT.cancel}
        </button>
        <button
          type="button"
          className="primary"
          disabled={restoring.isPending}
          onClick={() => restoring.mutate()}
        >
          {TEXT.revisions.restoreConfirm}
        </button>
      </div>
    </Dialog>
  )
}
