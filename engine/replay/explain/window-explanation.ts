import type { PipelineDocument } from '../../../schemas/pipeline.ts'
import type { Event, LineOrigin } from '../../event/event.ts'
import type { NodeName } from '../../fold/node-activity.ts'
import type { PipelineInEffect, RunWatch } from '../../fold/run-watch.ts'
import type { GraphObserver } from '../../graph/graph-observer.ts'
import type { EndingWindow } from '../../nodes/contract/define-processor.ts'
import type { StoredAs } from '../line-explanation.ts'
import { partitionNamed } from '../moved-events.ts'
import { PartitionReplay } from '../replay.ts'
import type { OriginSearch, YieldedPlace } from './line-origin.ts'

/** A window that released an event, which became a stored line. */
export interface ExplainedWindow {
  readonly pipeline: string
  /** Version of its cut. */
  readonly version: number
  readonly document: PipelineDocument
  readonly node: string
  /** Content of the window; undefined: an event ended it early. */
  readonly window: EndingWindow | undefined
  /** Log time, UNIX ms. */
  readonly endedMs: number
  readonly event: Event
  readonly stored: readonly StoredAs[]
}

/**
 * Follows a stored line back to the window that released it. A window ends with any record that moves time past its end,
 * even one of another account. The rows of such a record are numbered over all accounts, so all accounts are folded.
 *
 * @returns undefined if the line did not come from a window of the account
 * @throws NoReplayError, or LogError LOG_OFFSET_OUT_OF_RANGE, when the log has removed a part of the way
 */
export async function windowBehind(
  { topics, account, rest }: OriginSearch,
  { offset, row, ...name }: YieldedPlace,
): Promise<ExplainedWindow | undefined> {
  const source = partitionNamed(topics, name)
  const { topic, partition } = source
  if (partition >= topic.partitions) return undefined
  const { first, next } = await topic.bounds(partition)
  if (offset < first || offset >= next) return undefined
  const replay = await PartitionReplay.reaching(source, offset)
  await replay.foldTo(offset, rest)
  const watch = new WindowWatch(account)
  replay.fold.showPipelines(watch)
  watch.begin()
  await replay.foldTo(offset + 1n, rest, watch)
  return watch.explained(row, replay.timeMs)
}

type Given = Pick<ExplainedWindow, 'pipeline' | 'node' | 'window' | 'event'>

/** Records the results of an account's windows. */
class WindowWatch implements RunWatch {
  readonly #account: string
  readonly #inEffect = new Map<string, PipelineInEffect>()
  /** The result of a window has a line of its own, shared by all events made from it. */
  readonly #given = new Map<LineOrigin, Given>()
  readonly #stored: (StoredAs & { readonly origin: LineOrigin })[] = []
  #hasBegun = false

  constructor(account: string) {
    this.#account = account
  }

  /** A cut in the record ends windows of the previous revision. */
  begin(): void {
    this.#hasBegun = true
  }

  takesEffect(account: string, pipeline: string, inEffect: PipelineInEffect): void {
    if (account === this.#account && !this.#hasBegun) this.#inEffect.set(pipeline, inEffect)
  }

  observerOf(account: string, pipeline: string): GraphObserver | undefined {
    if (account !== this.#account) return undefined
    const nothing = () => {}
    const gave: GraphObserver['gave'] = (node, event, window) => {
      if (event.origin !== null) this.#given.set(event.origin, { pipeline, node, window, event })
    }
    return {
      left: nothing,
      dropped: nothing,
      gathered: nothing,
      failed: nothing,
      moved: nothing,
      reported: nothing,
      gave,
    }
  }

  stored({ origin }: Event, { account, pipeline, node }: NodeName, row: number): void {
    if (account === this.#account && origin !== null) this.#stored.push({ row, pipeline, node, origin })
  }

  /** @param row of a stored line */
  explained(row: number, endedMs: number): ExplainedWindow | undefined {
    const origin = this.#stored.find(stored => stored.row === row)?.origin
    const given = origin && this.#given.get(origin)
    if (given === undefined) return undefined
    const inEffect = this.#inEffect.get(given.pipeline)
    if (inEffect?.document === undefined) return undefined
    const stored = this.#stored.filter(each => each.origin === origin).map(({ origin: _, ...each }) => each)
    return { ...given, version: inEffect.version, document: inEffect.document, endedMs, stored }
  }
}
