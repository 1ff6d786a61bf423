import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import type { MinuteCounts } from './audit.ts'
import type { Finding } from './finding.ts'

const QUERY_STORE = new URL('./query-store.ts', import.meta.url).pathname
const GAUGE = /^weir_node_events_total\{pipeline="([^"]*)",node="([^"]*)",outcome="([^"]*)"\} (\d+)$/gm
const HOLDING = /^weir_node_held_events\{pipeline="([^"]*)",node="([^"]*)"\}/gm

/** Runs statements on the store of an installation that does not run. @returns the rows of the last one */
export async function queryStore<Row>(directory: string, ...statements: string[]): Promise<Row[]> {
  const args = [QUERY_STORE, join(directory, 'store'), ...statements]
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 28 })
  return JSON.parse(stdout) as Row[]
}

/**
 * Every node has in + copied + created = out + dropped + failed + merged. Nodes that hold events back begin with those that
 * an earlier process left to them, so only their rows are compared.
 */
export function conservedMetrics(metrics: string): Finding[] {
  const nodes = new Map<string, Record<string, number>>()
  for (const [, pipeline, node, outcome, count] of metrics.matchAll(GAUGE)) {
    const name = `${pipeline}/${node}`
    nodes.set(name, { ...nodes.get(name), [outcome as string]: Number(count) })
  }
  const holding = new Set([...metrics.matchAll(HOLDING)].map(([, pipeline, node]) => `${pipeline}/${node}`))
  return [...nodes].flatMap(([name, counts]) => {
    if (holding.has(name)) return []
    const of = (...outcomes: string[]) => outcomes.reduce((sum, outcome) => sum + (counts[outcome] ?? 0), 0)
    const [arrived, left] = [of('in', 'copied', 'created'), of('out', 'dropped', 'failed', 'merged')]
    return arrived === left ? [] : [other(`/metrics of ${name}: ${arrived} events in, ${left} accounted for`)]
  })
}

export interface NodeMinute {
  /** Start of the minute, UNIX ms. */
  readonly startMs: number
  readonly node: string
  readonly events: number
  readonly dropped: number
  readonly failed: number
  /** Events that came in and have no outcome; 0 without a fault. */
  readonly missing: number
}

export async function nodeMinutes(directory: string): Promise<NodeMinute[]> {
  const rows = await queryStore<Record<keyof NodeMinute, string>>(
    directory,
    `SELECT toUnixTimestamp64Milli(t) AS startMs, node, sum(events_in) AS events, sum(node_metrics.dropped) AS dropped,
sum(node_metrics.failed) AS failed,
sum(toInt64(events_in) + copied + created - events_out - node_metrics.dropped - node_metrics.failed - merged - held) AS missing
FROM node_metrics GROUP BY t, node ORDER BY t, node`,
  )
  return rows.map(({ startMs, node, ...counts }) => ({
    startMs: Number(startMs),
    node,
    events: Number(counts.events),
    dropped: Number(counts.dropped),
    failed: Number(counts.failed),
    missing: Number(counts.missing),
  }))
}

/**
 * Compares the counts of each minute of log time with the events in it, over all ends of the program. The last minute is
 * not over and not in a row yet.
 *
 * @param nodes names of nodes: those that every line meets first, and the throttle, which discards
 * @param unknown minutes whose counts may lack events of lost records
 */
export function countedMinutes(
  counted: readonly NodeMinute[],
  expected: ReadonlyMap<number, Readonly<MinuteCounts>>,
  { entrances, throttle }: { readonly entrances: ReadonlySet<string>; readonly throttle: string },
  unknown: ReadonlySet<number> = new Set(),
): Finding[] {
  const findings = counted
    .filter(({ missing }) => missing !== 0)
    .map(({ node, startMs, missing }) =>
      other(`${node} lost ${missing} events in the minute of ${isoTime(startMs)}`),
    )
  const last = Math.max(...expected.keys())
  for (const [startMs, { lines, discarded, failed }] of expected) {
    if (startMs === last || unknown.has(startMs)) continue
    const rows = counted.filter(row => row.startMs === startMs)
    const entering = rows.filter(row => entrances.has(row.node))
    const sums = [
      entering.reduce((sum, { events }) => sum + events, 0),
      rows.filter(({ node }) => node === throttle).reduce((sum, row) => sum + row.dropped, 0),
      entering.reduce((sum, row) => sum + row.failed, 0),
    ]
    if (sums.join() === [lines, discarded, failed].join()) continue
    const [events, dropped, beyond] = sums
    const said = `node_metrics say ${events} lines, ${dropped} discarded and ${beyond} failed`
    const found = `it were ${lines}, ${discarded} and ${failed}`
    findings.push(other(`${said} in the minute of ${isoTime(startMs)}, ${found}`))
  }
  return findings
}

function other(sentence: string): Finding {
  return { kind: 'other', host: '', amount: 1, sentence }
}

function isoTime(timeMs: number): string {
  return new Date(timeMs - (timeMs % MINUTE_MS)).toISOString()
}
