import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Check } from '../../components/check.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { count } from '../../numbers.ts'
import { Loading, ProblemBox } from '../../shell/states.tsx'
import type { OpenDraft } from '../open-draft.ts'
import { type PreviewRecord, publish, readDifference, readPreview, readRevisions } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { InForce } from '../trial/in-force.tsx'
import { DifferenceText } from './difference-text.tsx'
import style from './release.module.css'

/** Publishes the saved draft, after its changes and the figures of a preview were seen. */
export default function PublishDialog({
  pipeline,
  previewId,
  onPreview,
  onPublished,
  onClose,
}: Pick<OpenDraft, 'pipeline'> & {
  readonly previewId: string | null
  readonly onPreview: () => void
  readonly onPublished: () => void
  readonly onClose: () => void
}) {
  const { id } = pipeline
  const queries = useQueryClient()
  const [allowsUnconnected, setAllowed] = useState(false)
  const changes = useQuery({
    queryKey: ['draft-difference', id],
    queryFn: async ({ signal }) => {
      const running = (await readRevisions(id, signal)).find(({ deployed }) => deployed)
      return running === undefined ? null : readDifference(id, String(running.number), 'draft', signal)
    },
    staleTime: 0,
    gcTime: 0,
  })
  const publication = useMutation({
    mutationFn: async () => {
      await publish(id, allowsUnconnected)
      onPublished()
      await queries.invalidateQueries()
      const revisions = await readRevisions(id, new AbortController().signal)
      return revisions.find(({ deployed }) => deployed)?.number ?? 0
    },
  })
  if (publication.data !== undefined)
    return (
      <Dialog title={TEXT.publish.title} onClose={onClose}>
        <p role="status">{TEXT.publish.done(publication.data)}</p>
        <div className={style.buttons}>
          <button type="button" className="primary" onClick={onClose}>
            {TEXT.close}
          </button>
        </div>
      </Dialog>
    )
  return (
    <Dialog title={TEXT.publish.title} isWide onClose={onClose}>
      <Loading isLoading={changes.isFetching || publication.isPending} />
      <section className={style.part}>
        <h3>{TEXT.publish.changes}</h3>
        {changes.error !== null && (
          <ProblemBox error={changes.error} onRetry={() => void changes.refetch()} />
        )}
        {changes.data === null && <p className="soft">{TEXT.publish.first}</p>}
        {changes.data && <DifferenceText difference={changes.data} none={TEXT.publish.none} />}
      </section>
      <PreviewFigures pipelineId={id} previewId={previewId} onPreview={onPreview} />
      <Check label={TEXT.publish.drop} isChecked={allowsUnconnected} onChange={setAllowed} />
      <Refusal error={publication.error} />
      <div className={style.buttons}>
        <button type="button" className="button" onClick={onClose}>
          {TEXT.cancel}
        </button>
        <button
          type="button"
          className="primary"
          disabled={publication.isPending}
          onClick={() => publication.mutate()}
        >
          {TEXT.publish.confirm}
        </button>
      </div>
    </Dialog>
  )
}

function PreviewFigures({
  pipelineId,
  previewId,
  onPreview,
}: {
  readonly pipelineId: string
  readonly previewId: string | null
  readonly onPreview: () => void
}) {
  const { data } = useQuery<PreviewRecord>({
    queryKey: ['preview', pipelineId, previewId],
    queryFn: ({ signal }) => readPreview(pipelineId, previewId ?? '', signal),
    enabled: previewId !== null,
  })
  const result = data?.result
  return (
    <section className={style.part}>
      <h3>{TEXT.tabs.preview}</h3>
      {result === undefined ? (
        <p className={style.advice}>
          <span className="soft">{TEXT.publish.preview}</span>
          <button type="button" className="button" onClick={onPreview}>
            {TEXT.publish.toPreview}
          </button>
        </p>
      ) : (
        <>
          <p>
            {result.differing === 0 ? TEXT.preview.same : TEXT.preview.differing(count(result.differing))}
          </p>
          <InForce record={data as PreviewRecord} />
        </>
      )}
    </section>
  )
}
