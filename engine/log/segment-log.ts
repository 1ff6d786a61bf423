import { dirname, join } from 'node:path'
import type { Clock } from '../clock/clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import { assertTopic, closedError, partitionsDiffer } from './appendable.ts'
import type { DirectoryLock } from './directory-lock.ts'
import { type FileOperations, listIfDirectory, nodeFileOperations } from './file-operations.ts'
import type { HeldFile } from './held-file.ts'
import type { Log, LogSpace, Topic } from './log.ts'
import { LogRoom } from './log-room.ts'
import { OpenFiles } from './open-files.ts'
import { partitionBytes } from './partition-directory.ts'
import type { SegmentShared } from './segment-partition.ts'
import { SegmentTopic } from './segment-topic.ts'
import { TailCache } from './tail-cache.ts'

/** 64 MB: small enough for timely deletion, and read at a start in a fraction of a second. */
const DEFAULT_SEGMENT_BYTES = 64 * 1024 * 1024
/** 256 MB that control appends and the store can still use when ingestion has stopped. */
const DEFAULT_MIN_FREE_DISK_BYTES = 256 * 1024 * 1024

export interface SegmentLogOptions {
  /** Created if missing; one process at a time owns it. */
  readonly directory: string
  readonly clock: Clock
  readonly entropy: Entropy
  /** Maximum size of all files of the log in bytes. */
  readonly maxBytes: number
  /** Size in bytes from which a segment takes no more records. */
  readonly segmentBytes?: number
  /** Free disk space in bytes below which ingestion is refused. */
  readonly minFreeDiskBytes?: number
  /** Share of `maxBytes` that only control appends use: a full log must be able to empty itself. */
  readonly reserveShare?: number
  /** Maximum size in bytes of the newest records that are kept in memory for readers at the head. */
  readonly cacheBytes?: number
  readonly operations?: FileOperations
}

/**
 * Opens the embedded log: append-only segment files per partition, one flush for all waiting appends.
 *
 * @throws LogError LOG_IN_USE when another process owns the folder; LOG_CORRUPT (also from `topic`) when durable data is
 *   damaged
 */
export async function openSegmentLog(options: SegmentLogOptions): Promise<SegmentLog> {
  const { directory, clock, maxBytes, reserveShare = 0.2 } = options
  const { minFreeDiskBytes = DEFAULT_MIN_FREE_DISK_BYTES, operations = nodeFileOperations() } = options
  await operations.makeDirectory(directory)
  await operations.syncDirectory(dirname(directory))
  const lock = operations.lock(directory)
  try {
    const room = new LogRoom({
      clock,
      maxBytes,
      reserveShare,
      minFreeDiskBytes,
      freeBytes: () => freeBytes(operations, directory),
    })
    room.change(await usedBytes(operations, directory))
    return new SegmentLog(directory, options.entropy, lock, {
      operations,
      clock,
      room,
      files: new OpenFiles(operations),
      cache: new TailCache(options.cacheBytes),
      segmentBytes: Math.max(1, options.segmentBytes ?? DEFAULT_SEGMENT_BYTES),
    })
  } catch (error) {
    lock.release()
    throw error
  }
}

/** The log on segment files. In addition to the port, it can be copied while it is written. */
export class SegmentLog implements Log {
  readonly #directory: string
  readonly #entropy: Entropy
  readonly #lock: DirectoryLock
  readonly #shared: SegmentShared
  readonly #topics = new Map<string, Promise<SegmentTopic>>()
  #closing: Promise<void> | undefined

  constructor(directory: string, entropy: Entropy, lock: DirectoryLock, shared: SegmentShared) {
    this.#directory = directory
    this.#entropy = entropy
    this.#lock = lock
    this.#shared = shared
  }

  async topic(name: string, partitions: number): Promise<Topic> {
    if (this.#closing !== undefined) throw closedError()
    assertTopic(name, partitions)
    let opening = this.#topics.get(name)
    if (opening === undefined) {
      opening = SegmentTopic.open(this.#directory, name, partitions, this.#entropy, this.#shared)
      this.#topics.set(name, opening)
      opening.catch(() => this.#topics.delete(name))
    }
    const topic = await opening
    if (topic.partitions !== partitions) throw partitionsDiffer(name, topic.partitions, partitions)
    return topic
  }

  /**
   * Holds the present state of a topic by links in a folder on the same file system, so that it can be copied. The links
   * remain when the log deletes its files, and later appends lie beyond the reported bytes.
   *
   * @throws RangeError when the topic was not opened
   */
  async hold(name: string, directory: string): Promise<HeldFile[]> {
    const topic = await this.#topics.get(name)
    if (topic === undefined) throw new RangeError(`topic ${name} is not open`)
    return topic.hold(directory)
  }

  space(): LogSpace {
    return this.#shared.room.space()
  }

  reserve(bytes: number): void {
    this.#shared.room.reserve(bytes)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    const topics = await Promise.allSettled(this.#topics.values())
    await Promise.all(topics.map(topic => (topic.status === 'fulfilled' ? topic.value.close() : undefined)))
    await this.#shared.files.close()
    this.#lock.release()
  }
}

/** If the free space cannot be read, it counts as none. */
function freeBytes(operations: FileOperations, directory: string): number {
  try {
    return operations.freeBytes(directory)
  } catch {
    return 0
  }
}

/** Total size of the files of all topics, including unopened ones. */
async function usedBytes(operations: FileOperations, root: string): Promise<number> {
  let bytes = 0
  for (const topic of await operations.list(root)) {
    for (const partition of await listIfDirectory(operations, join(root, topic))) {
      bytes += await partitionBytes(operations, join(root, topic, partition))
    }
  }
  return bytes
}
