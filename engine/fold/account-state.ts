import type { Pause, PipelineCut } from '../../schemas/log/cuts.ts'
import { DEFAULT_RETENTION_DAYS, pauseOf } from '../../schemas/log/cuts.ts'
import type { MovedState } from '../../schemas/log/rekeyed.ts'
import type { Event } from '../event/event.ts'
import type { EventMeter } from '../expressions/cost-meter.ts'
import { ExpressionBudget } from '../expressions/expression-budget.ts'
import { type CompiledGraph, compileBeside, compileGraph, restoredStates } from '../graph/compile-graph.ts'
import type { HeldState } from '../graph/compiled-node.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { FieldNames } from '../lines/stored-line/line-fields.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { Steps } from '../steps.ts'
import { AccountActivity } from './account/account-activity.ts'
import { AccountVariables } from './account/account-variables.ts'
import { DeployedRevision, type KeptRevision } from './account/deployed-revision.ts'
import { Deployments } from './account/deployments.ts'
import { EventRuns } from './account/event-runs.ts'
import { type KeptMemory, type MemoryPiece, NodeMemories } from './account/node-memories.ts'
import type { AccountOutput } from './account-output.ts'
import { DeadLetterMemory } from './dead-letters/dead-letter-memory.ts'
import type { FoldMoment } from './fold-moment.ts'
import type { LineOwner } from './line-output.ts'
import type { NodeHolding, TakenActivity } from './node-activity.ts'
import { IdempotencyKeys } from './repeats.ts'
import { AccountExemptions } from './rules/account-exemptions.ts'
import { AccountRules } from './rules/account-rules.ts'
import type { PipelineInEffect, RunningRevision } from './run-watch.ts'
import type { WaitingPlace } from './spread/rekeyed-part.ts'
import type { SpreadAccount } from './spread/spread-account.ts'

/** Surroundings in which a revision takes effect. */
export interface Deploying {
  readonly version: number
  /** Snapshots of its nodes from a checkpoint, by node id. */
  readonly snapshots?: ReadonlyMap<string, Uint8Array> | undefined
  /** Log time; given if events of the previous revision may still arrive from other partitions. */
  readonly replacingMs?: number | undefined
  /** Receives the content of windows that the revision does not continue. Absent: it is dropped, as in previews. */
  readonly output?: AccountOutput | undefined
}

/** The knowledge and the memory that one partition has of one account. */
export class AccountState implements LineOwner {
  readonly account: string
  readonly fieldNames: FieldNames
  readonly keys = new IdempotencyKeys()
  readonly deadLetters = new DeadLetterMemory()
  readonly exemptions = new AccountExemptions()
  readonly rules = new AccountRules()
  readonly variables = new AccountVariables()
  /** Entities of the resets of profiles that took effect here. */
  readonly profileResets = new Set<string>()
  /** Budget for the cost of its expressions here. */
  readonly expressions = new ExpressionBudget()
  retentionDays = DEFAULT_RETENTION_DAYS
  /** State of an account whose lines are, or were, on all partitions; undefined for others. */
  spread: SpreadAccount | undefined
  readonly #catalogue: Catalogue
  readonly #deployments = new Deployments()
  readonly #memories = new NodeMemories(this.#deployments)
  readonly #activity: AccountActivity
  readonly #runs: EventRuns

  constructor(catalogue: Catalogue, account: string, fieldNames = new FieldNames()) {
    this.#catalogue = catalogue
    this.account = account
    this.fieldNames = fieldNames
    this.#activity = new AccountActivity(account, this.#deployments, this.rules)
    this.#runs = new EventRuns(catalogue, this, this.#deployments, this.#activity)
  }

  /** Puts a revision into effect; keyed state of nodes that stay is carried over. */
  *deploy(document: PipelineCut, { version, snapshots, replacingMs, output }: Deploying): Steps {
    const replaced = this.#deployments.get(document.id)
    const restored = snapshots && (yield* restoredStates(this.#catalogue, document, snapshots))
    const graph = compileGraph(this.#catalogue, document, replaced?.graph, restored)
    this.#equip(graph)
    yield* this.#replace(document.id, [graph], { replacingMs, output })
    this.#deployments.put(document.id, this.#revision(graph, version, pauseOf(document)))
  }

  /** Adds a revision that newer ones have replaced here, for its events that are still under way. */
  *deployBeside(
    document: PipelineCut,
    { version, snapshots, replacedMs }: Omit<Deploying, 'replacingMs'> & { readonly replacedMs: number },
  ): Steps {
    const newer = new Map<string, HeldState>()
    const revisions = this.#deployments.revisionsOf(document.id)
    // The nearest newer revision takes precedence.
    for (const revision of revisions)
      if (revision.version > version)
        for (const [node, state] of revision.graph.states) newer.set(node, state)
    const older = revisions.find(revision => revision.version < version)?.graph
    const restored = snapshots && (yield* restoredStates(this.#catalogue, document, snapshots))
    const graph = compileBeside(this.#catalogue, document, newer, older, restored)
    this.#equip(graph)
    this.#deployments.addRetiring(document.id, {
      revision: this.#revision(graph, version),
      replacedMs,
    })
  }

  /** Withdraws a pipeline; `replacingMs` and `output` work as in `deploy`. */
  *withdraw(pipeline: string, replacing: Pick<Deploying, 'replacingMs' | 'output'>): Steps {
    yield* this.#replace(pipeline, [], replacing)
    this.#deployments.remove(pipeline)
  }

  /** Ends the deployed revision of a pipeline, or makes it retire. @param others graphs that may share its memory */
  *#replace(
    pipeline: string,
    others: readonly CompiledGraph[],
    { replacingMs, output }: Pick<Deploying, 'replacingMs' | 'output'>,
  ): Steps {
    const replaced = this.#deployments.get(pipeline)
    if (replaced === undefined) return
    if (replacingMs !== undefined) this.#deployments.retire(pipeline, replacingMs)
    yield* this.#endWindows(pipeline, replaced, others, output)
    if (replacingMs === undefined) this.#activity.noteLast(pipeline, replaced.lastActivity())
  }

  /** Runs the content of a revision's windows through it, unless other revisions continue the windows. */
  *#endWindows(
    pipeline: string,
    revision: DeployedRevision,
    others: readonly CompiledGraph[],
    output: AccountOutput | undefined,
  ): Steps {
    const { graph } = revision
    if (output === undefined || graph.deadlineMs === Number.POSITIVE_INFINITY) return
    const goOn = new Set(others.flatMap(({ states }) => [...states.values()]))
    const ending = [...graph.states].filter(([, state]) => !goOn.has(state)).map(([node]) => node)
    this.#runs.begin(output, 0)
    yield* graph.endingWindows(new Set(ending), this.#runs.contextOf(pipeline, revision, output))
  }

  #revision(graph: CompiledGraph, version: number, pause = pauseOf(undefined)): DeployedRevision {
    return new DeployedRevision(graph, {
      version,
      ownStores: this.#catalogue.ownStoresOf(graph.sinks),
      sendingSinks: this.#catalogue.sendingSinksOf(graph.sinks),
      ...pause,
    })
  }

  /** Gives a graph the state that is kept beside the pipelines: exempt keys and state variables. */
  #equip(graph: CompiledGraph): void {
    const { document, states } = graph
    graph.variables = this.variables.of(document.id)
    for (const [node, { kind, value }] of states)
      kind.exempt?.(value, this.exemptions.keysOf(document.id, node))
  }

  isPaused(pipeline: string): boolean {
    return this.#deployments.get(pipeline)?.isPaused ?? false
  }

  /** The present pause of a pipeline. */
  pauseOf(pipeline: string): Pause {
    const { isPaused: paused = false, drops = false } = this.#deployments.get(pipeline) ?? {}
    return { paused, drops }
  }

  has(pipeline: string): boolean {
    return this.#deployments.get(pipeline) !== undefined
  }

  /** Whether a revision of a pipeline is known here, deployed or retiring. */
  knows(pipeline: string, version: number): boolean {
    return this.#deployments.knows(pipeline, version)
  }

  /** Version of a pipeline's deployed revision, if it has a node at which events can continue. */
  versionWith(pipeline: string, node: string): number | undefined {
    const revision = this.#deployments.get(pipeline)
    return revision?.graph.hasInput(node) ? revision.version : undefined
  }

  /** The deployed revisions of its pipelines. */
  inEffect(): Iterable<Omit<PipelineInEffect, 'atMs'> & { readonly pipeline: string }> {
    return this.#deployments.inEffect()
  }

  /** Memory of a node of the deployed revision. */
  memoryOf(pipeline: string, node: string): HeldState | undefined {
    return this.#memories.of(pipeline, node)
  }

  /** Empties the profile of a node, if it builds one. */
  resetProfile(pipeline: string, node: string): void {
    this.#memories.resetProfile(pipeline, node)
  }

  /** Memory of all nodes, for a checkpoint. */
  states(): Steps<KeptMemory[]> {
    return this.#memories.snapshot()
  }

  /** Removes the memory of the keys of some shares from all nodes, and returns it. */
  splitStates(
    shares: readonly number[],
    shareOf: (hash: number) => number,
  ): Iterable<MemoryPiece | undefined> {
    return this.#memories.split(shares, shareOf)
  }

  /** Adds memory of keys that some revisions share. */
  absorb(moved: MovedState): void {
    this.#memories.absorb(moved)
  }

  /** Revisions that retire, for a checkpoint. */
  keptRevisions(): Iterable<KeptRevision> {
    return this.#deployments.kept()
  }

  get retires(): boolean {
    return this.#deployments.retires
  }

  /** Forgets revisions of which no partition has an event any more, after their activity was taken. */
  *forgetRetired(timeMs: number, output: AccountOutput): Steps {
    const leastOf = (pipeline: string) => this.spread?.leastForwarded(pipeline) ?? 0
    for (const { pipeline, revision, others } of this.#deployments.forget(timeMs, leastOf)) {
      yield* this.#endWindows(pipeline, revision, others, output)
      this.#activity.noteLast(pipeline, revision.lastActivity())
    }
  }

  /** Handles the arrival of a record's lines: their bytes pay for the cost of expressions on them. */
  takeIn(batch: LineBatchView, indexes: readonly number[], output: AccountOutput): void {
    this.#runs.begin(output, batch.bytesOf(indexes))
  }

  /** @see EventRuns.run */
  run(batch: LineBatchView, indexes: readonly number[], output: AccountOutput): Steps {
    return this.#runs.run(batch, indexes, output)
  }

  /** @see EventRuns.resume */
  resume(
    place: WaitingPlace,
    events: readonly Event[],
    output: AccountOutput,
  ): Steps<RunningRevision | undefined> {
    return this.#runs.resume(place, events, output)
  }

  /** @see EventRuns.reportRefusals */
  reportRefusals(batch: LineBatchView, output: AccountOutput): void {
    this.#runs.reportRefusals(batch, output)
  }

  /** @see EventRuns.ruleMeter */
  ruleMeter(moment: FoldMoment): EventMeter {
    return this.#runs.ruleMeter(moment)
  }

  /** Advances the time of keyed state. */
  *tick(timeMs: number): Steps {
    for (const [, { graph }] of this.#deployments) yield* graph.tick(timeMs)
  }

  /** Log time at which the next window ends, UNIX ms; Infinity: none is open, or only those of paused pipelines. */
  get windowsEndMs(): number {
    let end = Number.POSITIVE_INFINITY
    for (const [pipeline, { graph }] of this.#deployments.revisions())
      if (!this.isPaused(pipeline)) end = Math.min(end, graph.deadlineMs)
    return end
  }

  /** Ends the due windows: pipelines in the order of their ids, newest revisions first. */
  *endDueWindows(timeMs: number, output: AccountOutput): Steps {
    this.#runs.begin(output, 0)
    const revisions = [...this.#deployments.revisions()].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    for (const [pipeline, revision] of revisions)
      if (!this.isPaused(pipeline) && revision.graph.deadlineMs <= timeMs)
        yield* revision.graph.expiring(this.#runs.contextOf(pipeline, revision, output))
  }

  /** Activity of every node since the last call. */
  takeActivity(): Iterable<TakenActivity> {
    return this.#activity.take()
  }

  /** Number of events that every node with windows holds now, over all known revisions. */
  *holdings(): Iterable<NodeHolding> {
    for (const each of this.#memories.holdings()) yield { account: this.account, ...each }
  }
}
