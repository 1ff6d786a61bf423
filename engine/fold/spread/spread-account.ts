import { isBeyond, type Position } from '../../../schemas/log/position.ts'
import { INGEST_TOPIC } from '../../../schemas/log/topics.ts'
import type { PartitionName } from '../run-watch.ts'
import { type FoldSeat, KeyPlacement } from './key-placement.ts'

interface Snapshot {
  readonly placement: ReturnType<KeyPlacement['snapshot']>
  readonly passed: readonly (readonly [source: string, offset: number, row: number])[]
  readonly forwarded: readonly (readonly [entity: string, versions: readonly number[]])[]
}

/** Under which a partition that sends here is remembered. */
export function sourceKey({ topic, partition }: PartitionName): string {
  return `${topic} ${partition}`
}

/** What a partition remembers of an account whose lines are, or were, on all partitions. */
export class SpreadAccount {
  readonly placement: KeyPlacement
  readonly #seat: FoldSeat
  /** Highest position seen of every partition that sends here. */
  readonly #passed = new Map<string, Position>()
  /** Version of every pipeline that each partition of the ingest topic has told of. */
  readonly #forwarded = new Map<string, number[]>()

  constructor(account: string, seat: FoldSeat) {
    this.placement = new KeyPlacement(account, seat)
    this.#seat = seat
  }

  /** Whether events of the account come here from other partitions. */
  get receives(): boolean {
    return this.#seat.topic !== INGEST_TOPIC || this.placement.isHome
  }

  /** Highest position seen of a partition that sends here. @param source its key */
  passed(source: string): Position | undefined {
    return this.#passed.get(source)
  }

  /** Notes a position. @returns false when it was passed before, so that the thing is a repeat */
  advance(source: string, position: Position): boolean {
    const known = this.#passed.get(source)
    const isRepeat = known !== undefined && !isBeyond(position, known)
    if (!isRepeat) this.#passed.set(source, position)
    return !isRepeat
  }

  noteForwarded(pipeline: string, partition: number, version: number): void {
    const versions = this.#forwarded.get(pipeline) ?? Array.from({ length: this.#seat.partitions }, () => 0)
    versions[partition] = Math.max(versions[partition] ?? 0, version)
    this.#forwarded.set(pipeline, versions)
  }

  /**
   * The version below which no partition of the ingest topic sends events of a pipeline any more. Home cannot know: what
   * it gets has come a long way.
   */
  leastForwarded(pipeline: string): number {
    if (this.#seat.topic === INGEST_TOPIC) return Number.POSITIVE_INFINITY
    return Math.min(...(this.#forwarded.get(pipeline) ?? [0]))
  }

  snapshot(): Buffer {
    const snapshot: Snapshot = {
      placement: this.placement.snapshot(),
      passed: [...this.#passed].map(([source, { offset, row }]) => [source, Number(offset), row]),
      forwarded: [...this.#forwarded],
    }
    return Buffer.from(JSON.stringify(snapshot))
  }

  restore(data: Buffer): void {
    const { placement, passed, forwarded } = JSON.parse(data.toString()) as Snapshot
    this.placement.restore(placement)
    for (const [source, offset, row] of passed) this.#passed.set(source, { offset: BigInt(offset), row })
    for (const [pipeline, versions] of forwarded) this.#forwarded.set(pipeline, [...versions])
  }
}
