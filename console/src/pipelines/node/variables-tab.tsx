import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { Problem } from '../../api/problem.ts'
import { IconButton } from '../../components/icon-button.tsx'
import { Loading, ProblemBox } from '../../shell/states.tsx'
import type { OpenDraft } from '../open-draft.ts'
import { readVariables, type StateVariableRecord, writeVariables } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './node.module.css'

/** A variable as it is typed; names can be empty or equal until they are sent. */
interface TypedVariable {
  readonly name: string
  readonly value: string
}

/** The variable that every pipeline has. */
const FIXED = 'operational_state'

/** State variables of a pipeline, which its scripts read. */
export default function VariablesTab({ pipeline, canWrite }: OpenDraft) {
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['variables', pipeline.id],
    queryFn: ({ signal }) => readVariables(pipeline.id, signal),
  })
  return (
    <div className={style.variables}>
      <h2>{TEXT.tabs.variables}</h2>
      <p className="soft">{TEXT.variables.why}</p>
      <Loading isLoading={isFetching} />
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data && <Variables key={data.updated_at} record={data} canWrite={canWrite} />}
    </div>
  )
}

function Variables({
  record,
  canWrite,
}: {
  readonly record: StateVariableRecord
  readonly canWrite: boolean
}) {
  const queries = useQueryClient()
  const [rows, setRows] = useState<readonly TypedVariable[]>(() =>
    Object.entries(record.state).map(([name, value]) => ({ name, value })),
  )
  const saving = useMutation({
    mutationFn: () =>
      writeVariables(record, Object.fromEntries(rows.map(({ name, value }) => [name.trim(), value.trim()]))),
    onSuccess: saved => queries.setQueryData(['variables', record.pipeline_id], saved),
  })
  const change = (next: readonly TypedVariable[]) => {
    saving.reset()
    setRows(next)
  }
  return (
    <>
      <ul>
        {rows.map(({ name, value }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names change while they are typed
          <li key={index}>
            <input
              className="field"
              aria-label={TEXT.variables.name}
              value={name}
              readOnly={!canWrite || name === FIXED}
              onChange={({ target }) => change(rows.with(index, { name: target.value, value }))}
            />
            <input
              className="field"
              aria-label={`${TEXT.variables.value} ${name}`}
              value={value}
              readOnly={!canWrite}
              onChange={({ target }) => change(rows.with(index, { name, value: target.value }))}
            />
            {canWrite && name !== FIXED && (
              <IconButton label={`${TEXT.remove} ${name}`} onClick={() => change(rows.toSpliced(index, 1))}>
                <X size={14} aria-hidden />
              </IconButton>
            )}
          </li>
        ))}
      </ul>
      {saving.error !== null && (
        <div role="alert" className={style.refused}>
          <p>{saving.error.message}</p>
          {saving.error instanceof Problem &&
            saving.error.findings.map(({ place, message }) => (
              <p key={place + message}>{`${place}: ${message}`}</p>
            ))}
        </div>
      )}
      {saving.isSuccess && <p role="status">{TEXT.variables.saved}</p>}
      {canWrite && (
        <div className={style.variableButtons}>
          <button type="button" className="button" onClick={() => change([...rows, { name: '', value: '' }])}>
            <Plus size={14} aria-hidden />
            {TEXT.add}
          </button>
          <button
            type="button"
            className="primary"
            disabled={saving.isPending}
            onClick={() => saving.mutate()}
          >
            {TEXT.variables.save}
          </button>
        </div>
      )}
    </>
  )
}
