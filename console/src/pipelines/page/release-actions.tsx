import { useMutation, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useSearchParams } from 'wouter'
import type { OpenDraft } from '../open-draft.ts'
import { resume } from '../requests.ts'
import { TEXT } from '../texts.ts'

/** Few visits need them. */
const PauseDialog = lazy(() => import('../release/pause-dialog.tsx'))
const PublishDialog = lazy(() => import('../release/publish-dialog.tsx'))

/** Publication, pause and resumption of a pipeline. */
export function ReleaseActions({ pipeline, draft }: OpenDraft) {
  const {
    id,
    processing_status: status,
    pause_mode: mode,
    published_at: publishedAt,
    has_changes: hasChanges,
  } = pipeline
  const [parameters, setParameters] = useSearchParams()
  const queries = useQueryClient()
  const [open, setOpen] = useState<'publish' | 'pause'>()
  const resuming = useMutation({
    mutationFn: () => resume(id),
    onSuccess: () => queries.invalidateQueries(),
  })
  const isPaused = status === 'paused'
  const canPublish = !draft.isChanged && !isPaused && (publishedAt === null || hasChanges)
  const close = () => setOpen(undefined)
  return (
    <>
      {isPaused && (
        <button
          type="button"
          className="button"
          disabled={resuming.isPending}
          onClick={() => resuming.mutate()}
        >
          {TEXT.pause.resume}
        </button>
      )}
      {publishedAt !== null && (
        <button type="button" className="button" onClick={() => setOpen('pause')}>
          {isPaused ? TEXT.pause.change : TEXT.pause.action}
        </button>
      )}
      <button
        type="button"
        className={canPublish ? 'primary' : 'button'}
        disabled={!canPublish}
        title={draft.isChanged ? TEXT.publish.unsaved : undefined}
        onClick={() => setOpen('publish')}
      >
        {TEXT.publish.action}
      </button>
      <Suspense>
        {open === 'pause' && <PauseDialog id={id} present={mode ?? null} onClose={close} />}
        {open === 'publish' && (
          <PublishDialog
            pipeline={pipeline}
            previewId={parameters.get('preview')}
            onPreview={() => {
              close()
              setParameters(before => {
                before.set('tab', 'preview')
                return before
              })
            }}
            // A preview compares with what ran before: it says nothing about the next draft.
            onPublished={() =>
              setParameters(
                before => {
                  before.delete('preview')
                  return before
                },
                { replace: true },
              )
            }
            onClose={close}
          />
        )}
      </Suspense>
    </>
  )
}
