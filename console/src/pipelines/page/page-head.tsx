import { ChevronRight, Redo2, Undo2 } from 'lucide-react'
import { useEffect } from 'react'
import { Link, useSearchParams } from 'wouter'
import { IconButton } from '../../components/icon-button.tsx'
import type { OpenDraft } from '../open-draft.ts'
import { StateMark } from '../state-mark.tsx'
import { TEXT } from '../texts.ts'
import style from './page.module.css'
import { ReleaseActions } from './release-actions.tsx'

/** Title of a pipeline with its state, and the actions on it. */
export function PageHead(open: OpenDraft) {
  const { pipeline, canWrite } = open
  return (
    <div className={style.head}>
      <div className={style.title}>
        <Link href="/pipelines">{TEXT.pipelines}</Link>
        <ChevronRight size={14} aria-hidden />
        <h1>{pipeline.title}</h1>
      </div>
      <StateMark pipeline={pipeline} />
      {canWrite && <EditActions {...open} />}
    </div>
  )
}

/** Undo, redo and save, by buttons and by keys. */
function EditActions(open: OpenDraft) {
  const { draft } = open
  const { isChanged, isSaving, canUndo, canRedo, missingSecrets, theirs } = draft
  const simulate = useSimulation()
  const canSave = isChanged && !isSaving && missingSecrets.length === 0 && theirs === undefined
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey)) return
      const key = event.key.toLowerCase()
      if (key === 's') {
        event.preventDefault()
        if (canSave) void draft.save()
      }
      if (event.key === 'Enter') simulate()
      // Fields undo typed texts by themselves.
      if (isField(event.target)) return
      if (key === 'z' && !event.shiftKey && canUndo) draft.undo()
      if ((key === 'y' || (key === 'z' && event.shiftKey)) && canRedo) draft.redo()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  })
  return (
    <div className={style.actions}>
      <span className={style.saveState} role="status">
        {isSaving ? TEXT.edit.saving : isChanged ? TEXT.edit.unsaved : ''}
      </span>
      <IconButton label={TEXT.edit.undo} isDisabled={!canUndo} onClick={draft.undo}>
        <Undo2 size={16} aria-hidden />
      </IconButton>
      <IconButton label={TEXT.edit.redo} isDisabled={!canRedo} onClick={draft.redo}>
        <Redo2 size={16} aria-hidden />
      </IconButton>
      <button
        type="button"
        className={isChanged ? 'primary' : 'button'}
        disabled={!canSave}
        onClick={() => void draft.save()}
      >
        {TEXT.edit.save}
      </button>
      <ReleaseActions {...open} />
    </div>
  )
}

/** Opens the page of the simulation, which then runs the samples. There the key is that of the page itself. */
function useSimulation(): () => void {
  const [parameters, setParameters] = useSearchParams()
  return () => {
    if (parameters.get('tab') === 'simulate') return
    setParameters(before => {
      before.set('tab', 'simulate')
      before.set('run', 'on')
      return before
    })
  }
}

function isField(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('input, textarea, select, .cm-editor') !== null
}
