import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useId } from 'react'
import { createView, deleteView, replaceView, type ViewRecord } from '../api/views.ts'
import { Dialog } from '../components/dialog.tsx'
import { ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { changedView, newView, type ViewedSearch } from './view-state.ts'
import style from './views.module.css'

/** An action that asks before it changes anything. */
export type ViewAction =
  | { readonly kind: 'create' }
  | { readonly kind: 'replace' | 'rename' | 'delete'; readonly view: ViewRecord }

interface ViewDialogProps {
  readonly action: ViewAction
  readonly search: ViewedSearch
  /** Called with the id of the written view; undefined after a deletion. */
  readonly onDone: (id: string | undefined) => void
  readonly onClose: () => void
}

/** Asks for the name of a view, or whether it is to be replaced or deleted. */
export function ViewDialog({ action, search, onDone, onClose }: ViewDialogProps) {
  const queries = useQueryClient()
  const id = useId()
  const { mutate, error, isPending, reset } = useMutation({
    mutationFn: async ({ name, category }: { name: string; category: string }) => {
      if (action.kind === 'create') return (await createView(newView(name, category, search))).viewid
      const { viewid } = action.view
      if (action.kind === 'delete') await deleteView(viewid)
      else
        await replaceView(viewid, changedView(action.view, action.kind === 'rename' ? { name } : { search }))
      return action.kind === 'delete' ? undefined : viewid
    },
    onSuccess: async viewid => {
      await queries.invalidateQueries({ queryKey: ['views'] })
      onDone(viewid)
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const given = new FormData(event.currentTarget)
    mutate({ name: String(given.get('name') ?? '').trim(), category: String(given.get('category') ?? '') })
  }
  const present = action.kind === 'create' ? '' : action.view.name
  const asksName = action.kind === 'create' || action.kind === 'rename'
  return (
    <Dialog title={TEXT.viewActions[action.kind](present)} onClose={onClose}>
      <form className={style.form} onSubmit={submit}>
        {asksName && (
          <label htmlFor={`${id}-name`}>
            {TEXT.name}
            <input
              id={`${id}-name`}
              className="field"
              name="name"
              defaultValue={present}
              maxLength={120}
              required
              autoComplete="off"
            />
          </label>
        )}
        {action.kind === 'create' && (
          <label htmlFor={`${id}-category`}>
            {TEXT.category}
            <input id={`${id}-category`} className="field" name="category" autoComplete="off" />
          </label>
        )}
        <p className="soft">{TEXT.viewNotes[action.kind]}</p>
        {error !== null && <ProblemBox error={error} onRetry={reset} />}
        <div className={style.buttons}>
          <button type="button" className="button" onClick={onClose}>
            {TEXT.cancel}
          </button>
          <button type="submit" className="primary" disabled={isPending}>
            {TEXT.viewDo[action.kind]}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
