import { type FoldParts, type FoldScope, foldParts } from '../../engine/fold/fold-parts.ts'
import { LineBatchView } from '../../engine/lines/columns/line-batch-view.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { finish, type Steps } from '../../engine/steps.ts'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { Cut } from '../../schemas/log/control.ts'
import type { PipelineCut, SentCuts } from '../../schemas/log/cuts.ts'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import type { NodeDocument } from '../../schemas/pipeline.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from './line-batches.ts'
import { type NativeRows, readNativeBlock } from './native-reader.ts'
import { node, SOURCE } from './world.ts'

/** Nodes that gather the lines of an app for a second and store the result. */
export const GATHERING: readonly NodeDocument[] = [
  SOURCE,
  node('transform', 'gather', 'reduce', ['source'], { duration_ms: 1_000, group_by: ['.app'] }),
  node('sink', 'store', 'log-analysis', ['gather']),
]

/** The parts of the fold of one partition, for tests of single parts: no record drives them. */
export class LooseFold {
  readonly parts: FoldParts
  #offset = 0n
  #version = 0

  /** @param topic that of the lines, or that of keyed events */
  constructor({
    scope,
    catalogue = CATALOGUE,
    topic = INGEST_TOPIC,
  }: { scope?: FoldScope | undefined; catalogue?: Catalogue; topic?: string } = {}) {
    const identity = { topic, partition: 0, partitions: 1, logId: 'log' }
    this.parts = foldParts(catalogue, identity, scope)
    this.parts.moment.bringIntoForce(BEHAVIOUR)
    this.enter(0)
  }

  /** Takes the next record in hand, at a log time. */
  enter(timeMs: number): void {
    this.parts.moment.enter(this.#offset++, timeMs, 0)
    this.parts.tables.lines.begin(timeMs, this.parts.moment.behaviour)
  }

  deploy(
    nodes: readonly NodeDocument[],
    { account = SAMPLE_ACCOUNT, pipeline = 'p', paused = false } = {},
  ): void {
    const document: PipelineCut = {
      ...{ id: pipeline, accountId: account, title: pipeline, revision: 1 },
      nodes,
      ...(paused && { paused }),
    }
    this.do(this.parts.cuts.apply(this.cut(pipeline, JSON.stringify(document))))
  }

  cut(entity: string, payload: string): Cut {
    return { kind: 'pipeline', entity, version: ++this.#version, payload }
  }

  /** Applies a version of a cut that no earlier one has. @returns the cut */
  apply<Name extends keyof SentCuts>(kind: Name, entity: string, payload: SentCuts[Name]): Cut {
    const cut: Cut = {
      kind,
      entity,
      version: ++this.#version,
      payload: payload === undefined ? '' : JSON.stringify(payload),
    }
    this.do(this.parts.cuts.apply(cut))
    return cut
  }

  /** A fold of the same partition in which the cuts of this one are in effect, as after a start from a checkpoint. */
  restored(): LooseFold {
    const { cuts, identity, scope } = this.parts
    const fold = new LooseFold({ scope, topic: identity.topic })
    fold.do(fold.parts.cuts.restore([...cuts.all], cuts.sliceMs, () => ({ states: new Map(), retiring: [] })))
    return fold
  }

  do<Result>(steps: Steps<Result>): Result {
    this.parts.moment.stretch.begin()
    return finish(steps)
  }

  /** Runs a line of each app through the pipelines of an account. */
  run(apps: readonly string[], account = SAMPLE_ACCOUNT): void {
    const batch = linesOf(apps, account)
    const state = this.parts.accounts.of(account)
    state.takeIn(batch, [...apps.keys()], this.parts.output)
    this.do(state.run(batch, [...apps.keys()], this.parts.output))
    this.parts.notePending(state)
  }

  /** Rows of lines that wait for the store, which takes them. */
  rows(): NativeRows['rows'] {
    const batch = this.parts.tables.lines.take()
    return batch === undefined || batch.rows === 0 ? [] : readNativeBlock(batch.block).rows
  }

  /** Apps of these rows. */
  stored(): unknown[] {
    return this.rows().map(({ app }) => app)
  }

  /** Events that went into each node, and those that it dropped; of accounts with equal names together. */
  counts(): Record<string, readonly [eventsIn: number, dropped: number]> {
    const totals = [...this.parts.tables.minute.activity.totals]
    return Object.fromEntries(
      totals.map(({ pipeline, node, activity: { eventsIn, dropped } }) => [
        `${pipeline}/${node}`,
        [eventsIn, dropped] as const,
      ]),
    )
  }
}

export function linesOf(apps: readonly string[], account = SAMPLE_ACCOUNT): LineBatchView {
  return LineBatchView.decode(lineBatchValue([{ lines: apps.map(app => ({ line: app, app })) }], account))
}
