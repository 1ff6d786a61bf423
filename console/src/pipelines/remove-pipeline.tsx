import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useId, useRef, useState } from 'react'
import { Dialog } from '../components/dialog.tsx'
import style from './pipelines.module.css'
import { type PipelineRecord, removePipeline } from './requests.ts'
import { TEXT } from './texts.ts'

/** Removes a pipeline whose title was typed: it cannot be brought back. */
export function RemovePipeline({
  pipeline,
  onClose,
}: {
  readonly pipeline: PipelineRecord
  readonly onClose: () => void
}) {
  const id = useId()
  const field = useRef<HTMLInputElement>(null)
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const removal = useMutation({
    mutationFn: () => removePipeline(pipeline.id),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['pipelines'] })
      onClose()
    },
  })
  useEffect(() => field.current?.focus(), [])
  return (
    <Dialog title={TEXT.list.removeTitle(pipeline.title)} onClose={onClose}>
      <form
        className={style.form}
        onSubmit={event => {
          event.preventDefault()
          removal.mutate()
        }}
      >
        <p>{TEXT.list.removeWhy}</p>
        <label htmlFor={id}>{TEXT.list.typeTitle(pipeline.title)}</label>
        <input
          ref={field}
          id={id}
          className="field"
          value={typed}
          autoComplete="off"
          onChange={({ target }) => setTyped(target.value)}
        />
        {removal.error !== null && (
          <p className={style.refused} role="alert">
            {removal.error.message}
          </p>
        )}
        <div className={style.buttons}>
          <button type="button" className="button" onClick={onClose}>
            {TEXT.cancel}
          </button>
          <button type="submit" className="primary" disabled={typed !== pipeline.title || removal.isPending}>
            {TEXT.list.remove}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
