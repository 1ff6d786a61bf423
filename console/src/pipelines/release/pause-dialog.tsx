import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../components/dialog.tsx'
import { Refusal } from '../../components/refusal.tsx'
import { Loading, ProblemBox } from '../../shell/states.tsx'
import { pause, pauseEffects } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './release.module.css'

/** Pauses a pipeline, after its effects were asked for. */
export default function PauseDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const queries = useQueryClient()
  const effects = useQuery({
    queryKey: ['pause-effects', id],
    queryFn: ({ signal }) => pauseEffects(id, signal),
    staleTime: 0,
    gcTime: 0,
  })
  const pausing = useMutation({
    mutationFn: () => pause(id),
    onSuccess: async () => {
      await queries.invalidateQueries()
      onClose()
    },
  })
  return (
    <Dialog title={TEXT.pause.title} onClose={onClose}>
      <Loading isLoading={effects.isFetching || pausing.isPending} />
      <p>{TEXT.pause.why}</p>
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
          disabled={effects.data === undefined || pausing.isPending}
          onClick={() => pausing.mutate()}
        >
          {TEXT.pause.confirm}
        </button>
      </div>
    </Dialog>
  )
}
