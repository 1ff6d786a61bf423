import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { retention } from '../api/usage.ts'
import { Refusal } from '../components/refusal.tsx'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { setRetention } from './requests.ts'
import style from './rules.module.css'
import { TEXT } from './texts.ts'

/** Days for which lines are kept unless a rule says otherwise. */
export function UsualRetention() {
  const queries = useQueryClient()
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['retention'],
    queryFn: ({ signal }) => retention(signal),
  })
  const [typed, setTyped] = useState<string>()
  const saving = useMutation({
    mutationFn: (days: number) => setRetention(days),
    onSuccess: saved => {
      queries.setQueryData(['retention'], saved)
      setTyped(undefined)
    },
  })
  if (error !== null) return <ProblemBox error={error} onRetry={() => void refetch()} />
  if (data === undefined) return <Loading isLoading={isFetching} />
  const isChanged = typed !== undefined && typed !== '' && Number(typed) !== data.days
  return (
    <form
      className={style.usual}
      onSubmit={event => {
        event.preventDefault()
        if (isChanged) saving.mutate(Number(typed))
      }}
    >
      <label htmlFor="usual-retention">{TEXT.retention.usual}</label>
      <input
        id="usual-retention"
        className="field"
        type="number"
        min={1}
        aria-label={TEXT.retention.usualLabel}
        value={typed ?? String(data.days)}
        onChange={({ target }) => {
          saving.reset()
          setTyped(target.value)
        }}
      />
      <span>{TEXT.retention.usualDays}</span>
      <button type="submit" className="button" disabled={!isChanged || saving.isPending}>
        {TEXT.save}
      </button>
      {saving.isSuccess && <span role="status">{TEXT.retention.saved}</span>}
      <Refusal error={saving.error} />
    </form>
  )
}
