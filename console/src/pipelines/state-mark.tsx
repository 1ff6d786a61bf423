import { TEXT } from '../texts.ts'
import style from './pipelines.module.css'
import type { PipelineRecord } from './requests.ts'

/** Says whether a pipeline runs, and whether its draft differs from the running document. */
export function StateMark({ pipeline }: { readonly pipeline: PipelineRecord }) {
  const { processing_status: status, has_changes: hasChanges, published_at: publishedAt } = pipeline
  const state = publishedAt === null ? 'draft' : status === 'paused' ? 'paused' : 'runs'
  return (
    <span className={style.marks}>
      <span className={style.state} data-state={state}>
        {TEXT.states[state]}
      </span>
      {hasChanges && state !== 'draft' && <span className={style.changes}>{TEXT.unpublished}</span>}
    </span>
  )
}
