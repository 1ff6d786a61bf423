import type { ConfigurationLog } from '../configuration-log.ts'
import { create, replace } from '../configuration-log.ts'
import { type Spread, type SpreadSpan, spreadReports, spreads } from '../entities.ts'
import type { ConfigurationView } from '../kind.ts'
import { ConfigurationRejected } from '../rejection.ts'

/**
 * Whether lines of an account go to all partitions, or to its home partition: 'on' once every partition has said that
 * memory of keys is sent to where it belongs, 'off' at once.
 */
export type SpreadPhase = 'off' | 'turning_on' | 'on' | 'turning_off'

export interface SpreadStatus {
  readonly phase: SpreadPhase
  /** Partitions that have done their part of the newest change. */
  readonly reported: number
  readonly partitions: number
  /** When the last of them said so, UNIX ms; null until then, and for accounts that were never spread. */
  readonly doneAtMs: number | null
}

/** How far the newest change of an account is. */
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

/** When lines of the account were, or are, on all partitions. The last span has no end while they are. */
export function spreadSpans(view: ConfigurationView, account: string, partitions: number): SpreadSpan[] {
  const spans = [...(view.get(spreads, account)?.value.spans ?? [])]
  const { phase, doneAtMs } = spreadStatus(view, account, partitions)
  if (phase === 'on' && doneAtMs !== null) spans.push({ fromMs: doneAtMs, untilMs: null })
  return spans
}

export interface SpreadChange {
  readonly account: string
  readonly enabled: boolean
  readonly partitions: number
  readonly atMs: number
  readonly subjectId: string
}

/** Wants an account on all partitions, or on one again. @throws ConfigurationRejected, LogError as `append` */
export async function setSpread(log: ConfigurationLog, change: SpreadChange): Promise<void> {
  for (;;) {
    try {
      return await changeSpread(log, change)
    } catch (error) {
      // Somebody else had a wish at the same time: what is wanted here holds for what is there by now.
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

/** Who reports, for the audit. */
const ENGINE_SUBJECT = 'engine'

/** What engines tell of the partitions that they work on. */
export interface SpreadReports {
  /** The newest change of an account that a partition is known to have done its part of. */
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
      })
    },
  }
}
