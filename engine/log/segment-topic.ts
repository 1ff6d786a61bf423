import { join } from 'node:path'
import type { Entropy } from '../entropy/entropy.ts'
import { assertPartition, closedError, partitionsDiffer } from './appendable.ts'
import { type FileOperations, fileErrorCode, isNoSpace } from './file-operations.ts'
import type { HeldFile } from './held-file.ts'
import { type Appended, type Bounds, LogError, type LogRecord, type NewRecord, type Topic } from './log.ts'
import { createPartition, partitionBytes } from './partition-directory.ts'
import { removeIfThere } from './segment-file.ts'
import { SegmentPartition, type SegmentShared } from './segment-partition.ts'

const FORMAT_VERSION = 1
const METADATA_NAME = 'topic.json'

interface TopicMetadata {
  readonly formatVersion: number
  readonly logId: string
  readonly partitions: number
}

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

  /** Opens the topic and creates it when it is not there. */
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
        const identity = { topic: name, partition, logId, directory: join(directory, String(partition)) }
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

  /** Holds the files of all partitions, and the topic's own, by links in a folder. */
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

async function readMetadata(
  operations: FileOperations,
  directory: string,
): Promise<TopicMetadata | undefined> {
  const path = join(directory, METADATA_NAME)
  let text: string
  try {
    text = await operations.readText(path)
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
  const metadata = parseMetadata(text)
  if (metadata === undefined) throw new LogError('LOG_CORRUPT', `${path} is damaged.`)
  if (metadata.formatVersion !== FORMAT_VERSION) {
    const message = `${path} has format ${metadata.formatVersion}; this program knows format ${FORMAT_VERSION} alone.`
    throw new LogError('LOG_CORRUPT', message)
  }
  return metadata
}

function parseMetadata(text: string): TopicMetadata | undefined {
  try {
    const { formatVersion, logId, partitions } = JSON.parse(text) as Partial<TopicMetadata>
    if (typeof formatVersion !== 'number' || typeof logId !== 'string') return undefined
    return typeof partitions === 'number' ? { formatVersion, logId, partitions } : undefined
  } catch {
    return undefined
  }
}

/** The metadata come last: a topic without them was never used, and records without them are a loss to report. */
async function createTopic(
  operations: FileOperations,
  root: string,
  directory: string,
  partitions: number,
  entropy: Entropy,
): Promise<TopicMetadata> {
  const metadata = { formatVersion: FORMAT_VERSION, logId: entropy.uuid(), partitions }
  try {
    for (let partition = 0; partition < partitions; partition++) {
      const path = join(directory, String(partition))
      await assertUnused(operations, path)
      await createPartition(operations, path)
    }
    await writeAtomically(operations, directory, METADATA_NAME, `${JSON.stringify(metadata)}\n`)
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
    `${directory} holds records, but the ${METADATA_NAME} of its topic is missing.`,
  )
}

async function writeAtomically(
  operations: FileOperations,
  directory: string,
  name: string,
  text: string,
): Promise<void> {
  const temporary = join(directory, `${name}.new`)
  await removeIfThere(operations, temporary)
  const file = await operations.open(temporary, 'create')
  try {
    await file.write(Buffer.from(text), 0)
    await file.datasync()
  } finally {
    await file.close()
  }
  await operations.rename(temporary, join(directory, name))
  await operations.syncDirectory(directory)
}
