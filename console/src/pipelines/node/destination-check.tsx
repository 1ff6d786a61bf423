import { useMutation } from '@tanstack/react-query'
import { CircleAlert, CircleCheck, KeyRound, type LucideIcon, Unplug } from 'lucide-react'
import { Refusal } from '../../components/refusal.tsx'
import { Loading } from '../../shell/states.tsx'
import { checkDestination, type DeliveryCheckRecord } from '../requests.ts'
import { TEXT } from '../texts.ts'
import style from './node.module.css'

const ICONS: Readonly<Record<DeliveryCheckRecord['outcome'], LucideIcon>> = {
  accepted: CircleCheck,
  answered: CircleAlert,
  refused: KeyRound,
  silent: Unplug,
}

/** Sends an empty request to the server of a destination, and shows what came back. */
export function DestinationCheck({
  pipelineId,
  nodeId,
  revision,
}: {
  readonly pipelineId: string
  readonly nodeId: string
  readonly revision: 'draft' | 'deployed'
}) {
  const { data, error, isPending, mutate } = useMutation({
    mutationFn: () => checkDestination(pipelineId, nodeId, revision),
  })
  return (
    <section className={style.check} aria-label={TEXT.check.title}>
      <p className="soft">{TEXT.check.why}</p>
      <button type="button" className="button" disabled={isPending} onClick={() => mutate()}>
        {TEXT.check.action}
      </button>
      <Loading isLoading={isPending} />
      <Refusal error={error} />
      {data !== undefined && !isPending && <Answer record={data} />}
    </section>
  )
}

function Answer({ record: { outcome, message, answer } }: { readonly record: DeliveryCheckRecord }) {
  const Icon = ICONS[outcome]
  return (
    <div className={style.checked} data-outcome={outcome} role="status">
      <Icon size={16} aria-hidden />
      <p>{message}</p>
      {answer !== '' && (
        <details>
          <summary>{TEXT.check.answer}</summary>
          <pre>{answer}</pre>
        </details>
      )}
    </div>
  )
}
