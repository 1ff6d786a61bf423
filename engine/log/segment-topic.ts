import { join } from 'node:path'
import type { Entropy } from '../entropy/entropy.ts'
import { assertPartition, closedError, partitionsDiffer } from './appendable.ts'
import { type FileOperations, isNoSpace } from './file-operations.ts'
import type { HeldFile } from './held-file.ts'
import { type Appended, type Bounds, LogError, type LogRecord, type NewRecord, type Topic } from './log.ts'
import { createPartition, partitionBytes } from './partition-directory.ts'
import { SegmentPartition, type SegmentShared } from './segment-partition.ts'
import { METADATA_NAME, readMetadata, type TopicMetadata, writeMetadata } from './topic-metadata.ts'

interface TopicIdentity {
  readonly name: string
  readonly logId: string
  readonly directory: string
}

/** A topic of the segment log: a folder with its metadata and one folder per partition. */
export class SegmentTopic implements Topic {
  readonly name: string
  readonly logId: string
  readonly #directory: string
  readonly #operations: FileOperations
  readonly #partitions: readonly SegmentPartition[]
  #closed = false

  private constructor(
    { name, logId, directory }: TopicIdentity,
    operations: FileOperations,
    partitions: readonly SegmentPartition[],
  ) {
    this.name = name
    this.logId = logId
    this.#directory = directory
    this.#operations = operations
    this.#partitions = partitions
  }

  /** Opens the topic, and creates it if it does not exist. */
  static async open(
    root: string,
    name: string,
    partitions: number,
    entropy: Entropy,
    shared: SegmentShared,
  ): Promise<SegmentTopic> {
    const directory = join(root, name)
    const metadata =
      (await readMetadata(shared.operations, directory)) ??
      (await createTopic(shared.operations, root, directory, partitions, entropy))
    if (metadata.partitions !== partitions) throw partitionsDiffer(name, metadata.partitions, partitions)
    const { logId } = metadata
    const opened: SegmentPartition[] = []
    try {
      for (let partition = 0; partition < partitions; partition++) {
        const identity = {
          topic: name,
          partition,
          partitions,
          logId,
          directory: join(directory, String(partition)),
        }
        opened.push(await SegmentPartition.open(identity, shared))
      }
    } catch (error) {
      await Promise.all(opened.map(partition => partition.close()))
      throw error
    }
    return new SegmentTopic({ name, logId, directory }, shared.operations, opened)
  }

  get partitions(): number {
    return this.#partitions.length
  }

  async append(partition: number, record: NewRecord): Promise<Appended> {
    return this.#partition(partition).append(record)
  }

  async read(partition: number, from: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    return this.#partition(partition).read(from, maxBytes)
  }

  async bounds(partition: number): Promise<Bounds> {
    return this.#partition(partition).bounds()
  }

  async waitBeyond(partition: number, offset: bigint, signal: AbortSignal): Promise<void> {
    return this.#partition(partition).waitBeyond(offset, signal)
  }

  async trim(partition: number, before: bigint): Promise<void> {
    return this.#partition(partition).trim(before)
  }

  async offsetAtTime(partition: number, timeMs: number): Promise<bigint | null> {
    return this.#partition(partition).offsetAtTime(timeMs)
  }

  /** Holds the files of all partitions and of the topic itself by links in a folder. */
  async hold(directory: string): Promise<HeldFile[]> {
    if (this.#closed) throw closedError()
    await this.#operations.makeDirectory(directory)
    const [metadata, link] = [join(this.#directory, METADATA_NAME), join(directory, METADATA_NAME)]
    await this.#operations.link(metadata, link)
    const held = [{ path: link, bytes: await this.#operations.size(link) }]
    for (const [number, partition] of this.#partitions.entries())
      held.push(...(await partition.hold(join(directory, String(number)))))
    return held
  }

  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#partitions.map(partition => partition.close()))
  }

  #partition(partition: number): SegmentPartition {
    if (this.#closed) throw closedError()
    assertPartition(this.name, this.partitions, partition)
    return this.#partitions[partition] as SegmentPartition
  }
}

/** The metadata are written last: a topic without them was never used, and records without them indicate a loss. */
async function createTopic(
  operations: FileOperations,
  root: string,
  directory: string,
  partitions: number,
  entropy: Entropy,
): Promise<TopicMetadata> {
  const metadata = { logId: entropy.uuid(), partitions }
  try {
    for (let partition = 0; partition < partitions; partition++) {
      const path = join(directory, String(partition))
      await assertUnused(operations, path)
      await createPartition(operations, path)
    }
    await writeMetadata(operations, directory, metadata)
    await operations.syncDirectory(root)
  } catch (error) {
    if (!isNoSpace(error)) throw error
    const message = `There is no room to create ${directory}.`
    throw new LogError('LOG_FULL', message, { retriable: true, cause: error })
  }
  return metadata
}

async function assertUnused(operations: FileOperations, directory: string): Promise<void> {
  if ((await partitionBytes(operations, directory)) === 0) return
  throw new LogError(
    'LOG_CORRUPT',
    `${directory} contains records, but the ${METADATA_NAME} of its topic is missing.`,
  )
}
