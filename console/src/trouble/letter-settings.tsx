import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Check } from '../components/check.tsx'
import { type DeadLetterSettingsRecord, writeSettings } from './requests.ts'
import { TEXT } from './texts.ts'
import style from './trouble.module.css'

/** Whether a pipeline keeps events that fail, and for how many days. */
export function LetterSettings({
  pipelineId,
  settings,
  canWrite,
}: {
  readonly pipelineId: string
  readonly settings: DeadLetterSettingsRecord
  readonly canWrite: boolean
}) {
  const queries = useQueryClient()
  const [typed, setTyped] = useState(settings)
  const saving = useMutation({
    mutationFn: () => writeSettings(pipelineId, typed),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['letters', pipelineId] }),
  })
  const isChanged = typed.enabled !== settings.enabled || typed.retention_days !== settings.retention_days
  return (
    <form
      className={style.settings}
      onSubmit={event => {
        event.preventDefault()
        saving.mutate()
      }}
    >
      <Check
        label={TEXT.letters.kept}
        isChecked={typed.enabled}
        isDisabled={!canWrite}
        onChange={enabled => setTyped({ ...typed, enabled })}
      />
      <label>
        {TEXT.letters.days}
        <input
          className="field"
          type="number"
          min={1}
          max={30}
          value={typed.retention_days}
          disabled={!canWrite}
          onChange={({ target }) => setTyped({ ...typed, retention_days: Number(target.value) })}
        />
      </label>
      {canWrite && (
        <button type="submit" className="button" disabled={!isChanged || saving.isPending}>
          {TEXT.letters.save}
        </button>
      )}
      {saving.isSuccess && !isChanged && <span role="status">{TEXT.letters.saved}</span>}
      {saving.error !== null && (
        <span className={style.refused} role="alert">
          {saving.error.message}
        </span>
      )}
    </form>
  )
}
