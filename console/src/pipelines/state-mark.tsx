import { TEXT } from '../texts.ts'
import style from './pipelines.module.css'
import type { PipelineRecord } from './requests.ts'

const PAUSED_TEXTS = {
  store: TEXT.states.paused,
  hold: TEXT.states.held,
  drop: TEXT.states.dropping,
} as const

/** Says whether a pipeline runs, and whether its draft differs from the running document. */
export function StateMark({ pipeline }: { readonly pipeline: PipelineRecord }) {
  const {
    processing_status: status,
    pause_mode: mode,
    has_changes: hasChanges,
    published_at: publishedAt,
  } = pipeline
  const state = publishedAt === null ? 'draft' : status === 'paused' ? 'paused' : 'runs'
  const text = state === 'paused' ? PAUSED_TEXTS[mode ?? 'store'] : TEXT.states[state]
  return (
    <span className={style.marks}>
      <span className={style.state} data-state={state}>
        {text}
      </span>
      {hasChanges && state !== 'draft' && <span className={style.changes}>{TEXT.unpublished}</span>}
    </span>
  )
}
