import type { QuotaRecord, QuotaWrite } from '../../../schemas/http/account/line-rules-api.ts'
import type { RetentionRecord } from '../../../schemas/http/account/retention-api.ts'
import type { UsageOverTime } from '../../../schemas/http/lines/usage-series-api.ts'
import { read } from './request.ts'

export type { QuotaRecord, QuotaWrite, RetentionRecord, UsageOverTime }
export type UsageKind = UsageOverTime['kind']

export interface UsageWish {
  readonly kind: UsageKind
  /** UNIX ms, both inclusive. */
  readonly fromMs: number
  readonly toMs: number
  readonly interval: 'hour' | 'day'
  readonly zone: string
  readonly limit: number
}

/** Bytes and lines over time by name, those of most bytes first. @throws Problem */
export async function usageOverTime(wish: UsageWish, signal: AbortSignal): Promise<UsageOverTime> {
  const parameters = new URLSearchParams({
    kind: wish.kind,
    from: String(wish.fromMs),
    to: String(wish.toMs),
    interval: wish.interval,
    zone: wish.zone,
    limit: String(wish.limit),
  })
  const { data } = await read<{ data: UsageOverTime }>(`/v3/usage/series?${parameters}`, { signal })
  return data
}

const QUOTAS = '/v1/config/usage-quotas'

/** @throws Problem */
export function quotas(signal: AbortSignal): Promise<QuotaRecord> {
  return read(QUOTAS, { signal })
}

/** Sets both quotas. @throws Problem */
export function setQuotas(body: QuotaWrite): Promise<QuotaRecord> {
  return read(QUOTAS, { method: 'PUT', body })
}

/** Days for which lines are kept unless a rule says otherwise. @throws Problem */
export function retention(signal: AbortSignal): Promise<RetentionRecord> {
  return read('/v1/config/retention', { signal })
}
