import type { LineBatchView } from '../../schemas/line-batch.ts'
import type { PipelineDocument } from '../../schemas/pipeline.ts'
import { compileOwnStore, defaultOwnStore, type OwnStoreSink } from '../destinations/own-store.ts'
import { Event } from '../event.ts'
import { type CompiledGraph, compileGraph, INGEST_ROUTE, type NodeError } from '../graph/compile-graph.ts'
import { noCounts } from '../graph/node-counters.ts'
import { FieldNames } from '../line-fields.ts'
import { activitySince, type NodeActivity, type NodeName } from './node-activity.ts'
import { IdempotencyKeys } from './repeats.ts'

/** Days that lines are kept for an account of which the partition has not been told yet: the default plan. */
export const DEFAULT_RETENTION_DAYS = 30
/** Node id under which the default graph counts. */
const DEFAULT_GRAPH_NODE = 'own-store'

/** Where the events of an account end up; implemented by the fold of the partition. */
export interface AccountOutput {
  /** Log time of the record in hand. */
  readonly timeMs: number
  /** Gives an event to the own store. @returns false when it could not be stored; the sink counts it as failed */
  store(sink: OwnStoreSink, event: Event, account: AccountState, name: NodeName): boolean
  report(name: NodeName, error: NodeError): void
}

interface Deployed {
  readonly graph: CompiledGraph
  readonly ownStores: ReadonlyMap<string, OwnStoreSink>
  readonly reported: Map<string, NodeActivity>
}

/** What one partition knows and remembers of one account. */
export class AccountState {
  readonly account: string
  readonly fieldNames: FieldNames
  readonly keys = new IdempotencyKeys()
  retentionDays = DEFAULT_RETENTION_DAYS
  readonly #deployed = new Map<string, Deployed>()
  readonly #defaultSink = defaultOwnStore()
  #defaultActivity = noCounts()

  constructor(account: string, fieldNames = new FieldNames()) {
    this.account = account
    this.fieldNames = fieldNames
  }

  /**
   * Puts a revision into effect; keyed state of nodes that stay is carried over.
   *
   * @param restored states of its nodes from a checkpoint
   */
  deploy(document: PipelineDocument, restored?: ReadonlyMap<string, Uint8Array>): void {
    const previous = this.#deployed.get(document.id)
    const graph = compileGraph(document, previous?.graph, restored)
    const ownStores = new Map<string, OwnStoreSink>()
    for (const sink of graph.sinks) {
      if (sink.type === 'log-analysis') ownStores.set(sink.nodeId, compileOwnStore(sink.config))
    }
    this.#deployed.set(document.id, { graph, ownStores, reported: new Map() })
    this.#inOrder()
  }

  withdraw(pipelineId: string): void {
    this.#deployed.delete(pipelineId)
  }

  /** Runs lines of one record through every graph that reads them, pipelines in the order of their ids. */
  run(batch: LineBatchView, indexes: readonly number[], output: AccountOutput): void {
    const events = indexes.map(index => Event.ofLine(batch, index))
    let readers = 0
    for (const [pipeline, deployed] of this.#deployed) {
      if (batch.route === INGEST_ROUTE && !deployed.graph.readsIngest) continue
      readers++
      this.#runPipeline(pipeline, deployed, batch.route, events, output)
    }
    if (readers === 0 && batch.route === INGEST_ROUTE) this.#runDefaultGraph(events, output)
  }

  /** Lets time pass for keyed state. */
  tick(timeMs: number): void {
    for (const { graph } of this.#deployed.values()) graph.tick(timeMs)
  }

  /** What every node did since the last call. */
  *takeActivity(): Iterable<NodeName & { readonly activity: NodeActivity }> {
    for (const [pipeline, { graph, reported }] of this.#deployed) {
      for (const [node, counters] of graph.counters) {
        const activity = activitySince(counters, reported.get(node))
        reported.set(node, { ...counters })
        yield { account: this.account, pipeline, node, activity }
      }
    }
    yield { account: this.account, pipeline: '', node: DEFAULT_GRAPH_NODE, activity: this.#defaultActivity }
    this.#defaultActivity = noCounts()
  }

  *states(): Iterable<{ readonly pipeline: string; readonly node: string; readonly data: Uint8Array }> {
    for (const [pipeline, { graph }] of this.#deployed) {
      for (const [node, data] of graph.snapshot()) yield { pipeline, node, data }
    }
  }

  #runPipeline(
    pipeline: string,
    { graph, ownStores }: Deployed,
    route: string,
    events: readonly Event[],
    output: AccountOutput,
  ): void {
    const nameOf = (node: string): NodeName => ({ account: this.account, pipeline, node })
    graph.run(route, events, {
      nowMs: output.timeMs,
      deliver: (sink, delivered, fail) => {
        const ownStore = ownStores.get(sink.nodeId)
        if (ownStore === undefined) return
        const name = nameOf(sink.nodeId)
        for (const event of delivered) if (!output.store(ownStore, event, this, name)) fail(event)
      },
      report: error => output.report(nameOf(error.nodeId), error),
    })
  }

  #runDefaultGraph(events: readonly Event[], output: AccountOutput): void {
    const name = { account: this.account, pipeline: '', node: DEFAULT_GRAPH_NODE }
    const activity = this.#defaultActivity
    for (const event of events) {
      const bytes = event.bytes
      activity.eventsIn++
      activity.bytesIn += bytes
      if (output.store(this.#defaultSink, event, this, name)) {
        activity.eventsOut++
        activity.bytesOut += bytes
      } else {
        activity.failed++
      }
    }
  }

  /** The order of the outputs must not depend on the order in which pipelines were published. */
  #inOrder(): void {
    const entries = [...this.#deployed].sort(([a], [b]) => (a < b ? -1 : 1))
    this.#deployed.clear()
    for (const [id, deployed] of entries) this.#deployed.set(id, deployed)
  }
}
