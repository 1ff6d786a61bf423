import type { Position } from '../../../schemas/log/position.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../../schemas/log/topics.ts'
import type { PartitionName } from '../run-watch.ts'
import { type FoldPartition, KeyPlacement } from './key-placement.ts'
import { PassedPositions } from './passed-positions.ts'

interface Snapshot {
  readonly placement: ReturnType<KeyPlacement['snapshot']>
  readonly passed: readonly (readonly [source: string, offset: number, row: number])[]
  readonly forwarded: readonly (readonly [entity: string, versions: readonly number[]])[]
  /** Absent: none. */
  readonly unheard?: readonly number[]
}

/** Key under which a partition that sends here is remembered. */
export function sourceKey({ topic, partition }: PartitionName): string {
  return `${topic} ${partition}`
}

/** Highest known positions in a snapshot of a `SpreadAccount`, by the key of the partition that sent them. */
export function* passedIn(data: Buffer): Iterable<readonly [source: string, position: Position]> {
  const { passed } = JSON.parse(data.toString()) as Snapshot
  for (const [source, offset, row] of passed) yield [source, { offset: BigInt(offset), row }]
}

/** Memory of a partition about an account whose lines are, or were, on all partitions. */
export class SpreadAccount {
  readonly placement: KeyPlacement
  readonly #own: FoldPartition
  /** Highest known position of every partition that sends here. */
  #passed = new PassedPositions()
  /** Versions of every pipeline that the partitions of the ingest topic have forwarded. */
  readonly #forwarded = new Map<string, number[]>()
  /** Shares whose last message from the other side may be among lost records. */
  readonly #unheard = new Set<number>()

  constructor(account: string, own: FoldPartition) {
    this.placement = new KeyPlacement(account, own)
    this.#own = own
  }

  /** Whether events of the account arrive here from other partitions. */
  get receives(): boolean {
    return this.#own.topic !== INGEST_TOPIC || this.placement.isHome
  }

  /**
   * Whether no message about a share was received since records were lost here. Its holder is then known only from its
   * events.
   */
  isUnheard(share: number): boolean {
    return this.#unheard.has(share)
  }

  /**
   * Notes a message about a share from the partition with which it is exchanged. @returns whether there was none before
   */
  hear(share: number): boolean {
    return this.#unheard.delete(share)
  }

  /**
   * Notes that records were, or may have been, lost here: messages about the shares exchanged from here may be among
   * them.
   */
  doubt(): void {
    const { topic, partition, partitions } = this.#own
    if (topic === KEYED_TOPIC) this.#unheard.add(partition)
    else if (this.placement.isHome) for (let share = 0; share < partitions; share++) this.#unheard.add(share)
  }

  /** Highest known position of a partition that sends here. @param source its key */
  passed(source: string): Position | undefined {
    return this.#passed.of(source)
  }

  /** Notes a position. @returns false when it was passed before, so that the part is a repeat */
  advance(source: string, position: Position): boolean {
    return this.#passed.advance(source, position)
  }

  noteForwarded(pipeline: string, partition: number, version: number): void {
    const versions = this.#forwarded.get(pipeline) ?? Array.from({ length: this.#own.partitions }, () => 0)
    versions[partition] = Math.max(versions[partition] ?? 0, version)
    this.#forwarded.set(pipeline, versions)
  }

  /**
   * The version below which partitions of the ingest topic do not send events of a pipeline any more. The home partition
   * cannot know it, because its events have passed through other partitions.
   */
  leastForwarded(pipeline: string): number {
    if (this.#own.topic === INGEST_TOPIC) return Number.POSITIVE_INFINITY
    return Math.min(...(this.#forwarded.get(pipeline) ?? [0]))
  }

  snapshot(): Buffer {
    const snapshot: Snapshot = {
      placement: this.placement.snapshot(),
      passed: [...this.#passed].map(([source, { offset, row }]) => [source, Number(offset), row]),
      forwarded: [...this.#forwarded],
      ...(this.#unheard.size > 0 && { unheard: [...this.#unheard] }),
    }
    return Buffer.from(JSON.stringify(snapshot))
  }

  restore(data: Buffer): void {
    const { placement, forwarded, unheard = [] } = JSON.parse(data.toString()) as Snapshot
    this.placement.restore(placement)
    this.#passed = new PassedPositions(passedIn(data))
    for (const [pipeline, versions] of forwarded) this.#forwarded.set(pipeline, [...versions])
    for (const share of unheard) this.#unheard.add(share)
  }
}
