import { useMutation, useQuery } from '@tanstack/react-query'
import { History } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import { Problem } from '../../api/problem.ts'
import { Choice } from '../../components/choice.tsx'
import { count } from '../../numbers.ts'
import { Empty, Loading, ProblemBox } from '../../shell/states.tsx'
import type { OpenDraft } from '../open-draft.ts'
import { beginPreview, cancelPreview, type PreviewRecord, readPreview } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { MissingSecrets } from './missing-secrets.tsx'
import { PreviewResult } from './preview-result.tsx'
import style from './trial.module.css'

const PERIODS = [15, 60, 360, 1_440] as const
const USUAL_MINUTES = 60
const POLL_MS = 500

const isRunning = ({ status }: PreviewRecord) => status === 'waiting' || status === 'running'

/** Runs the draft on the lines of the last minutes, beside the revision that ran. */
export default function PreviewTab({ pipeline, draft }: OpenDraft) {
  const [parameters, setParameters] = useSearchParams()
  const [minutes, setMinutes] = useState<number>(USUAL_MINUTES)
  const id = parameters.get('preview')
  const setId = (value: string | null) =>
    setParameters(
      before => {
        if (value === null) before.delete('preview')
        else before.set('preview', value)
        return before
      },
      { replace: true },
    )
  const begin = useMutation({
    mutationFn: (ofMinutes: number) => beginPreview(pipeline.id, ofMinutes, draft),
    onSuccess: record => setId(record.id),
  })
  const { data, error, refetch } = useQuery({
    queryKey: ['preview', pipeline.id, id],
    queryFn: ({ signal }) => readPreview(pipeline.id, id ?? '', signal),
    enabled: id !== null,
    refetchInterval: ({ state }) => (state.data !== undefined && isRunning(state.data) ? POLL_MS : false),
  })
  const isGone = error instanceof Problem && error.status === 404
  return (
    <div className={style.preview}>
      <div className={style.bar}>
        <span className="soft">{TEXT.preview.period}</span>
        <Choice
          label={TEXT.preview.period}
          values={PERIODS}
          present={minutes}
          nameOf={each => TEXT.preview.minutes[each] ?? ''}
          onChoose={setMinutes}
        />
        <button
          type="button"
          className="primary"
          disabled={
            begin.isPending || (data !== undefined && isRunning(data)) || draft.missingSecrets.length > 0
          }
          onClick={() => begin.mutate(minutes)}
        >
          <History size={14} aria-hidden />
          {TEXT.preview.run}
        </button>
      </div>
      <div className={style.body}>
        <Loading isLoading={begin.isPending} />
        <MissingSecrets names={draft.missingSecrets} />
        {begin.error !== null && <ProblemBox error={begin.error} onRetry={() => begin.mutate(minutes)} />}
        {isGone && (
          <Empty
            title={TEXT.preview.gone}
            action={
              <button type="button" className="button" onClick={() => begin.mutate(minutes)}>
                {TEXT.preview.again}
              </button>
            }
          />
        )}
        {error !== null && !isGone && <ProblemBox error={error} onRetry={() => void refetch()} />}
        {id === null && begin.error === null && (
          <Empty title={TEXT.preview.none}>
            <p>{TEXT.preview.noneWhy}</p>
          </Empty>
        )}
        {data !== undefined && !isGone && (
          <Progress
            record={data}
            onCancel={() => void cancelPreview(pipeline.id, data.id).then(() => refetch())}
          />
        )}
        {data?.result !== undefined && (
          <PreviewResult record={data} result={data.result} draft={draft} onNarrow={begin.mutate} />
        )}
      </div>
    </div>
  )
}

function Progress({ record, onCancel }: { readonly record: PreviewRecord; readonly onCancel: () => void }) {
  const { status, progress, message } = record
  if (status === 'failed') return <p className={style.failed}>{message}</p>
  if (status === 'cancelled') return <p className="soft">{TEXT.preview.cancelled}</p>
  if (!isRunning(record)) return null
  const { records, of_records: all, lines } = progress
  return (
    <div className={style.progress} role="status">
      <progress max={Math.max(all, 1)} value={records} aria-label={TEXT.preview.run} />
      <span>{TEXT.preview.progress(count(records), count(all), count(lines))}</span>
      <button type="button" className="button" onClick={onCancel}>
        {TEXT.cancel}
      </button>
    </div>
  )
}
