import { isDeepStrictEqual } from 'node:util'
import type { QuotaPeriod } from '../../schemas/log/cuts.ts'
import type { JudgedQuota, QuotaLedger } from '../configuration/kinds/quota-ledger.ts'
import type { Quota, QuotaInForce } from '../configuration/kinds/quotas.ts'
import type { Store } from '../store/store.ts'

const EVERY_MS = 5_000
const PERIODS: readonly QuotaPeriod[] = ['daily', 'monthly']

/** Bytes of an account that count as usage, from a log time to another, both inclusive. */
export type UsedBytes = (usage: {
  readonly account: string
  readonly fromMs: number
  readonly toMs: number
}) => Promise<number>

/**
 * Compares the stored data of accounts with their quotas. Measures are decided here, once for all partitions, and reach
 * them through the configuration. From then on lines are left out. Until then a few seconds of lines are stored beyond
 * the quota.
 */
export class QuotaWatch {
  readonly #ledger: QuotaLedger
  readonly #usedBytes: UsedBytes
  #dueMs = Number.NEGATIVE_INFINITY

  constructor(ledger: QuotaLedger, usedBytes: UsedBytes) {
    this.#ledger = ledger
    this.#usedBytes = usedBytes
    // A limit below the stored amount already acts at once.
    ledger.subscribe(() => {
      this.#dueMs = Number.NEGATIVE_INFINITY
    })
  }

  isDue(monotonicMs: number): boolean {
    return monotonicMs >= this.#dueMs
  }

  /** Checks every quota once. */
  async check({
    wallMs,
    monotonicMs,
  }: {
    readonly wallMs: number
    readonly monotonicMs: number
  }): Promise<void> {
    this.#dueMs = monotonicMs + EVERY_MS
    for (const quota of this.#ledger.quotas()) await judge(quota, this.#usedBytes, wallMs)
  }
}

/** Compares one quota with the stored data, and writes the measures if they differ from the present ones. */
export async function judge(
  { quota, inForce, decide }: JudgedQuota,
  usedBytes: UsedBytes,
  wallMs: number,
): Promise<void> {
  const wanted = await wantedInForce(quota, usedBytes, wallMs)
  // Ended measures need no change: partitions find their end by the time of their log.
  const holding = inForce.filter(({ untilMs }) => wallMs < untilMs)
  if (!isDeepStrictEqual(holding, wanted)) await decide(wanted)
}

/** Counts the bytes in a store. */
export function usedBytesIn(store: Pick<Store, 'usageTotals'>): UsedBytes {
  return async usage => (await store.usageTotals(usage)).reduce((sum, { bytes }) => sum + bytes, 0)
}

async function wantedInForce(quota: Quota, usedBytes: UsedBytes, wallMs: number): Promise<QuotaInForce[]> {
  const all: QuotaInForce[] = []
  for (const period of PERIODS) {
    const { limit, discard, rules } = quota[period]
    if (limit === 0) continue
    const { fromMs, untilMs } = boundsOf(period, wallMs)
    const used = await usedBytes({ account: quota.account, fromMs, toMs: untilMs - 1 })
    const discards = discard && used >= limit
    const acting = rules
      .map((rule, index) => ({ ...rule, number: index + 1 }))
      .filter(({ active, percent }) => active && used * 100 >= limit * percent)
    if (discards || acting.length > 0) all.push({ period, untilMs, discards, rules: acting })
  }
  return all
}

/** The UTC day, or the calendar month, of a time. */
export function boundsOf(
  period: QuotaPeriod,
  timeMs: number,
): { readonly fromMs: number; readonly untilMs: number } {
  const time = new Date(timeMs)
  const year = time.getUTCFullYear()
  const month = time.getUTCMonth()
  if (period === 'monthly') return { fromMs: Date.UTC(year, month, 1), untilMs: Date.UTC(year, month + 1, 1) }
  const day = time.getUTCDate()
  return { fromMs: Date.UTC(year, month, day), untilMs: Date.UTC(year, month, day + 1) }
}
