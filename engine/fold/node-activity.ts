import { FOURTEENTH_BEHAVIOUR, TWELFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../event/event.ts'
import type { NodeCounters, NodeError } from '../graph/compile-graph.ts'
import { noCounts } from '../graph/node-counters.ts'
import { textForm } from '../json/json-text.ts'
import { capturedText, capturedUnits } from './captured-text.ts'

/** A node of a pipeline of an account, in the form of metrics and errors. The default graph has an empty pipeline id. */
export interface NodeName {
  readonly account: string
  readonly pipeline: string
  readonly node: string
}

/** Activity of a node since its last row in `node_metrics`. */
export type NodeActivity = NodeCounters

/** Counts by their columns of the table `node_metrics`, in its order. */
export const ACTIVITY_COLUMNS = {
  events_in: 'eventsIn',
  bytes_in: 'bytesIn',
  events_out: 'eventsOut',
  bytes_out: 'bytesOut',
  copied: 'copied',
  created: 'created',
  dropped: 'dropped',
  dropped_bytes: 'droppedBytes',
  failed: 'failed',
  merged: 'merged',
  held: 'held',
} as const satisfies Record<string, keyof NodeActivity>

/** Activity of a node since it was last taken; with an output, the part that is about this output. */
export interface TakenActivity extends NodeName {
  readonly output?: string
  readonly activity: NodeActivity
}

/** One distinct error of a node since its last row in `pipeline_errors`: components, section 4.1. */
export interface NodeErrorSummary extends NodeName {
  readonly nodeKind: string
  readonly code: string
  readonly field: string | null
  readonly message: string
  /** The event that caused the first of them, text form, cut. */
  readonly captured: string
  count: number
  /** Time of the first of them, UNIX ms; absent in behaviours before the twelfth, which recorded only the minute. */
  readonly firstMs?: number
  lastMs: number
}

/** Activity of an output with a name, or of a node apart from its outputs with names. */
type PendingNode = NodeName & { readonly output?: string; readonly activity: NodeActivity }

export interface PendingActivity {
  readonly nodes: readonly PendingNode[]
  readonly errors: readonly NodeErrorSummary[]
}

/** The moment of an error: log time, UNIX ms, and the behaviour in force. */
interface ErrorMoment {
  readonly timeMs: number
  readonly behaviour: number
}

/** Maximum number of distinct (node, code, field) per minute; more are counted under the node and code alone. */
const MAX_DISTINCT_ERRORS = 10_000

/** Activity of a node since this process began to count, for metrics. */
export interface NodeTotals extends NodeName {
  readonly activity: NodeActivity
  /** Parts of it that are about outputs with names. */
  readonly outputs: ReadonlyMap<string, NodeActivity>
  /** Number of errors, by code. */
  readonly errors: ReadonlyMap<string, number>
}

interface CountedTotals extends NodeTotals {
  readonly outputs: Map<string, NodeActivity>
  readonly errors: Map<string, number>
}

/** Number of events that a node with windows holds now. */
export interface NodeHolding extends NodeName {
  readonly held: number
}

/**
 * Counts and errors of all nodes of a partition that are not in the store yet. They are written once a minute of log time
 * and are part of the checkpoint, so each event is counted exactly once.
 */
export class PendingNodeActivity {
  #nodes = new Map<string, PendingNode>()
  #errors = new Map<string, NodeErrorSummary>()
  readonly #totals = new Map<string, CountedTotals>()

  /** Activity of every node since this was made; not part of a snapshot. */
  get totals(): Iterable<NodeTotals> {
    return this.#totals.values()
  }

  get empty(): boolean {
    return this.#nodes.size === 0 && this.#errors.size === 0
  }

  /** Adds the activity of a node; an activity of zeros leaves no entry. */
  add(name: NodeName, activity: NodeActivity): void {
    const counters = Object.keys(activity) as (keyof NodeActivity)[]
    if (counters.every(counter => activity[counter] === 0)) return
    const total = this.#totalsOf(name).activity
    for (const counter of counters) total[counter] += activity[counter]
    this.#addPending(name, activity, counters)
  }

  /** Gives an output its part of the activity that was added for its node. Sums over a node stay. */
  noteOutput(name: NodeName, output: string, activity: NodeActivity): void {
    const counters = Object.keys(activity) as (keyof NodeActivity)[]
    if (counters.every(counter => activity[counter] === 0)) return
    const { outputs } = this.#totalsOf(name)
    const total = outputs.get(output) ?? noCounts()
    outputs.set(output, total)
    const rest = { ...activity }
    for (const counter of counters) {
      total[counter] += activity[counter]
      rest[counter] = -activity[counter]
    }
    this.#addPending(name, rest, counters)
    this.#addPending({ ...name, output }, activity, counters)
  }

  #totalsOf({ account, pipeline, node }: NodeName) {
    const key = nameKey({ account, pipeline, node })
    let totals = this.#totals.get(key)
    if (totals === undefined) {
      totals = { account, pipeline, node, activity: noCounts(), outputs: new Map(), errors: new Map() }
      this.#totals.set(key, totals)
    }
    return totals
  }

  #addPending(
    name: NodeName & { readonly output?: string },
    activity: NodeActivity,
    counters: readonly (keyof NodeActivity)[],
  ): void {
    const key = name.output === undefined ? nameKey(name) : `${nameKey(name)} ${name.output}`
    const known = this.#nodes.get(key)
    if (known === undefined) {
      this.#nodes.set(key, {
        account: name.account,
        pipeline: name.pipeline,
        node: name.node,
        ...(name.output !== undefined && { output: name.output }),
        activity: { ...activity },
      })
      return
    }
    for (const counter of counters) known.activity[counter] += activity[counter]
  }

  /** Counts an error; its texts are made only for the first of its kind. */
  addError(name: NodeName, error: NodeError, { timeMs, behaviour }: ErrorMoment): void {
    const { errors } = this.#totalsOf(name)
    errors.set(error.code, (errors.get(error.code) ?? 0) + 1)
    const key = this.#errorKey(name, error)
    const known = this.#errors.get(key)
    if (known !== undefined) {
      known.count++
      known.lastMs = timeMs
      return
    }
    const captured = error.captured ?? textForm((error.shown ?? error.event).message)
    this.#errors.set(key, {
      ...name,
      nodeKind: error.kind,
      code: error.code,
      field: error.field,
      message: error.message,
      captured: behaviour >= FOURTEENTH_BEHAVIOUR ? capturedText(captured) : capturedUnits(captured),
      count: 1,
      ...(behaviour >= TWELFTH_BEHAVIOUR && { firstMs: timeMs }),
      lastMs: timeMs,
    })
  }

  #errorKey(
    name: NodeName,
    { code, field }: { readonly code: string; readonly field: string | null },
  ): string {
    const key = `${nameKey(name)} ${code} ${field ?? ''}`
    return this.#errors.size < MAX_DISTINCT_ERRORS || this.#errors.has(key) ? key : `${nameKey(name)} ${code}`
  }

  /** Returns everything pending, ordered by name; afterwards nothing is pending. */
  take(): PendingActivity {
    const byKey = (a: readonly [string, unknown], b: readonly [string, unknown]) => (a[0] < b[0] ? -1 : 1)
    const nodes = [...this.#nodes].sort(byKey).map(([, node]) => node)
    const errors = [...this.#errors].sort(byKey).map(([, error]) => error)
    this.#nodes = new Map()
    this.#errors = new Map()
    return { nodes, errors }
  }

  snapshot(): Buffer {
    return Buffer.from(JSON.stringify({ nodes: [...this.#nodes], errors: [...this.#errors] }))
  }

  restore(data: Buffer): void {
    const { nodes, errors } = JSON.parse(data.toString()) as {
      nodes: [string, PendingNode][]
      errors: [string, NodeErrorSummary][]
    }
    this.#nodes = new Map(nodes)
    this.#errors = new Map(errors)
  }
}

function nameKey({ account, pipeline, node }: NodeName): string {
  return `${account} ${pipeline} ${node}`
}

/** Counts between two readings of the same counters. */
export function activitySince(now: NodeCounters, before: NodeActivity | undefined): NodeActivity {
  const since = { ...now } as NodeActivity
  if (before !== undefined) {
    for (const counter of Object.keys(since) as (keyof NodeActivity)[]) since[counter] -= before[counter]
  }
  return since
}

/** Counts events that arrived and were dropped. */
export function countDropped(activity: NodeActivity, events: readonly Event[]): void {
  for (const { bytes } of events) {
    activity.eventsIn++
    activity.dropped++
    activity.bytesIn += bytes
    activity.droppedBytes += bytes
  }
}
