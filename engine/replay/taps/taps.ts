import type { NodeDocument } from '../../../schemas/pipeline.ts'
import type { Clock } from '../../clock/clock.ts'
import type { Event } from '../../event/event.ts'
import type { PipelineInEffect, RunWatch } from '../../fold/run-watch.ts'
import { DEFAULT_OUTPUT } from '../../graph/compiled-node.ts'
import type { GraphObserver } from '../../graph/graph-observer.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { Tap, type TapBounds, type TapMark, type TapMessage } from './tap.ts'

/** Place that a tap watches. */
export interface TapPlace {
  readonly account: string
  readonly pipeline: string
  readonly node: string
  /** Name of one of its outputs, '' for the default one; undefined for all of them. */
  readonly output: string | undefined
}

/** The taps of people who watch pipelines, live and never in retrospect. */
export interface Taps {
  /**
   * Opens a tap; its first message contains the revision in effect.
   *
   * @param inEffect revision of the pipeline, if known; later ones are reported, also after a restart of the worker. The
   *   partitions of a spread account change at different times: the first change is reported
   */
  open(
    place: TapPlace,
    bounds: TapBounds,
    inEffect: PipelineInEffect,
    receive: (message: TapMessage) => void,
  ): Tap
}

/** The taps on the partitions of this process. */
export class LiveTaps implements Taps, RunWatch {
  readonly #catalogue: Catalogue
  readonly #clock: Clock
  readonly #watched = new Map<string, WatchedPipeline>()

  constructor(catalogue: Catalogue, clock: Clock) {
    this.#catalogue = catalogue
    this.#clock = clock
  }

  open(
    place: TapPlace,
    bounds: TapBounds,
    inEffect: PipelineInEffect,
    receive: (message: TapMessage) => void,
  ): Tap {
    const { account, pipeline } = place
    const key = keyOf(account, pipeline)
    const watched = this.#watched.get(key) ?? new WatchedPipeline(this.#catalogue)
    this.#watched.set(key, watched)
    const tap = new Tap(this.#clock, bounds, receive)
    receive(markOf(this.#catalogue, place, inEffect))
    const placed = { tap, place, version: inEffect.version }
    watched.taps.add(placed)
    const leave = () => {
      watched.taps.delete(placed)
      if (watched.taps.size === 0) this.#watched.delete(key)
    }
    tap.signal.addEventListener('abort', leave, { once: true })
    return tap
  }

  observerOf(account: string, pipeline: string): GraphObserver | undefined {
    // There are rarely any watchers: without them, no key is built.
    return this.#watched.size === 0 ? undefined : this.#watched.get(keyOf(account, pipeline))
  }

  takesEffect(account: string, pipeline: string, inEffect: PipelineInEffect): void {
    this.#watched.get(keyOf(account, pipeline))?.takesEffect(inEffect)
  }
}

interface PlacedTap {
  readonly tap: Tap
  readonly place: TapPlace
  /** The newest version that was reported to it. */
  version: number
}

/** A pipeline with watchers. */
class WatchedPipeline implements GraphObserver {
  readonly taps = new Set<PlacedTap>()
  readonly #catalogue: Catalogue

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue
  }

  left(node: string, output: string, event: Event): void {
    for (const { tap, place } of this.taps)
      if (place.node === node && (place.output === undefined || place.output === output))
        tap.offer(output, event)
  }

  dropped(): void {}
  failed(): void {}
  moved(): void {}
  gathered(): void {}
  reported(): void {}

  takesEffect(inEffect: PipelineInEffect): void {
    for (const placed of this.taps) {
      if (inEffect.version <= placed.version) continue
      placed.version = inEffect.version
      placed.tap.mark(markOf(this.#catalogue, placed.place, inEffect))
    }
  }
}

function markOf(
  catalogue: Catalogue,
  { node: id, output }: TapPlace,
  { document, version, isPaused, atMs }: PipelineInEffect,
): TapMark {
  const node = document?.nodes.find(each => each.id === id)
  const isPresent = node !== undefined && (output === undefined || hasOutput(catalogue, node, output))
  return {
    type: 'revision',
    revision: document?.revision ?? null,
    deployment: version,
    isPaused,
    isPresent,
    atMs,
  }
}

function hasOutput(catalogue: Catalogue, node: NodeDocument, output: string): boolean {
  return catalogue.outputsOf(node).some(({ name = DEFAULT_OUTPUT }) => name === output)
}

function keyOf(account: string, pipeline: string): string {
  return `${account} ${pipeline}`
}
