import { useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import { useSearchParams } from 'wouter'
import type { Caller } from '../api/session.ts'
import { count, size } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import { useZone } from '../shell/preferences.ts'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { dayAndTime } from '../times/time.ts'
import { AccountPart } from './account-part.tsx'
import {
  readQuarantine,
  readRates,
  readStatus,
  type SystemStatusRecord,
  type SystemStore,
} from './requests.ts'
import style from './system.module.css'
import { PartitionTable, QuarantineTable, RateTable } from './tables.tsx'
import { TEXT } from './texts.ts'

const POLL_MS = 5_000
const RATES_POLL_MS = 30_000

/** `/console/system`: the state of the log, the store and the partitions, for administrators. */
export default function SystemPage({ caller }: { readonly caller: Caller }) {
  const [parameters] = useSearchParams()
  const zone = useZone(parameters.get('tz'))
  const status = useQuery({
    queryKey: ['system status'],
    queryFn: ({ signal }) => readStatus(signal),
    refetchInterval: POLL_MS,
  })
  const rates = useQuery({
    queryKey: ['system rates'],
    queryFn: ({ signal }) => readRates(signal),
    refetchInterval: RATES_POLL_MS,
  })
  const quarantine = useQuery({
    queryKey: ['quarantine'],
    queryFn: ({ signal }) => readQuarantine(signal),
    refetchInterval: RATES_POLL_MS,
  })
  const error = status.error ?? rates.error ?? quarantine.error
  // Parts that appeared one after another would push each other down.
  const isShown = useRef(false)
  isShown.current ||= !(status.isPending || rates.isPending || quarantine.isPending)
  const isFirst = !isShown.current
  const retry = () => {
    for (const each of [status, rates, quarantine]) void each.refetch()
  }
  return (
    <div className={frame.page}>
      <div className={frame.head}>
        <h1>{TEXT.title}</h1>
        {status.data && <Readiness isReady={status.data.ready} />}
      </div>
      <div className={style.parts}>
        {error !== null && <ProblemBox error={error} onRetry={retry} />}
        <Loading isLoading={isFirst || status.isLoading} />
        {!isFirst && status.data && <Status status={status.data} zone={zone} />}
        {!isFirst && rates.data && (
          <Part title={TEXT.rates}>
            <RateTable rates={rates.data} />
          </Part>
        )}
        {!isFirst && status.data && status.data.partitions.length > 0 && (
          <Part title={TEXT.partitions}>
            <PartitionTable partitions={status.data.partitions} zone={zone} />
          </Part>
        )}
        {!isFirst && quarantine.data !== undefined && quarantine.data.length > 0 && (
          <Part title={TEXT.quarantine}>
            <QuarantineTable records={quarantine.data} zone={zone} />
          </Part>
        )}
        {!isFirst && caller.account !== null && <AccountPart />}
      </div>
    </div>
  )
}

function Readiness({ isReady }: { readonly isReady: boolean }) {
  const Icon = isReady ? CircleCheck : CircleAlert
  return (
    <span className={style.state} data-ready={isReady} role="status">
      <Icon size={16} aria-hidden />
      {isReady ? TEXT.ready : TEXT.notReady}
    </span>
  )
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div className={frame.card}>
      <h2 className={style.title}>{title}</h2>
      {children}
    </div>
  )
}

function Status({ status, zone }: { readonly status: SystemStatusRecord; readonly zone: string }) {
  const { version, roles, started_at: started, reasons, log, store, tails, taps } = status
  const limit = log.limit_bytes
  return (
    <>
      {reasons.length > 0 && (
        <ul className={`${frame.card} ${style.reasons}`}>
          {reasons.map(reason => (
            <li key={reason}>{reason}</li>
          ))}
        </ul>
      )}
      <div className={style.cards}>
        <Part title={TEXT.log}>
          <dl className={style.facts}>
            <Fact name={TEXT.ingestion} isBad={!log.takes_ingest}>
              {log.takes_ingest ? TEXT.accepts : TEXT.isFull}
            </Fact>
            {limit !== null && <Fact name={TEXT.used}>{TEXT.usedOf(size(log.used_bytes), size(limit))}</Fact>}
            <Fact name={TEXT.oldestRecord}>{timeOrUnknown(log.oldest_at, zone)}</Fact>
          </dl>
        </Part>
        <Part title={TEXT.store}>
          <StoreFacts store={store} />
        </Part>
        <Part title={TEXT.open}>
          <dl className={style.facts}>
            <Fact name={TEXT.tails}>{count(tails)}</Fact>
            <Fact name={TEXT.taps}>{count(taps)}</Fact>
          </dl>
        </Part>
      </div>
      <p className="soft">
        {TEXT.about(version, roles.join(', '), timeOrUnknown(started, zone))} {TEXT.ofThis}
      </p>
    </>
  )
}

function StoreFacts({ store }: { readonly store: SystemStore | null }) {
  if (store === null) return <p className={style.empty}>{TEXT.noStore}</p>
  if (!store.reachable) return <p className={`${style.empty} ${style.trouble}`}>{TEXT.unreachable}</p>
  return (
    <dl className={style.facts}>
      <Fact name={TEXT.rows}>{known(store.rows, count)}</Fact>
      <Fact name={TEXT.size}>{known(store.bytes, size)}</Fact>
      <Fact name={TEXT.oldestDay}>{store.oldest_day ?? TEXT.unknown}</Fact>
      <Fact name={TEXT.diskFree}>{known(store.disk_free_bytes, size)}</Fact>
      <Fact name={TEXT.uncovered}>{known(store.uncovered_rows, count)}</Fact>
    </dl>
  )
}

function Fact({
  name,
  isBad = false,
  children,
}: {
  readonly name: string
  readonly isBad?: boolean
  readonly children: string
}) {
  return (
    <div data-bad={isBad || undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function known(value: number | null, write: (value: number) => string): string {
  return value === null ? TEXT.unknown : write(value)
}

function timeOrUnknown(time: string | null, zone: string): string {
  return time === null ? TEXT.unknown : dayAndTime(Date.parse(time), zone)
}
