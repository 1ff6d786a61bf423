import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { type QuotaRecord, quotas, retention } from '../api/usage.ts'
import { count, size } from '../numbers.ts'
import frame from '../shell/frame.module.css'
import { Loading, ProblemBox } from '../shell/states.tsx'
import { TEXT } from '../texts.ts'
import { dayAndTime } from '../times/time.ts'
import { QuotaDialog } from './quota-dialog.tsx'
import style from './usage.module.css'

type Quota = QuotaRecord['daily']

/** Part of the limit from which a bar warns, in percent. */
const NEAR = 80

/** Limits of the bytes that are stored in a day and a month, with their use and their present effects. */
export function Quotas({ zone }: { readonly zone: string }) {
  const [isChanging, setChanging] = useState(false)
  const { data, error, isPending, isFetching, refetch } = useQuery({
    queryKey: ['quotas'],
    queryFn: ({ signal }) => quotas(signal),
  })
  const { data: kept } = useQuery({
    queryKey: ['retention'],
    queryFn: ({ signal }) => retention(signal),
  })
  return (
    <section className={`${frame.card} ${style.quotas}`} aria-label={TEXT.quotas} aria-busy={isFetching}>
      <Loading isLoading={isFetching} />
      <div className={style.quotasHead}>
        <h2>{TEXT.quotas}</h2>
        {data !== undefined && (
          <>
            <Link className="button" href="/rules?tab=quotas">
              {TEXT.quotasRules}
            </Link>
            <button type="button" className="button" onClick={() => setChanging(true)}>
              {TEXT.quotasChange}
            </button>
          </>
        )}
      </div>
      {error !== null && <ProblemBox error={error} onRetry={() => void refetch()} />}
      {data !== undefined && (
        <>
          <QuotaBar name={TEXT.quotaNames.daily} quota={data.daily} zone={zone} />
          <QuotaBar name={TEXT.quotaNames.monthly} quota={data.monthly} zone={zone} />
        </>
      )}
      {!isPending && kept !== undefined && <p className="soft">{TEXT.keptFor(count(kept.days))}</p>}
      {isChanging && data !== undefined && <QuotaDialog record={data} onClose={() => setChanging(false)} />}
    </section>
  )
}

function QuotaBar({
  name,
  quota,
  zone,
}: {
  readonly name: string
  readonly quota: Quota
  readonly zone: string
}) {
  const { limit, used, rules, in_force: inForce } = quota
  const part = limit === 0 || used === null ? 0 : Math.min(100, (used / limit) * 100)
  return (
    <div className={style.quota}>
      <p>
        <b>{name}</b>
        <span title={used === null ? undefined : `${count(used)} B`}>{usedText(quota)}</span>
      </p>
      {limit > 0 && (
        <div
          className={style.meter}
          role="meter"
          aria-label={name}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used ?? 0, limit)}
          aria-valuetext={usedText(quota)}
          data-full={part >= 100}
          data-near={part >= NEAR && part < 100}
        >
          <i style={{ width: `${part}%` }} />
          {rules.map(({ percent, active }, at) =>
            active ? (
              // biome-ignore lint/suspicious/noArrayIndexKey: rules are known by their numbers
              <b key={at} style={{ left: `${percent}%` }} />
            ) : null,
          )}
        </div>
      )}
      {inForce !== null && (
        <p className={style.force} role="status">
          {TEXT.quotaUntil(effectOf(inForce), dayAndTime(Date.parse(inForce.until), zone).slice(0, 16))}
        </p>
      )}
      {limit > 0 && rules.length > 0 && (
        <ul className={style.rules}>
          {rules.map((rule, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rules are known by their numbers
            <li key={at}>{ruleText(rule, at + 1)}</li>
          ))}
        </ul>
      )}
    </div>
  )
}

function usedText({ limit, used }: Quota): string {
  if (used === null) return TEXT.quotaUnknown
  return limit === 0 ? TEXT.quotaNone(size(used)) : TEXT.quotaUsed(size(used), size(limit))
}

function effectOf({ discard, rules }: NonNullable<Quota['in_force']>): string {
  return discard ? TEXT.quotaDiscards : TEXT.quotaRules(rules.join(', '))
}

function ruleText({ percent, apps, hosts, query, active }: Quota['rules'][number], number: number): string {
  const parts = [
    ...(query === '' ? [] : [query]),
    ...(apps.length === 0 ? [] : [`app: ${apps.join(', ')}`]),
    ...(hosts.length === 0 ? [] : [`host: ${hosts.join(', ')}`]),
  ]
  const off = active ? '' : ` (${TEXT.quotaRuleOff})`
  return TEXT.quotaRule(String(number), String(percent), parts.join('; ')) + off
}
