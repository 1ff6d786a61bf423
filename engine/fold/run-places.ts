import type { RunPlace } from '../graph/run-place.ts'
import type { FoldMoment } from './fold-moment.ts'
import type { PartitionName } from './run-watch.ts'

/** Gives each revision its place in the present record. */
export class RunPlaces {
  readonly #partition: PartitionName & { readonly logId: string }
  readonly #moment: Pick<FoldMoment, 'offset'>
  #isPreview = false

  constructor(partition: PartitionName & { readonly logId: string }, moment: Pick<FoldMoment, 'offset'>) {
    this.#partition = partition
    this.#moment = moment
  }

  /**
   * Gives other places from now on, because a draft gives other results for the same records. They do not contain the
   * version: only nodes that differ between the two sides of a preview may give different results.
   */
  beginPreview(): void {
    this.#isPreview = true
  }

  /** The version of a revision keeps two revisions apart to which one record brings events. */
  of(pipeline: string, version: number): RunPlace {
    const { logId, topic, partition } = this.#partition
    const { offset: record } = this.#moment
    const place = [logId, topic, partition, String(record), pipeline]
    return new PlaceText(record, this.#isPreview ? ['preview', ...place] : ['log', ...place, version])
  }
}

/** Makes its text when a node first asks for it. */
class PlaceText implements RunPlace {
  readonly record: bigint
  readonly #parts: readonly (string | number)[]
  #text: string | undefined

  constructor(record: bigint, parts: readonly (string | number)[]) {
    this.record = record
    this.#parts = parts
  }

  text(): string {
    this.#text ??= JSON.stringify(this.#parts)
    return this.#text
  }
}
