import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { confirmSuspension, offerSuspension, readIngestion, resumeIngestion } from '../api/ingestion.ts'
import { QuestionDialog } from '../components/question-dialog.tsx'
import { Switch } from '../components/switch.tsx'
import { count } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { readSpread, type SpreadRecord, writeSpread } from './requests.ts'
import style from './system.module.css'
import { TEXT as PAGE_TEXT } from './texts.ts'

const TEXT = PAGE_TEXT.account
const POLL_MS = 5_000

/** Ingestion of the account, which can be suspended, and the partitions that its lines go to. */
export function AccountPart() {
  const ingestion = useQuery({
    queryKey: ['ingestion'],
    queryFn: ({ signal }) => readIngestion(signal),
    refetchInterval: POLL_MS,
  })
  const spread = useQuery({
    queryKey: ['spread'],
    queryFn: ({ signal }) => readSpread(signal),
    refetchInterval: POLL_MS,
  })
  const error = ingestion.error ?? spread.error
  const retry = () => {
    for (const each of [ingestion, spread]) void each.refetch()
  }
  const isFirst = ingestion.isPending || spread.isPending
  return (
    <section className={frame.card} aria-label={TEXT.title}>
      <h2 className={style.title}>{TEXT.title}</h2>
      <Loading isLoading={isFirst} />
      {error !== null && <ProblemBox error={error} onRetry={retry} />}
      {!isFirst && (
        <div className={style.switches}>
          {ingestion.data && <Ingestion isIngesting={ingestion.data.is_ingesting} />}
          {spread.data && <Spread record={spread.data} />}
        </div>
      )}
    </section>
  )
}

/** Suspending takes two steps: the server gives a token, with which the dialog confirms. */
function Ingestion({ isIngesting }: { readonly isIngesting: boolean }) {
  const queries = useQueryClient()
  const refresh = () => queries.invalidateQueries({ queryKey: ['ingestion'] })
  const offer = useMutation({ mutationFn: () => offerSuspension() })
  const resumption = useMutation({ mutationFn: () => resumeIngestion(), onSuccess: refresh })
  const error = offer.error ?? resumption.error
  return (
    <div>
      <p data-bad={!isIngesting || undefined}>
        <b>{TEXT.ingestion}</b>
        <span>{isIngesting ? TEXT.accepts : TEXT.suspended}</span>
      </p>
      {isIngesting ? (
        <button type="button" className="button" disabled={offer.isPending} onClick={() => offer.mutate()}>
          {TEXT.suspend}
        </button>
      ) : (
        <button
          type="button"
          className="primary"
          disabled={resumption.isPending}
          onClick={() => resumption.mutate()}
        >
          {TEXT.resume}
        </button>
      )}
      {error !== null && (
        <p className={style.trouble} role="alert">
          {error.message}
        </p>
      )}
      {offer.data !== undefined && (
        <QuestionDialog
          title={TEXT.suspendTitle}
          confirm={TEXT.suspendConfirm}
          act={() => confirmSuspension(offer.data)}
          onDone={refresh}
          onClose={offer.reset}
        >
          <p>{TEXT.suspendWhy}</p>
        </QuestionDialog>
      )}
    </div>
  )
}

function Spread({ record }: { readonly record: SpreadRecord }) {
  const { enabled, phase, partitions, partitions_done: done } = record
  const queries = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const isAlone = partitions === 1
  return (
    <div>
      <p>
        <b>{TEXT.spread}</b>
        <span>{isAlone ? TEXT.onePartition : TEXT.spreadWhy(count(partitions))}</span>
      </p>
      <Switch
        label={enabled ? TEXT.gather : TEXT.spreadOver}
        state={TEXT.phases(phase, count(done), count(partitions))}
        isOn={enabled}
        isDisabled={isAlone}
        onSwitch={() => setAsking(true)}
      />
      {isAsking && (
        <QuestionDialog
          title={enabled ? TEXT.gather : TEXT.spreadOver}
          confirm={enabled ? TEXT.gatherConfirm : TEXT.spreadConfirm}
          act={() => writeSpread(!enabled)}
          onDone={() => queries.invalidateQueries({ queryKey: ['spread'] })}
          onClose={() => setAsking(false)}
        >
          <p>{enabled ? TEXT.gatherEffect : TEXT.spreadEffect}</p>
        </QuestionDialog>
      )}
    </div>
  )
}
