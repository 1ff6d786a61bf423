import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { ConfigurationLog } from '../configuration-log.ts'
import { create, replace } from '../configuration-log.ts'
import { type Spread, type SpreadSpan, spreadReports, spreads } from '../entities.ts'
import type { ConfigurationView } from '../kind.ts'
import { ConfigurationRejected } from '../rejection.ts'

/**
 * Phase of an account's distribution over all partitions. 'on' begins once every partition has reported that it sends
 * keyed state to the partition of its key; 'off' is immediate.
 */
export type SpreadPhase = 'off' | 'turning_on' | 'on' | 'turning_off'

export interface SpreadStatus {
  readonly phase: SpreadPhase
  /** Number of partitions that have completed their part of the newest change. */
  readonly reported: number
  readonly partitions: number
  /** Time of the last partition's report, UNIX ms; null until then, and for accounts that were never spread. */
  readonly doneAtMs: number | null
}

/** Progress of the newest change of an account. */
export function spreadStatus(view: ConfigurationView, account: string, partitions: number): SpreadStatus {
  const spread = view.get(spreads, account)?.value
  if (spread === undefined) return { phase: 'off', reported: partitions, partitions, doneAtMs: null }
  const reports = view
    .list(spreadReports, account)
    .map(({ value }) => value)
    .filter(({ change }) => change >= spread.change)
  const isDone = reports.length >= partitions
  const [done, underWay] = spread.enabled
    ? (['on', 'turning_on'] as const)
    : (['off', 'turning_off'] as const)
  return {
    phase: isDone ? done : underWay,
    reported: reports.length,
    partitions,
    doneAtMs: isDone ? Math.max(...reports.map(({ atMs }) => atMs)) : null,
  }
}

/** Times during which lines of the account were or are on all partitions. While they are, the last span has no end. */
export function spreadSpans(view: ConfigurationView, account: string, partitions: number): SpreadSpan[] {
  const spans = [...(view.get(spreads, account)?.value.spans ?? [])]
  const { phase, doneAtMs } = spreadStatus(view, account, partitions)
  if (phase === 'on' && doneAtMs !== null) spans.push({ fromMs: doneAtMs, untilMs: null })
  return spans
}

/** Home partitions of the accounts whose lines are, or were, on all partitions. */
export function homesOfSpread(view: ConfigurationView, partitions: number): Set<number> {
  return new Set(view.list(spreads).map(({ value }) => partitionOfAccount(value.account, partitions)))
}

export interface SpreadChange {
  readonly account: string
  readonly enabled: boolean
  readonly partitions: number
  readonly atMs: number
  readonly subjectId: string
}

/** Requests that an account's lines are on all partitions, or on one. @throws ConfigurationRejected, LogError like `append` */
export async function setSpread(log: ConfigurationLog, change: SpreadChange): Promise<void> {
  for (;;) {
    try {
      return await changeSpread(log, change)
    } catch (error) {
      // Another request was made at the same time: this one is applied to the present state.
      if (!(error instanceof ConfigurationRejected) || error.code !== 'CHANGED_MEANWHILE') throw error
    }
  }
}

async function changeSpread(log: ConfigurationLog, change: SpreadChange): Promise<void> {
  const { account, enabled, partitions, atMs, subjectId } = change
  const known = log.get(spreads, account)
  if ((known?.value.enabled ?? false) === enabled) return
  const spans = spreadSpans(log, account, partitions).map(({ fromMs, untilMs }) => ({
    fromMs,
    untilMs: untilMs ?? atMs,
  }))
  const value: Spread = { account, enabled, change: (known?.value.change ?? 0) + 1, spans }
  const written = known === undefined ? create(spreads, account, value) : replace(spreads, known, value)
  await log.append([written], { subjectId, account })
}

/** Author of reports in the audit. */
const ENGINE_SUBJECT = 'engine'

/** Reports of engines on the partitions that they own. */
export interface SpreadReports {
  /** Number of the newest change of an account that the partition is known to have completed. */
  reported(account: string, partition: number): number
  report(account: string, partition: number, change: number, atMs: number): Promise<void>
}

export function spreadReportsOn(log: ConfigurationLog): SpreadReports {
  const keyOf = (account: string, partition: number) => `${account}/${partition}`
  return {
    reported: (account, partition) => log.get(spreadReports, keyOf(account, partition))?.value.change ?? 0,
    report: async (account, partition, change, atMs) => {
      const value = { account, partition, change, atMs }
      const id = keyOf(account, partition)
      await log.append([{ kind: spreadReports, id, expectedVersion: -1, value }], {
        subjectId: ENGINE_SUBJECT,
        account,
        isProgram: true,
      })
    },
  }
}
