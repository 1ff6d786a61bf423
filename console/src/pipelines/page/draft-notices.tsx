import { lazy, Suspense, useState } from 'react'
import { ProblemBox } from '../../shell/states.tsx'
import type { Draft } from '../draft/use-draft.ts'
import { TEXT } from '../texts.ts'
import style from './page.module.css'

const ConflictDialog = lazy(() => import('../release/conflict-dialog.tsx'))

/** Sentences about unsaved changes: that they were brought back, that somebody else was faster, that saving failed. */
export function DraftNotices({ draft }: { readonly draft: Draft }) {
  const { theirs, isRestored, trouble } = draft
  const [isComparing, setComparing] = useState(false)
  return (
    <>
      {isRestored && (
        <div className={style.notice}>
          <p role="status">{TEXT.edit.restored}</p>
          <button type="button" className="button" onClick={draft.discard}>
            {TEXT.edit.discard}
          </button>
        </div>
      )}
      {theirs !== undefined && (
        <div className={style.notice} data-level="warning">
          <p role="alert">{TEXT.conflict.notice}</p>
          <button type="button" className="button" onClick={() => setComparing(true)}>
            {TEXT.conflict.compare}
          </button>
        </div>
      )}
      {trouble !== null && <ProblemBox error={trouble} onRetry={() => void draft.save()} />}
      {theirs !== undefined && isComparing && (
        <Suspense>
          <ConflictDialog
            base={draft.base.document}
            mine={draft.document}
            theirs={theirs}
            onUse={merged => {
              draft.resolve(merged)
              setComparing(false)
            }}
            onClose={() => setComparing(false)}
          />
        </Suspense>
      )}
    </>
  )
}
