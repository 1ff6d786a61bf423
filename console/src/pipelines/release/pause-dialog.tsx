import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Dialog } from '../../components/dialog.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Loading, ProblemBox } from '../../shell/states.tsx'
import { type PauseMode, pause, pauseEffects } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './release.module.css'

const MODES = ['store', 'hold', 'drop'] as const satisfies readonly PauseMode[]

/**
 * Pauses a pipeline, or changes the mode of its pause, after the effects of the mode were asked for.
 *
 * @param present mode of the present pause; null: the pipeline is not paused
 */
export default function PauseDialog({
  id,
  present,
  onClose,
}: {
  readonly id: string
  readonly present: PauseMode | null
  readonly onClose: () => void
}) {
  const queries = useQueryClient()
  const [mode, setMode] = useState<PauseMode>(present ?? 'store')
  const effects = useQuery({
    queryKey: ['pause-effects', id, mode],
    queryFn: ({ signal }) => pauseEffects(id, mode, signal),
    staleTime: 0,
    gcTime: 0,
  })
  const pausing = useMutation({
    mutationFn: () => pause(id, mode),
    onSuccess: async () => {
      await queries.invalidateQueries()
      onClose()
    },
  })
  return (
    <Dialog title={present === null ? TEXT.pause.title : TEXT.pause.changeTitle} onClose={onClose}>
      <Loading isLoading={effects.isFetching || pausing.isPending} />
      <fieldset className={style.modes}>
        <legend>{TEXT.pause.why}</legend>
        {MODES.map(each => (
          <label key={each} data-chosen={mode === each || undefined}>
            <input type="radio" name="pause-mode" checked={mode === each} onChange={() => setMode(each)} />
            <span>
              <strong>{TEXT.pause.modes[each].name}</strong> {TEXT.pause.modes[each].why}
            </span>
          </label>
        ))}
      </fieldset>
      {effects.error !== null && <ProblemBox error={effects.error} onRetry={() => void effects.refetch()} />}
      {effects.data?.map(({ code, message }) => (
        <p key={code} className={style.warning} role="alert">
          {message}
        </p>
      ))}
      <Refusal error={pausing.error} />
      <div className={style.buttons}>
        <button type="button" className="button" onClick={onClose}>
          {TEXT.cancel}
        </button>
        <button
          type="button"
          className="primary"
          disabled={effects.data === undefined || pausing.isPending || mode === present}
          onClick={() => pausing.mutate()}
        >
          {present === null ? TEXT.pause.confirm : TEXT.pause.confirmChange}
        </button>
      </div>
    </Dialog>
  )
}
