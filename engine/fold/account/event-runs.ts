import {
  FIFTH_BEHAVIOUR,
  FOURTEENTH_BEHAVIOUR,
  NINTH_BEHAVIOUR,
  SEVENTH_BEHAVIOUR,
  TENTH_BEHAVIOUR,
  THIRTEENTH_BEHAVIOUR,
  TWELFTH_BEHAVIOUR,
} from '../../../schemas/log/behaviour-numbers.ts'
import { INGEST_ENTRANCE, type Refusal } from '../../../schemas/log/line-batch.ts'
import type { ErrorCode } from '../../event/errors.ts'
import { Event } from '../../event/event.ts'
import { EventMeter, NO_NUMBER } from '../../expressions/cost-meter.ts'
import { ExpressionAllowance, type ExpressionBudget } from '../../expressions/expression-budget.ts'
import type { NodeError, RunContext } from '../../graph/compile-graph.ts'
import type { NotDelivered } from '../../graph/compiled-node.ts'
import { NO_REACH, type Reach, sumOfReach } from '../../graph/event-copies.ts'
import { RecordYield } from '../../graph/record-yield.ts'
import { parseJson } from '../../json/json-text.ts'
import type { LineBatchView } from '../../lines/columns/line-batch-view.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import type { OwnStoreSink } from '../../nodes/contract/own-store.ts'
import type { Steps } from '../../steps.ts'
import type { AccountOutput } from '../account-output.ts'
import type { FoldMoment } from '../fold-moment.ts'
import type { LineOwner } from '../line-output.ts'
import type { NodeActivity, NodeName } from '../node-activity.ts'
import type { RunningRevision } from '../run-watch.ts'
import type { WaitingPlace } from '../spread/rekeyed-part.ts'
import { type AccountActivity, DEFAULT_GRAPH_NODE } from './account-activity.ts'
import type { DeployedRevision } from './deployed-revision.ts'
import type { Deployments } from './deployments.ts'

/** Runs the events of an account through its pipelines, within the cost that its expressions may have. */
export class EventRuns {
  readonly #owner: LineOwner
  readonly #deployments: Deployments
  readonly #activity: AccountActivity
  readonly #allowance: ExpressionAllowance
  readonly #ruleMeter = new EventMeter()
  readonly #made = new RecordYield()
  readonly #defaultStore: OwnStoreSink

  constructor(
    catalogue: Catalogue,
    owner: LineOwner & { readonly expressions: ExpressionBudget },
    deployments: Deployments,
    activity: AccountActivity,
  ) {
    this.#defaultStore = catalogue.defaultOwnStore()
    this.#owner = owner
    this.#deployments = deployments
    this.#activity = activity
    this.#allowance = new ExpressionAllowance(owner.expressions)
  }

  /** Begins with a set of events: their bytes pay for the cost of expressions on them. */
  begin({ moment }: AccountOutput, bytes: number): void {
    this.#allowance.begin(moment.timeMs, bytes)
  }

  /** Counts the cost of rules on one line, which is bounded like that of an event. */
  ruleMeter({ behaviour, stretch }: FoldMoment): EventMeter {
    const meter = this.#ruleMeter
    meter.open(this.#allowanceAt(behaviour), stretch)
    meter.begin(NO_NUMBER)
    return meter
  }

  /**
   * Runs lines of one record through every graph that reads them, pipelines in the order of their ids. Without such a
   * graph, lines of log ingestion are stored unchanged, and events of a gateway route are counted as dropped. A paused
   * pipeline that drops its events counts as such a graph.
   */
  *run(batch: LineBatchView, indexes: readonly number[], output: AccountOutput): Steps {
    // Objects of events are made for pipelines only: most lines are stored as they were sent.
    let made: readonly Event[] | undefined
    const { copies, moves } = this.#reachOf(batch.entrance)
    let paused = 0
    let takers = 0
    for (const [pipeline, revision] of this.#deployments) {
      if (!revision.graph.reads(batch.entrance)) continue
      const events = made ?? eventsOf(batch, indexes)
      made = events
      if (revision.isPaused) {
        revision.passOver(events)
        if (revision.drops) {
          takers++
          output.moment.watch?.droppedByPause?.(this.#owner.account, pipeline)
        } else paused++
        continue
      }
      takers++
      yield* revision.graph.running(batch.entrance, events, {
        ...this.contextOf(pipeline, revision, output),
        copies,
        moves: output.moment.behaviour >= TWELFTH_BEHAVIOUR ? moves : undefined,
      })
    }
    if (takers > 0) return
    if (batch.entrance === INGEST_ENTRANCE) yield* this.#runDefaultGraph(batch, indexes, output)
    else if (paused === 0) this.#activity.noteUnread(batch.entrance, eventsOf(batch, indexes))
  }

  /**
   * Continues events from another partition at the node where they wait.
   *
   * @returns the revision that ran them; undefined when their node no longer exists
   */
  *resume(
    { pipeline, version, node }: WaitingPlace,
    events: readonly Event[],
    output: AccountOutput,
  ): Steps<RunningRevision | undefined> {
    this.begin(
      output,
      events.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    const own =
      this.#deployments.revisionsOf(pipeline).find(revision => revision.version === version) ??
      this.#deployments.get(pipeline)
    if (own !== undefined && (yield* own.graph.resuming(node, events, this.contextOf(pipeline, own, output))))
      return { version: own.version, document: own.graph.document }
    this.#activity.noteStranded(pipeline, node, events)
    return undefined
  }

  /** Upper bounds for an event in all pipelines that receive it. */
  #reachOf(entrance: string): Reach {
    let reach = NO_REACH
    for (const [, { graph, isPaused }] of this.#deployments)
      if (!isPaused) reach = sumOfReach(reach, graph.reachOf(entrance))
    return reach
  }

  /** Reports requests that were refused on receipt as errors of the sources that would have received them. */
  reportRefusals(batch: LineBatchView, output: AccountOutput): void {
    const { account } = this.#owner
    for (let index = 0; index < batch.count; index++) {
      const text = batch.refusalText(index)
      if (text === '') continue
      // The program wrote it.
      const refusal = parseJson(text) as unknown as Refusal & { readonly code: ErrorCode }
      const error = { kind: 'source' as const, ...refusal, event: Event.ofLine(batch, index) }
      for (const [pipeline, { graph, isPaused }] of this.#deployments) {
        if (isPaused) continue
        for (const node of graph.sourcesOf(batch.entrance))
          output.report({ account, pipeline, node }, { nodeId: node, ...error })
      }
    }
  }

  /** The surroundings of a revision's graph for the present record. */
  contextOf(pipeline: string, revision: DeployedRevision, output: AccountOutput): RunContext {
    const owner = this.#owner
    const { account } = owner
    const { ownStores, sendingSinks, version } = revision
    const { moment, lines } = output
    const nameOf = (node: string): NodeName => ({ account, pipeline, node })
    const takeDeadLetter = output.deadLetterTaker(account, pipeline, version)
    return {
      nowMs: moment.timeMs,
      deliver({ nodeId }, events, left) {
        const leaving = takeDeadLetter === undefined ? left : keptAsLetters(left, takeDeadLetter)
        const node = nameOf(nodeId)
        const sink = ownStores.get(nodeId)
        if (sink !== undefined) return lines.deliver({ sink, owner, node, events, left: leaving })
        const sending = sendingSinks.get(nodeId)
        sending?.take(events, {
          handOver: sent =>
            output.handOver(
              account,
              { pipeline, version, node: nodeId, type: sending.type, options: sending.options },
              sent,
            ),
          fail(event, failure) {
            const error = { nodeId, kind: 'destination' as const, ...failure, event }
            output.report(node, error)
            leaving.failed(error)
          },
        })
        return undefined
      },
      report: error => output.report(nameOf(error.nodeId), error),
      takeDeadLetter,
      allowance: this.#allowanceAt(moment.behaviour),
      copies: revision.graph.mostReach.copies,
      moves: moment.behaviour >= TWELFTH_BEHAVIOUR ? revision.graph.mostReach.moves : undefined,
      made: this.#madeAt(moment),
      stretch: moment.stretch,
      quarantinedNodes: moment.quarantinedNodes,
      elsewhere: output.elsewhere(account, pipeline, version),
      observer: moment.watch?.observerOf(account, pipeline),
      place: output.placeOf(pipeline, version),
    }
  }

  #madeAt({ behaviour, offset }: FoldMoment): RecordYield | undefined {
    if (behaviour < TWELFTH_BEHAVIOUR) return undefined
    this.#made.countsAhead = behaviour >= FOURTEENTH_BEHAVIOUR
    return this.#made.of(offset)
  }

  #allowanceAt(behaviour: number): ExpressionAllowance | undefined {
    if (behaviour < FIFTH_BEHAVIOUR) return undefined
    this.#allowance.countsEveryMatch = behaviour < SEVENTH_BEHAVIOUR
    this.#allowance.countsOptions = behaviour >= NINTH_BEHAVIOUR
    this.#allowance.chargesFailures = behaviour >= TENTH_BEHAVIOUR
    this.#allowance.countsCopies = behaviour >= TENTH_BEHAVIOUR
    this.#allowance.paysForEqualTexts = behaviour >= THIRTEENTH_BEHAVIOUR
    this.#allowance.readsUpperPrefixes = behaviour < FOURTEENTH_BEHAVIOUR
    this.#allowance.keepsRepeats = behaviour < FOURTEENTH_BEHAVIOUR
    this.#allowance.owesCopies = behaviour >= FOURTEENTH_BEHAVIOUR
    return this.#allowance
  }

  *#runDefaultGraph(batch: LineBatchView, indexes: readonly number[], { lines }: AccountOutput): Steps {
    const owner = this.#owner
    const sink = this.#defaultStore
    const left = countedAsStored(this.#activity.defaultGraph, indexes.length, batch.bytesOf(indexes))
    if (lines.storesTogether(owner, batch, indexes.length)) {
      yield* lines.storeTogether({ sink, owner, batch, indexes })
      return
    }
    const node = { account: owner.account, pipeline: '', node: DEFAULT_GRAPH_NODE }
    yield* lines.deliver({ sink, owner, node, events: eventsOf(batch, indexes), left })
  }
}

function eventsOf(batch: LineBatchView, indexes: readonly number[]): Event[] {
  return indexes.map(index => Event.ofLine(batch, index))
}

/** Failed events also become dead letters. */
function keptAsLetters(left: NotDelivered, takeDeadLetter: (error: NodeError) => void): NotDelivered {
  return {
    failed(error) {
      left.failed(error)
      takeDeadLetter(error)
    },
    dropped: (event, reason) => left.dropped(event, reason),
  }
}

/** Counts events as stored. @returns a receiver that corrects the counts for events that are not stored */
function countedAsStored(activity: NodeActivity, events: number, bytesOfAll: number): NotDelivered {
  activity.eventsIn += events
  activity.bytesIn += bytesOfAll
  activity.eventsOut += events
  activity.bytesOut += bytesOfAll
  const takeOut = (bytes: number) => {
    activity.eventsOut--
    activity.bytesOut -= bytes
  }
  return {
    failed({ event }) {
      takeOut(event.bytes)
      activity.failed++
    },
    dropped({ bytes }) {
      takeOut(bytes)
      activity.dropped++
      activity.droppedBytes += bytes
    },
  }
}
