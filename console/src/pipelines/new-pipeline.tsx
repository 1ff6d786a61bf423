import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { Dialog } from '../components/dialog.tsx'
import style from './pipelines.module.css'
import { createPipeline } from './requests.ts'
import { TEXT } from './texts.ts'

/** Asks for the title of a new pipeline, and opens it. */
export function NewPipeline({ onClose }: { readonly onClose: () => void }) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const [title, setTitle] = useState('')
  const creation = useMutation({
    mutationFn: () => createPipeline(title.trim()),
    onSuccess: async pipeline => {
      await queries.invalidateQueries({ queryKey: ['pipelines'] })
      navigate(`/pipelines/${pipeline.id}`)
    },
  })
  // The dialog opens first, and would give the focus to its own button.
  useEffect(() => field.current?.focus(), [])
  return (
    <Dialog title={TEXT.list.newTitle} onClose={onClose}>
      <form
        className={style.form}
        onSubmit={event => {
          event.preventDefault()
          creation.mutate()
        }}
      >
        <label htmlFor={id}>{TEXT.title}</label>
        <input
          ref={field}
          id={id}
          className="field"
          value={title}
          required
          autoComplete="off"
          onChange={({ target }) => setTitle(target.value)}
        />
        {creation.error !== null && (
          <p className={style.refused} role="alert">
            {creation.error.message}
          </p>
        )}
        <div className={style.buttons}>
          <button type="button" className="button" onClick={onClose}>
            {TEXT.cancel}
          </button>
          <button type="submit" className="primary" disabled={title.trim() === '' || creation.isPending}>
            {TEXT.list.create}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
