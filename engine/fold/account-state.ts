import { FIFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { PipelineCut } from '../../schemas/log/cuts.ts'
import { DEFAULT_RETENTION_DAYS } from '../../schemas/log/cuts.ts'
import { INGEST_ROUTE, type Refusal } from '../../schemas/log/line-batch.ts'
import type { MovedState } from '../../schemas/log/rekeyed.ts'
import type { ErrorCode } from '../event/errors.ts'
import { Event } from '../event/event.ts'
import { EventMeter, NO_NUMBER } from '../expressions/cost-meter.ts'
import { ExpressionAllowance, ExpressionBudget } from '../expressions/expression-budget.ts'
import {
  type CompiledGraph,
  compileBeside,
  compileGraph,
  type NodeError,
  type RunContext,
} from '../graph/compile-graph.ts'
import type { Elsewhere, HeldState } from '../graph/compiled-node.ts'
import type { GraphObserver } from '../graph/graph-observer.ts'
import { noCounts } from '../graph/node-counters.ts'
import { parseJson } from '../json/json-text.ts'
import type { LineBatchView } from '../lines/line-batch-view.ts'
import { FieldNames } from '../lines/line-fields.ts'
import {
  defaultOwnStore,
  type OwnStoreSink,
  ownStoresOf,
} from '../nodes/destinations/log-analysis/own-store.ts'
import { EVENT_UNITS, type Steps, type Stretch } from '../steps.ts'
import { HOUR_MS } from '../times/duration.ts'
import { AccountRules, type Exclusion } from './account-rules.ts'
import { DeadLetterMemory } from './dead-letter-memory.ts'
import { Exemptions } from './exemptions.ts'
import { activitySince, type NodeActivity, type NodeHolding, type NodeName } from './node-activity.ts'
import { IdempotencyKeys } from './repeats.ts'
import type { PipelineInEffect, RunningRevision } from './run-watch.ts'
import type { WaitingPlace } from './spread/rekeyed-part.ts'
import type { SpreadAccount } from './spread/spread-account.ts'

/** Node id under which the default graph counts. */
const DEFAULT_GRAPH_NODE = 'own-store'
/** Node id under which a pipeline counts the lines that it does not handle because it is paused. */
const PAUSED_NODE = 'paused'
/** Beginning of the node id, beside all pipelines, under which events of a gateway route count that no pipeline reads. */
const UNREAD_ROUTE = 'gateway-route-'

/** Where the events of an account end up; implemented by the fold of the partition. */
export interface AccountOutput {
  /** Log time of the record in hand. */
  timeMs(): number
  /** Behaviour number in force. */
  behaviour(): number
  /** How much is left of the work that is done at a time. */
  readonly stretch: Stretch
  /**
   * Gives an event to the own store.
   *
   * @param failed is told when it could not be stored
   * @returns what the sink counts
   */
  store(
    sink: OwnStoreSink,
    event: Event,
    account: AccountState,
    name: NodeName,
    failed?: (error: NodeError) => void,
  ): 'stored' | 'failed' | Exclusion
  report(name: NodeName, error: NodeError): void
  /** The way of events of that revision to memory of keys that is not here; undefined when all of it is. */
  elsewhere(account: AccountState, pipeline: string, version: number): Elsewhere | undefined
  /** Takes events of that revision that fail; undefined where its pipeline does not ask for that. */
  deadLetterTaker(
    account: AccountState,
    pipeline: string,
    version: number,
  ): ((error: NodeError) => void) | undefined
  /** Who watches a pipeline, if anybody does. */
  observer(account: AccountState, pipeline: string): GraphObserver | undefined
}

interface Deployed {
  readonly graph: CompiledGraph
  /** What it would have handled; undefined while it is not paused. */
  notHandled: NodeActivity | undefined
  /** Of its cut. */
  readonly version: number
  readonly ownStores: ReadonlyMap<string, OwnStoreSink>
  readonly reported: Map<string, NodeActivity>
}

/** A revision that has been replaced here while events of it are still under way. */
interface Retiring extends Deployed {
  readonly replacedMs: number
}

/** What a node remembers, and the revisions that share it. */
interface Memory {
  readonly pipeline: string
  readonly versions: number[]
  readonly node: string
  readonly state: HeldState
}

/** How a revision comes into effect. */
export interface Deploying {
  readonly version: number
  /** States of its nodes from a checkpoint. */
  readonly restored?: ReadonlyMap<string, Uint8Array> | undefined
  /** Log time; given where events of the revision before may still come from other partitions. */
  readonly replacingMs?: number | undefined
  /** Takes what windows hold that the revision does not carry on. Absent: it goes, as where nothing is real. */
  readonly output?: AccountOutput | undefined
}

/** A revision as a checkpoint keeps it, oldest first. */
export interface KeptRevision {
  readonly version: number
  readonly replacedMs: number
  readonly document: PipelineCut
}

/** What a node remembers, as a checkpoint keeps it. */
export interface KeptMemory {
  readonly pipeline: string
  readonly version: number
  readonly node: string
  readonly data: Uint8Array
}

/** How long a revision stays, beyond the last word of it, for events that take a second way. */
const RETIRING_MS = HOUR_MS

/** What one partition knows and remembers of one account. */
export class AccountState {
  readonly account: string
  readonly fieldNames: FieldNames
  readonly keys = new IdempotencyKeys()
  readonly deadLetters = new DeadLetterMemory()
  readonly exemptions = new Exemptions()
  readonly rules = new AccountRules()
  /** What its expressions may cost here. */
  readonly expressions = new ExpressionBudget()
  retentionDays = DEFAULT_RETENTION_DAYS
  /** Only of accounts whose lines are, or were, on all partitions. */
  spread: SpreadAccount | undefined
  readonly #deployed = new Map<string, Deployed>()
  /** By pipeline, oldest first. */
  readonly #retiring = new Map<string, Retiring[]>()
  readonly #allowance = new ExpressionAllowance(this.expressions)
  readonly #ruleMeter = new EventMeter()
  readonly #defaultSink = defaultOwnStore()
  #defaultActivity = noCounts()
  /** By gateway route: what came while no deployed pipeline had a source of it. */
  #unread = new Map<string, NodeActivity>()
  /** Of nodes that are no more: what became of events that were still on their way to them. */
  readonly #gone: (NodeName & { readonly activity: NodeActivity })[] = []

  constructor(account: string, fieldNames = new FieldNames()) {
    this.account = account
    this.fieldNames = fieldNames
  }

  /** Puts a revision into effect; keyed state of nodes that stay is carried over. */
  *deploy(document: PipelineCut, { version, restored, replacingMs, output }: Deploying): Steps {
    const replaced = this.#deployed.get(document.id)
    const graph = compileGraph(document, replaced?.graph, restored)
    this.#exempt(graph)
    if (replacingMs !== undefined) this.#retire(document.id, replacingMs)
    if (replaced !== undefined) {
      yield* this.#endWindows(document.id, replaced, [graph], output)
      if (replacingMs === undefined) this.#noteLast(document.id, replaced)
    }
    this.#deployed.set(document.id, deployedOf(graph, version, document.paused))
    this.#inOrder()
  }

  /** Takes in a revision that newer ones have overtaken here, for its events that are still under way. */
  deployBeside(
    document: PipelineCut,
    { version, restored, replacedMs }: Omit<Deploying, 'replacingMs'> & { readonly replacedMs: number },
  ): void {
    const newer = new Map<string, HeldState>()
    const revisions = this.#revisionsOf(document.id)
    // The nearest newer one wins.
    for (const revision of revisions)
      if (revision.version > version)
        for (const [node, state] of revision.graph.states) newer.set(node, state)
    const older = revisions.find(revision => revision.version < version)?.graph
    const graph = compileBeside(document, newer, older, restored)
    this.#exempt(graph)
    const deployed = deployedOf(graph, version)
    const retiring = [...(this.#retiring.get(document.id) ?? []), { ...deployed, replacedMs }]
    this.#retiring.set(
      document.id,
      retiring.sort((a, b) => a.version - b.version),
    )
  }

  /** Whether a revision of a pipeline is known here, in effect or not. */
  knows(pipelineId: string, version: number): boolean {
    return this.#revisionsOf(pipelineId).some(revision => revision.version === version)
  }

  /** Both as in `deploy`. */
  *withdraw(pipelineId: string, { replacingMs, output }: Pick<Deploying, 'replacingMs' | 'output'>): Steps {
    const withdrawn = this.#deployed.get(pipelineId)
    if (replacingMs !== undefined) this.#retire(pipelineId, replacingMs)
    if (withdrawn !== undefined) {
      yield* this.#endWindows(pipelineId, withdrawn, [], output)
      if (replacingMs === undefined) this.#noteLast(pipelineId, withdrawn)
    }
    this.#deployed.delete(pipelineId)
  }

  /** Gives what the windows of a revision hold that goes, through that revision, unless others go on with them. */
  *#endWindows(
    pipeline: string,
    revision: Deployed,
    others: readonly CompiledGraph[],
    output: AccountOutput | undefined,
  ): Steps {
    const { graph } = revision
    if (output === undefined || graph.deadlineMs === Number.POSITIVE_INFINITY) return
    const goOn = new Set(others.flatMap(({ states }) => [...states.values()]))
    const ending = [...graph.states].filter(([, state]) => !goOn.has(state)).map(([node]) => node)
    this.#allowance.begin(output.timeMs(), 0)
    yield* graph.endingWindows(new Set(ending), this.#contextOf(pipeline, revision, output))
  }

  /** What a revision that is let go of has done since its activity was last taken. */
  #noteLast(pipeline: string, { graph, reported }: Deployed): void {
    for (const [node, counters] of graph.counters) {
      const activity = activitySince(counters, reported.get(node))
      this.#gone.push({ account: this.account, pipeline, node, activity })
    }
  }

  isPaused(pipelineId: string): boolean {
    return this.#deployed.get(pipelineId)?.notHandled !== undefined
  }

  has(pipelineId: string): boolean {
    return this.#deployed.has(pipelineId)
  }

  /** The version in effect of a pipeline, where it has a node that events can be run on from. */
  versionWith(pipelineId: string, node: string): number | undefined {
    const deployed = this.#deployed.get(pipelineId)
    return deployed?.graph.hasInput(node) ? deployed.version : undefined
  }

  /** What is in effect of its pipelines. */
  *inEffect(): Iterable<Omit<PipelineInEffect, 'atMs'> & { readonly pipeline: string }> {
    for (const [pipeline, { graph, version, notHandled }] of this.#deployed)
      yield { pipeline, version, document: graph.document, isPaused: notHandled !== undefined }
  }

  /** The memory of a node of what runs. */
  memoryOf(pipelineId: string, node: string): HeldState | undefined {
    return this.#deployed.get(pipelineId)?.graph.states.get(node)
  }

  #exempt({ document, states }: CompiledGraph): void {
    for (const [node, { kind, value }] of states)
      kind.exempt?.(value, this.exemptions.keysOf(document.id, node))
  }

  #retire(pipelineId: string, replacedMs: number): void {
    const replaced = this.#deployed.get(pipelineId)
    if (replaced === undefined) return
    const retiring = this.#retiring.get(pipelineId) ?? []
    this.#retiring.set(pipelineId, [...retiring, { ...replaced, replacedMs }])
  }

  /** Lets go of revisions of which no partition has an event any more. Their activity has been taken. */
  *forgetRetired(timeMs: number, output: AccountOutput): Steps {
    for (const [pipeline, retiring] of this.#retiring) {
      const least = this.spread?.leastForwarded(pipeline) ?? 0
      const kept = retiring.filter(
        ({ version, replacedMs }) => version >= least || timeMs - replacedMs < RETIRING_MS,
      )
      if (kept.length === retiring.length) continue
      if (kept.length === 0) this.#retiring.delete(pipeline)
      else this.#retiring.set(pipeline, kept)
      const others = this.#revisionsOf(pipeline).map(({ graph }) => graph)
      for (const revision of retiring) {
        if (kept.includes(revision)) continue
        yield* this.#endWindows(pipeline, revision, others, output)
        this.#noteLast(pipeline, revision)
      }
    }
  }

  get retires(): boolean {
    return this.#retiring.size > 0
  }

  /** Lines of one record come in: their bytes pay for what expressions do with them. */
  takeIn(batch: LineBatchView, indexes: readonly number[], output: AccountOutput): void {
    this.#allowance.begin(output.timeMs(), batch.bytesOf(indexes))
  }

  /**
   * Runs lines of one record through every graph that reads them, pipelines in the order of their ids. Where none does,
   * lines of log ingestion are stored as they are, and what a gateway route brought is counted as dropped.
   */
  *run(batch: LineBatchView, indexes: readonly number[], output: AccountOutput): Steps {
    const events = indexes.map(index => Event.ofLine(batch, index))
    let paused = 0
    let readers = 0
    for (const [pipeline, deployed] of this.#deployed) {
      if (!deployed.graph.reads(batch.route)) continue
      if (deployed.notHandled !== undefined) {
        countDropped(deployed.notHandled, events)
        paused++
        continue
      }
      readers++
      yield* deployed.graph.running(batch.route, events, this.#contextOf(pipeline, deployed, output))
    }
    if (readers > 0) return
    if (batch.route === INGEST_ROUTE) yield* this.#runDefaultGraph(events, output)
    else if (paused === 0) this.#countUnread(batch.route, events)
  }

  /** Requests that were refused where data is received are errors of the sources that would have had them. */
  reportRefusals(batch: LineBatchView, output: AccountOutput): void {
    for (let index = 0; index < batch.count; index++) {
      const text = batch.refusalText(index)
      if (text === '') continue
      const refusal = parseJson(text) as unknown as Refusal & { readonly code: ErrorCode }
      const error = { kind: 'source' as const, ...refusal, event: Event.ofLine(batch, index) }
      for (const [pipeline, { graph, notHandled }] of this.#deployed) {
        if (notHandled !== undefined) continue
        for (const node of graph.sourcesOf(batch.route))
          output.report({ account: this.account, pipeline, node }, { nodeId: node, ...error })
      }
    }
  }

  #countUnread(route: string, events: readonly Event[]): void {
    const activity = this.#unread.get(route) ?? noCounts()
    this.#unread.set(route, activity)
    countDropped(activity, events)
  }

  /**
   * Runs events that were sent here on, from the node at which they wait.
   *
   * @returns the revision that ran them; undefined when their node is no more
   */
  *resume(
    { pipeline, version, node }: WaitingPlace,
    events: readonly Event[],
    output: AccountOutput,
  ): Steps<RunningRevision | undefined> {
    const sent = events.reduce((sum, { bytes }) => sum + bytes, 0)
    this.#allowance.begin(output.timeMs(), sent)
    const own =
      this.#revisionsOf(pipeline).find(revision => revision.version === version) ??
      this.#deployed.get(pipeline)
    if (
      own !== undefined &&
      (yield* own.graph.resuming(node, events, this.#contextOf(pipeline, own, output)))
    )
      return { version: own.version, document: own.graph.document }
    const activity = noCounts()
    countDropped(activity, events)
    this.#gone.push({ account: this.account, pipeline, node, activity })
    return undefined
  }

  /** Takes out the memory of the keys of some shares, of all nodes. */
  *splitStates(
    shares: readonly number[],
    shareOf: (hash: number) => number,
  ): Iterable<{
    readonly share: number
    readonly pipeline: string
    readonly versions: readonly number[]
    readonly node: string
    readonly data: Uint8Array
  }> {
    for (const { pipeline, versions, node, state } of this.#memories()) {
      for (const piece of state.kind.keyed.split(state.value, shares, shareOf))
        yield { ...piece, pipeline, versions, node }
    }
  }

  /** Takes in memory of keys that some revisions share; when none of them is known any more, it goes. */
  absorb({ pipeline, versions, node, data }: MovedState): void {
    const isMeant = ({ version, graph }: Deployed) => versions.includes(version) && graph.states.has(node)
    this.#revisionsOf(pipeline).find(isMeant)?.graph.absorb(node, data)
  }

  /** Lets time pass for keyed state. */
  *tick(timeMs: number): Steps {
    for (const { graph } of this.#deployed.values()) yield* graph.tick(timeMs)
  }

  /** Log time at which the next window ends, UNIX ms; Infinity: none is open, or those that are belong to what is paused. */
  get windowsEndMs(): number {
    let end = Number.POSITIVE_INFINITY
    for (const [pipeline, { graph }] of this.#revisions())
      if (!this.isPaused(pipeline)) end = Math.min(end, graph.deadlineMs)
    return end
  }

  /** Ends the windows whose time has come: pipelines in the order of their ids, newest revisions first. */
  *endDueWindows(timeMs: number, output: AccountOutput): Steps {
    this.#allowance.begin(output.timeMs(), 0)
    const revisions = [...this.#revisions()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    for (const [pipeline, revision] of revisions) {
      if (!this.isPaused(pipeline) && revision.graph.deadlineMs <= timeMs)
        yield* revision.graph.expiring(this.#contextOf(pipeline, revision, output))
    }
  }

  /** What every node did since the last call. */
  *takeActivity(): Iterable<NodeName & { readonly activity: NodeActivity }> {
    for (const [pipeline, revision] of this.#revisions()) {
      const { graph, reported, notHandled } = revision
      if (notHandled !== undefined) {
        yield { account: this.account, pipeline, node: PAUSED_NODE, activity: notHandled }
        revision.notHandled = noCounts()
      }
      for (const [node, counters] of graph.counters) {
        const activity = activitySince(counters, reported.get(node))
        reported.set(node, { ...counters })
        yield { account: this.account, pipeline, node, activity }
      }
    }
    yield* this.#gone.splice(0)
    yield { account: this.account, pipeline: '', node: DEFAULT_GRAPH_NODE, activity: this.#defaultActivity }
    this.#defaultActivity = noCounts()
    for (const [route, activity] of this.#unread)
      yield { account: this.account, pipeline: '', node: `${UNREAD_ROUTE}${route}`, activity }
    this.#unread = new Map()
    for (const [node, activity] of this.rules.takeActivity())
      yield { account: this.account, pipeline: '', node, activity }
  }

  /** What every node with windows holds now, over all revisions that are known. */
  *holdings(): Iterable<NodeHolding> {
    for (const { pipeline, node, state } of this.#memories()) {
      const { windows, value } = state
      if (windows !== undefined) yield { account: this.account, pipeline, node, held: windows.open(value) }
    }
  }

  /** Memory of nodes, with the version of the newest revision that shares it. */
  *states(): Steps<KeptMemory[]> {
    const states: KeptMemory[] = []
    for (const { pipeline, versions, node, state } of this.#memories()) {
      const data = yield* state.kind.snapshot(state.value)
      states.push({ pipeline, version: versions[0] as number, node, data })
    }
    return states
  }

  /** Each memory once, with the revisions that share it, newest first. */
  #memories(): Iterable<Memory> {
    const memories = new Map<HeldState, Memory>()
    for (const [pipeline, { graph, version }] of this.#revisions()) {
      for (const [node, state] of graph.states) {
        const known = memories.get(state)
        if (known === undefined) memories.set(state, { pipeline, versions: [version], node, state })
        else known.versions.push(version)
      }
    }
    return memories.values()
  }

  /** Revisions that retire. */
  *keptRevisions(): Iterable<KeptRevision> {
    for (const retiring of this.#retiring.values()) {
      for (const { version, replacedMs, graph } of retiring)
        yield { version, replacedMs, document: graph.document }
    }
  }

  /** Newest first, where a pipeline has several. */
  *#revisions(): Generator<readonly [pipeline: string, revision: Deployed]> {
    yield* this.#deployed
    for (const [pipeline, retiring] of this.#retiring)
      for (const revision of retiring.toReversed()) yield [pipeline, revision]
  }

  /** Of one pipeline, newest first. */
  #revisionsOf(pipeline: string): Deployed[] {
    const deployed = this.#deployed.get(pipeline)
    const retiring = this.#retiring.get(pipeline)?.toReversed() ?? []
    return deployed === undefined ? retiring : [deployed, ...retiring]
  }

  #contextOf(pipeline: string, { ownStores, version }: Deployed, output: AccountOutput): RunContext {
    const nameOf = (node: string): NodeName => ({ account: this.account, pipeline, node })
    const takeDeadLetter = output.deadLetterTaker(this, pipeline, version)
    const account = this
    const { stretch } = output
    return {
      nowMs: output.timeMs(),
      *deliver(sink, delivered, left) {
        const ownStore = ownStores.get(sink.nodeId)
        if (ownStore === undefined) return
        const name = nameOf(sink.nodeId)
        const failed = (error: NodeError) => {
          left.failed(error)
          takeDeadLetter?.(error)
        }
        for (const event of delivered) {
          const outcome = output.store(ownStore, event, account, name, failed)
          if (typeof outcome === 'object') left.dropped(event, outcome.reason)
          stretch.left -= EVENT_UNITS
          if (stretch.left > 0) continue
          yield
          stretch.begin()
        }
      },
      report: error => output.report(nameOf(error.nodeId), error),
      takeDeadLetter,
      allowance: this.#allowanceBy(output),
      stretch,
      elsewhere: output.elsewhere(this, pipeline, version),
      observer: output.observer(this, pipeline),
    }
  }

  /** Judges what rules say of one line, which may cost what an event may. */
  ruleMeter(output: AccountOutput): EventMeter {
    const meter = this.#ruleMeter
    meter.open(this.#allowanceBy(output), output.stretch)
    meter.begin(NO_NUMBER)
    return meter
  }

  #allowanceBy(output: AccountOutput): ExpressionAllowance | undefined {
    return output.behaviour() >= FIFTH_BEHAVIOUR ? this.#allowance : undefined
  }

  *#runDefaultGraph(events: readonly Event[], output: AccountOutput): Steps {
    const name = { account: this.account, pipeline: '', node: DEFAULT_GRAPH_NODE }
    const activity = this.#defaultActivity
    const { stretch } = output
    for (const event of events) {
      const bytes = event.bytes
      activity.eventsIn++
      activity.bytesIn += bytes
      const outcome = output.store(this.#defaultSink, event, this, name)
      if (outcome === 'stored') {
        activity.eventsOut++
        activity.bytesOut += bytes
      } else if (outcome === 'failed') {
        activity.failed++
      } else {
        activity.dropped++
        activity.droppedBytes += bytes
      }
      stretch.left -= EVENT_UNITS
      if (stretch.left > 0) continue
      yield
      stretch.begin()
    }
  }

  /** The order of the outputs must not depend on the order in which pipelines were published. */
  #inOrder(): void {
    const entries = [...this.#deployed].sort(([a], [b]) => (a < b ? -1 : 1))
    this.#deployed.clear()
    for (const [id, deployed] of entries) this.#deployed.set(id, deployed)
  }
}

function countDropped(activity: NodeActivity, events: readonly Event[]): void {
  for (const { bytes } of events) {
    activity.eventsIn++
    activity.dropped++
    activity.bytesIn += bytes
    activity.droppedBytes += bytes
  }
}

function deployedOf(graph: CompiledGraph, version: number, paused = false): Deployed {
  const ownStores = ownStoresOf(graph.sinks)
  return { graph, version, ownStores, reported: new Map(), notHandled: paused ? noCounts() : undefined }
}
