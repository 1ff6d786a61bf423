import type { Clock } from '../../../engine/clock/clock.ts'
import { ACTIVITY_COLUMNS, type NodeActivity, type NodeTotals } from '../../../engine/fold/node-activity.ts'
import type { CountsOfNode } from '../../../engine/store/node-metrics.ts'
import type { LiveMetrics } from '../../../schemas/http/pipeline/pipeline-metrics-api.ts'
import type { ReadOutput } from './edges.ts'
import { seriesOfEdges, seriesOfNodes } from './pipeline-metrics.ts'

const COUNTERS = Object.values(ACTIVITY_COLUMNS)

/** Readers within this time share a reading, ms. */
const SHARED_MS = 500

/** Counts of a node since the engine of this process began, apart from its outputs with names, or of one of these. */
interface LiveTotal {
  readonly node: string
  readonly output: string
  readonly activity: NodeActivity
}

/** Counts of a pipeline since the engine of this process began, over all partitions of the process. */
export interface LiveTotals {
  /** Monotonic time of the reading, ms. */
  readonly atMs: number
  readonly byOutput: ReadonlyMap<string, LiveTotal>
}

const NO_TOTALS: LiveTotals['byOutput'] = new Map()

/** Present totals of the pipelines that are followed. Readers within half a second share a reading of all of them. */
export class LiveReadings {
  readonly #totals: () => Iterable<NodeTotals>
  readonly #clock: Pick<Clock, 'monotonicMs'>
  /** Readers by pipeline. */
  readonly #followed = new Map<string, number>()
  #last: { readonly atMs: number; readonly byPipeline: Map<string, Map<string, LiveTotal>> } | undefined

  constructor(totals: () => Iterable<NodeTotals>, clock: Pick<Clock, 'monotonicMs'>) {
    this.#totals = totals
    this.#clock = clock
  }

  /** @returns ends following */
  follow(account: string, pipeline: string): () => void {
    const key = pipelineKey(account, pipeline)
    this.#followed.set(key, (this.#followed.get(key) ?? 0) + 1)
    if (this.#last?.byPipeline.has(key) === false) this.#last = undefined
    return () => {
      const others = (this.#followed.get(key) ?? 0) - 1
      if (others > 0) this.#followed.set(key, others)
      else this.#followed.delete(key)
    }
  }

  /** Totals of a pipeline that is followed. */
  of(account: string, pipeline: string): LiveTotals {
    const nowMs = this.#clock.monotonicMs()
    if (this.#last === undefined || nowMs - this.#last.atMs >= SHARED_MS) this.#last = this.#read(nowMs)
    const byOutput = this.#last.byPipeline.get(pipelineKey(account, pipeline)) ?? NO_TOTALS
    return { atMs: this.#last.atMs, byOutput }
  }

  #read(atMs: number) {
    const byPipeline = new Map([...this.#followed.keys()].map(key => [key, new Map<string, LiveTotal>()]))
    for (const { account, pipeline, node, activity, outputs } of this.#totals()) {
      const found = byPipeline.get(pipelineKey(account, pipeline))
      if (found === undefined) continue
      const rest = { ...activity }
      for (const [output, part] of outputs) {
        for (const counter of COUNTERS) rest[counter] -= part[counter]
        add(found, { node, output, activity: { ...part } })
      }
      add(found, { node, output: '', activity: rest })
    }
    return { atMs, byPipeline }
  }
}

function add(found: Map<string, LiveTotal>, total: LiveTotal): void {
  const key = `${total.node} ${total.output}`
  const known = found.get(key)
  if (known === undefined) found.set(key, total)
  else for (const counter of COUNTERS) known.activity[counter] += total.activity[counter]
}

function pipelineKey(account: string, pipeline: string): string {
  return `${account} ${pipeline}`
}

/** Counts between two readings, for the nodes and edges that had events. */
export function countsBetween(
  pipeline: string,
  outputs: readonly ReadOutput[],
  before: LiveTotals,
  now: LiveTotals,
): Pick<LiveMetrics, 'nodes' | 'edges'> {
  const found: CountsOfNode[] = []
  for (const [key, { node, output, activity }] of now.byOutput) {
    const counts = difference(activity, before.byOutput.get(key)?.activity)
    if (counts !== undefined) found.push({ pipeline, node, output, bucket: 0, counts })
  }
  const only = (series: readonly number[]) => series[0] ?? 0
  return {
    nodes: seriesOfNodes(found, 1)
      .map(({ node, copied: _copied, created: _created, dropped_bytes: _bytes, ...series }) => ({
        node,
        events_in: only(series.events_in),
        bytes_in: only(series.bytes_in),
        events_out: only(series.events_out),
        bytes_out: only(series.bytes_out),
        dropped: only(series.dropped),
        failed: only(series.failed),
        merged: only(series.merged),
        held: only(series.held),
      }))
      .filter(({ node: _node, ...counts }) => Object.values(counts).some(count => count !== 0)),
    edges: seriesOfEdges(outputs, found, 1)
      .map(({ output, node, events, bytes }) => ({ output, node, events: only(events), bytes: only(bytes) }))
      .filter(({ events }) => events > 0),
  }
}

/**
 * A partition that has left this process takes its counts with it: such a second counts as one without events.
 *
 * @returns undefined if nothing happened
 */
function difference(
  activity: NodeActivity,
  before: NodeActivity | undefined,
): CountsOfNode['counts'] | undefined {
  if (before !== undefined && COUNTERS.every(counter => activity[counter] === before[counter]))
    return undefined
  const entries = Object.entries(ACTIVITY_COLUMNS).map(([name, counter]) => {
    const since = activity[counter] - (before?.[counter] ?? 0)
    return [name, name === 'held' ? since : Math.max(0, since)]
  })
  return Object.fromEntries(entries) as CountsOfNode['counts']
}
