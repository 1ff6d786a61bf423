import type { Clock } from '../../clock/clock.ts'
import type { DeliveryFold } from '../../delivery/fold/delivery-fold.ts'
import type { Lane } from '../../delivery/fold/lane.ts'
import type { LogSpace } from '../../log/log.ts'
import { SECOND_MS } from '../../times/duration.ts'

/** Share of the log that the lanes of one account may pin when it runs full. */
const SHARE_OF_ACCOUNT = 0.1
/** Share of the space for lines that all lanes may pin together. */
const SHARE_OF_ALL = 0.5
/** Time in which a lane whose remote accepts events can catch up before it must make room. (Our choice.) */
const CATCH_UP_MS = 30 * SECOND_MS
/** Time between two looks while lines are accepted. */
const LOOK_MS = SECOND_MS

/** An outbox partition, as far as its lanes pin space. */
export interface WaitingPartition {
  readonly fold: Pick<DeliveryFold, 'lanes'>
  /** Size of its records from an offset on, in bytes. */
  bytesFrom(offset: bigint): number
}

type Bounds = Pick<LogSpace, 'limitBytes' | 'reservedBytes'>

/** Decides which lanes must make room while the log is full. */
export class WaitingRoom {
  readonly #clock: Clock
  readonly #space: () => LogSpace
  readonly #partitions: () => Iterable<WaitingPartition>
  /** Lanes that pin too much, with the time since when they do. */
  #since = new Map<Lane, number>()
  #lookedMs = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, space: () => LogSpace, partitions: () => Iterable<WaitingPartition>) {
    this.#clock = clock
    this.#space = space
    this.#partitions = partitions
  }

  /**
   * Whether a lane must give its oldest batch up. A lane whose last attempt failed must do so at once; any other only after it had some
   * time to catch up.
   */
  lacks(lane: Lane, isFailing: boolean): boolean {
    const space = this.#space()
    const nowMs = this.#clock.monotonicMs()
    if (space.takesIngest && nowMs - this.#lookedMs < LOOK_MS) return false
    this.#lookedMs = nowMs
    const found = lanesBeyondShare(space, this.#partitions())
    this.#since = new Map([...found].map(each => [each, this.#since.get(each) ?? nowMs]))
    const sinceMs = this.#since.get(lane)
    return !space.takesIngest && sinceMs !== undefined && (isFailing || nowMs - sinceMs >= CATCH_UP_MS)
  }
}

/**
 * Space of an outbox partition on a log without a limit of its own: it is full while its lanes pin more than the limit.
 *
 * @param limitBytes size of the records that its lanes may pin
 */
export function boundedSpace(limitBytes: number, partition: WaitingPartition): LogSpace {
  let usedBytes = 0
  for (const lane of partition.fold.lanes) usedBytes = Math.max(usedBytes, pinnedBytes(lane, partition))
  return { usedBytes, limitBytes, reservedBytes: 0, takesIngest: usedBytes <= limitBytes, takesControl: true }
}

/**
 * Returns the lanes that pin too much of the log. A lane pins everything on its partition from its oldest waiting event on, also events
 * of others. In an account beyond its share these are the lanes beyond their part of it, one part per partition. If all lanes together
 * pin too much, it is the one that pins most, too. Sizes are estimates.
 */
export function lanesBeyondShare(
  { limitBytes, reservedBytes }: Bounds,
  partitions: Iterable<WaitingPartition>,
): ReadonlySet<Lane> {
  const ofLanes = new Map<Lane, number>()
  const ofAccounts = new Map<string, number>()
  let ofAll = 0
  let count = 0
  let most: Lane | undefined
  for (const partition of partitions) {
    count++
    // Lanes of a partition pin the end of it together, so only the longest stretch counts.
    const longest = new Map<string, number>()
    for (const lane of partition.fold.lanes) {
      const bytes = pinnedBytes(lane, partition)
      ofLanes.set(lane, bytes)
      longest.set(lane.account, Math.max(bytes, longest.get(lane.account) ?? 0))
      if (bytes > (most === undefined ? 0 : (ofLanes.get(most) ?? 0))) most = lane
    }
    for (const [account, bytes] of longest) ofAccounts.set(account, (ofAccounts.get(account) ?? 0) + bytes)
    ofAll += [...longest.values()].reduce((most, bytes) => Math.max(most, bytes), 0)
  }
  const share = limitBytes * SHARE_OF_ACCOUNT
  const found = new Set<Lane>()
  for (const [lane, bytes] of ofLanes)
    if ((ofAccounts.get(lane.account) ?? 0) > share && bytes > share / count) found.add(lane)
  if (most !== undefined && ofAll > (limitBytes - reservedBytes) * SHARE_OF_ALL) found.add(most)
  return found
}

/** A lane without a batch to send pins nothing that it could give up. */
function pinnedBytes({ batch, cursor }: Lane, partition: WaitingPartition): number {
  return batch === undefined || cursor === undefined ? 0 : partition.bytesFrom(cursor.neededFrom)
}
