import { setTimeout as delay } from 'node:timers/promises'
import { DAY_MS } from '../../../engine/times/duration.ts'
import { type ExportedLine, exportedLines } from '../../support/exported-lines.ts'
import type { RunningWeir } from '../../support/running-weir.ts'
import type { Auditor } from '../audit.ts'
import type { Finding } from '../finding.ts'
import type { ThrottleRule } from '../plain-throttle.ts'
import { type HostUsage, positionOf, type StoredRow } from '../stored-row.ts'
import type { SiteAccount } from './cluster-site.ts'

const ATTEMPTS = 20
const PAUSE_MS = 1_000

export interface AuditedAccount {
  readonly findings: readonly Finding[]
  /** Stored lines by host. */
  readonly lines: ReadonlyMap<string, number>
  readonly requests: number
  /** Times that requests are stored without an answer that said so. */
  readonly unanswered: number
}

/**
 * Compares the requests of an account since the last audit with its stored and counted lines. Must be called at rest.
 *
 * @param hosts that were named since the last time
 */
export async function auditedAccount(
  { api, shipper }: SiteAccount,
  auditor: Auditor,
  rule: ThrottleRule | undefined,
  hosts: ReadonlySet<string>,
): Promise<AuditedAccount> {
  const { sent, odd } = shipper.take()
  const unansweredBefore = auditor.unanswered
  const stored = await patiently(() => storedRows(api, hosts))
  const usage = await patiently(() => usageOf(api))
  const findings = [...odd.map(other), ...auditor.audit({ rule, sent, stored, usage })]
  // The usage that earlier audits saw must still be there, and nothing else.
  const total = [...usage.values()].reduce((sum, { lines }) => sum + lines, 0)
  const { lines: seen } = auditor.seen
  if (total !== seen) findings.push(other(`usage says ${total} lines in all, the audits have seen ${seen}`))
  const { accountId } = api.credentials
  return {
    findings: findings.map(each => ({ ...each, sentence: `account ${accountId}: ${each.sentence}` })),
    lines: new Map([...Map.groupBy(stored, row => row.host)].map(([host, rows]) => [host, rows.length])),
    requests: sent.length,
    unanswered: auditor.unanswered - unansweredBefore,
  }
}

/** Repeats a question while the service answers that it is unavailable, as clients do. */
async function patiently<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (attempt === ATTEMPTS || !/: 503 /.test(String(error))) throw error
      await delay(PAUSE_MS)
    }
  }
}

/** Every line of these hosts that is stored of an account. */
async function storedRows(api: RunningWeir, hosts: ReadonlySet<string>): Promise<StoredRow[]> {
  const lines = await exportedLines(api, { hosts: [...hosts].join(',') })
  return lines.filter(({ _host }) => hosts.has(_host)).map(storedRowOf)
}

/** Usage of every host of an account, over all time. */
async function usageOf(api: RunningWeir): Promise<Map<string, HostUsage>> {
  const [fromMs, toMs] = [Date.now() - 30 * DAY_MS, Date.now() + DAY_MS]
  const seconds = `from=${Math.floor(fromMs / 1000)}&to=${Math.floor(toMs / 1000)}`
  const days = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`
  const lines = await api.get<{ name: string; current_total: number }[]>(`/v1/usage/hosts?${seconds}`)
  const bytes = await api.get<{ results: { name: string; total_bytes: number }[] }>(`/v2/usage/hosts?${days}`)
  const bytesOf = new Map(bytes.results.map(({ name, total_bytes }) => [name, total_bytes]))
  return new Map(
    lines.map(({ name, current_total }) => [name, { lines: current_total, bytes: bytesOf.get(name) ?? 0 }]),
  )
}

function storedRowOf(line: ExportedLine): StoredRow {
  return {
    ...positionOf(line._id),
    host: line._host,
    app: line._app,
    level: String(line.level),
    text: line._line,
    meta: line._meta === undefined ? '' : JSON.stringify(line._meta),
    sizeBytes: line._mezmo_line_size,
  }
}

function other(sentence: string): Finding {
  return { kind: 'other', host: '', amount: 1, sentence }
}
