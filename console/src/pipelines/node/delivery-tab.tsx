import { useQuery } from '@tanstack/react-query'
import { CircleCheck, CircleHelp, KeyRound, type LucideIcon, RotateCw } from 'lucide-react'
import { Link, useSearchParams } from 'wouter'
import { count } from '../../numbers.ts'
import { useZone } from '../../shell/preferences.ts'
import { ageOf, dayAndTime } from '../../times/time.ts'
import { type DeliveryRecord, readDelivery } from '../requests.ts'
import { TEXT } from '../texts.ts'
import { DestinationCheck } from './destination-check.tsx'
import style from './node.module.css'
import { Shown } from './shown.tsx'

const DELIVERY = TEXT.delivery
const POLL_MS = 5_000
/** Answers about a node that does not run, or sends nothing. */
const ABSENT = [400, 404, 409]

type State = keyof typeof DELIVERY.states

const ICONS: Readonly<Record<State, LucideIcon>> = {
  delivering: CircleCheck,
  retrying: RotateCw,
  resting: KeyRound,
  unknown: CircleHelp,
}

export interface DeliveryTabProps {
  readonly pipelineId: string
  readonly nodeId: string
  /** Version whose options a check uses. */
  readonly revision: 'draft' | 'deployed'
  /** Whether the caller may see lines of all members. */
  readonly seesLines: boolean
  readonly canWrite: boolean
}

/** Deliveries of a destination, with the ways to the events that it could not deliver. */
export default function DeliveryTab({ pipelineId, nodeId, revision, seesLines, canWrite }: DeliveryTabProps) {
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['delivery', pipelineId, nodeId],
    queryFn: ({ signal }) => readDelivery(pipelineId, nodeId, signal),
    refetchInterval: POLL_MS,
  })
  const isLoading = isFetching && data === undefined
  return (
    <>
      <Shown isLoading={isLoading} error={error} absent={ABSENT} onRetry={() => void refetch()}>
        {data && (
          <div className={style.delivery}>
            <StateLine record={data} zone={zone} />
            {data.handed_over === 0 ? <p className="soft">{DELIVERY.none}</p> : <Counts record={data} />}
            {data.last_trouble !== null && <Trouble trouble={data.last_trouble} zone={zone} />}
            {seesLines && <Ways pipelineId={pipelineId} canWrite={canWrite} />}
          </div>
        )}
      </Shown>
      {canWrite && <DestinationCheck {...{ pipelineId, nodeId, revision }} />}
    </>
  )
}

function StateLine({ record, zone }: { readonly record: DeliveryRecord; readonly zone: string }) {
  const state: State = record.state ?? 'unknown'
  const Icon = ICONS[state]
  return (
    <div className={style.deliveryState} data-state={state}>
      <Icon size={18} aria-hidden />
      <div>
        <p>
          <b>{DELIVERY.states[state]}</b>
          {record.failing_since !== null && (
            <span className="soft">{` ${DELIVERY.since(dayAndTime(Date.parse(record.failing_since), zone))}`}</span>
          )}
        </p>
        <p className="soft">{DELIVERY.means[state]}</p>
      </div>
    </div>
  )
}

function Counts({ record }: { readonly record: DeliveryRecord }) {
  const { waiting, lag_seconds: lagS, delivered, given_up: givenUp, dropped, handed_over: all } = record
  const atMs = Date.parse(record.at)
  const rows: readonly (readonly [name: string, value: string, isBad?: boolean])[] = [
    [DELIVERY.waiting, count(waiting)],
    ...(waiting > 0 ? [[DELIVERY.oldest, ageOf(atMs - lagS * 1_000, atMs)] as const] : []),
    [DELIVERY.delivered, count(delivered)],
    [DELIVERY.givenUp, count(givenUp), givenUp > 0],
    ...(dropped > 0 ? [[DELIVERY.dropped, count(dropped)] as const] : []),
    [DELIVERY.handedOver, count(all)],
  ]
  return (
    <dl className={style.deliveryCounts}>
      {rows.map(([name, value, isBad]) => (
        <div key={name} data-bad={isBad || undefined}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Trouble({
  trouble: { at, code, status, message },
  zone,
}: {
  readonly trouble: NonNullable<DeliveryRecord['last_trouble']>
  readonly zone: string
}) {
  return (
    <section className={style.trouble}>
      <h3>{DELIVERY.trouble}</h3>
      <p>
        <code>{code}</code>
        {status !== null && ` ${DELIVERY.status(status)}`}
      </p>
      <p>{message}</p>
      <p className="soft">{dayAndTime(Date.parse(at), zone)}</p>
    </section>
  )
}

/** Links to the events that were not delivered: why, which ones, and the ways of single lines. */
function Ways({ pipelineId, canWrite }: { readonly pipelineId: string; readonly canWrite: boolean }) {
  const [parameters] = useSearchParams()
  const errors = new URLSearchParams(parameters)
  errors.set('open', 'errors')
  return (
    <ul className={style.ways}>
      <li>
        <Link href={`/dead-letters?pipeline=${pipelineId}`}>{DELIVERY.letters}</Link>
      </li>
      {canWrite && (
        <>
          <li>
            <Link href={`/pipelines/${pipelineId}?${errors}`}>{DELIVERY.errors}</Link>
          </li>
          <li>
            <Link href="/search?ask=missing">{DELIVERY.explain}</Link>
          </li>
        </>
      )}
    </ul>
  )
}
