import { crc32 } from 'node:zlib'
import {
  type CheckpointManifest,
  type CheckpointPart,
  checkpointPartType,
} from '../../schemas/log/checkpoint.ts'
import { type Loss, lossIn } from '../../schemas/log/loss.ts'
import { PART_BYTES } from '../../schemas/log/record-size.ts'
import { LogError, type LogRecord, type Topic } from '../log/log.ts'
import { READ_BYTES } from '../log/records-between.ts'

/**
 * Number of checkpoints that are compared for the highest (epoch, offset): a replaced worker may have written one or two.
 */
const COMPARED_CHECKPOINTS = 8

export interface CheckpointPlace {
  /** Offset of the owner record of its writer. */
  readonly epoch: bigint
  /** First offset of the ingest partition that it does not include. */
  readonly nextOffset: bigint
  /** First record of it on the checkpoint topic. */
  readonly firstRecord: bigint
}

/** A whole checkpoint on the log. */
export interface KeptCheckpoint extends CheckpointPlace {
  readonly body: Buffer
}

/** An accepted gap that contains a checkpoint. */
export interface CheckpointGap {
  /** First lost record. */
  readonly from: bigint
  /** The checkpoint; undefined when it is not whole. */
  readonly body: Buffer | undefined
}

/** A checkpoint takes more memory than its reader has for it. */
export class CheckpointTooLargeError extends Error {
  override readonly name = 'CheckpointTooLargeError'
}

/** The records of a checkpoint: consecutive, unless another process wrote in between. */
export interface WrittenRecords {
  readonly firstRecord: bigint
  readonly nextRecord: bigint
  readonly records: number
}

/** The partition that the checkpoints belong to. */
export interface CheckpointSource {
  readonly topic: Topic
  readonly partition: number
}

/**
 * Checkpoints of one partition on the log: chunks first, then a manifest with the CRC of the whole. A partial or damaged
 * checkpoint is therefore never used. A checkpoint inside an accepted gap is skipped: it contains effects of lost
 * records, which a replay cannot compute again.
 */
export class CheckpointLog {
  readonly #topic: Topic
  readonly #source: CheckpointSource

  constructor(topic: Topic, source: CheckpointSource) {
    this.#topic = topic
    this.#source = source
  }

  /** Offset after the last record. */
  async nextRecord(): Promise<bigint> {
    return (await this.#topic.bounds(this.#source.partition)).next
  }

  /** Writes a checkpoint; it counts once this resolves. */
  async write(epoch: bigint, nextOffset: bigint, body: Buffer): Promise<WrittenRecords> {
    const chunks = Math.max(1, Math.ceil(body.length / PART_BYTES))
    let firstChunkOffset: bigint | undefined
    let checksum = 0
    for (let index = 0; index < chunks; index++) {
      const data = body.subarray(index * PART_BYTES, (index + 1) * PART_BYTES)
      const { offset } = await this.#append(epoch, nextOffset, { 'weir.Chunk': { index, data } })
      firstChunkOffset ??= offset
      checksum = crc32(data, checksum)
    }
    const manifest = {
      firstChunkOffset: Number(firstChunkOffset),
      chunks,
      bytes: body.length,
      crc32: checksum,
    }
    const { offset } = await this.#append(epoch, nextOffset, { 'weir.Manifest': manifest })
    return { firstRecord: firstChunkOffset as bigint, nextRecord: offset + 1n, records: chunks + 1 }
  }

  /**
   * The newest whole checkpoint, or undefined without one.
   *
   * @throws CheckpointTooLargeError when it is larger than `maxBytes`; it is not read then
   */
  async newest(maxBytes = Number.POSITIVE_INFINITY): Promise<KeptCheckpoint | undefined> {
    const { first } = await this.#topic.bounds(this.#source.partition)
    for await (const written of this.#newestFirst()) {
      if (written.manifest.bytes > maxBytes) throw new CheckpointTooLargeError()
      const kept = await this.#wholeOf(written, first)
      if (kept !== undefined) return kept
    }
    return undefined
  }

  /**
   * The complete checkpoint with the highest (epoch, offset) among the newest, and its predecessor as the fallback of a
   * start if the former is damaged. A late checkpoint of a replaced worker has a lower epoch and loses.
   */
  async newestTwo(): Promise<readonly KeptCheckpoint[]> {
    const { first } = await this.#topic.bounds(this.#source.partition)
    let best: KeptCheckpoint | undefined
    for await (const written of this.#newestFirst()) {
      if (best !== undefined && written.nextOffset > best.nextOffset) continue
      const kept = await this.#wholeOf(written, first)
      if (kept === undefined) continue
      if (best !== undefined) return [kept, best]
      best = kept
    }
    return best === undefined ? [] : [best]
  }

  /** The newest whole checkpoint of a worker that had the partition before an epoch. */
  async newestBefore(epoch: bigint): Promise<KeptCheckpoint | undefined> {
    const { first } = await this.#topic.bounds(this.#source.partition)
    for await (const written of this.#newestFirst()) {
      const kept = written.epoch < epoch ? await this.#wholeOf(written, first) : undefined
      if (kept !== undefined) return kept
    }
    return undefined
  }

  /** The oldest whole checkpoint that continues at an offset or later: a replay of the kept log begins with it. */
  async oldest(from: bigint): Promise<KeptCheckpoint | undefined> {
    for await (const kept of this.#forwards()) if (kept.nextOffset >= from) return kept
    return undefined
  }

  /**
   * The place of the oldest checkpoint that continues at an offset or later, whole or not. Checkpoints before it are not
   * needed for any record from there on.
   */
  async oldestPlace(from: bigint): Promise<CheckpointPlace | undefined> {
    const { first, next } = await this.#topic.bounds(this.#source.partition)
    for (let offset = first; offset < next; ) {
      const records = await this.#read(offset, READ_BYTES)
      if (records.length === 0) return undefined
      for (const record of records) {
        offset = record.offset + 1n
        const written = manifestIn(record)
        if (written === undefined || written.nextOffset < from) continue
        const { epoch, nextOffset, manifest } = written
        return { epoch, nextOffset, firstRecord: BigInt(manifest.firstChunkOffset) }
      }
    }
    return undefined
  }

  /**
   * A whole checkpoint that continues close to an offset, and not beyond another offset: the nearest of the newest ones.
   */
  async nearest(from: bigint, upTo: bigint): Promise<KeptCheckpoint | undefined> {
    const { first, next } = await this.#topic.bounds(this.#source.partition)
    for (let below = next; below > first; ) {
      const found = await this.#manifestsBelow(below, first)
      below = found.below
      const fitting = found.manifests.filter(({ nextOffset }) => nextOffset >= from && nextOffset <= upTo)
      for (const manifest of fitting.sort((a, b) => (a.nextOffset > b.nextOffset ? -1 : 1))) {
        const kept = await this.#wholeOf(manifest, first)
        if (kept !== undefined) return kept
      }
    }
    return undefined
  }

  /**
   * Lowest offset above everything that the newest checkpoints mention: the records that they include, and the owners
   * that wrote them. 0: there are none.
   */
  async reach(): Promise<bigint> {
    const { first, next } = await this.#topic.bounds(this.#source.partition)
    const { manifests } = await this.#manifestsBelow(next, first)
    let reach = 0n
    for (const { epoch, nextOffset } of manifests)
      for (const known of [epoch + 1n, nextOffset]) if (known > reach) reach = known
    return reach
  }

  /**
   * Accepted gap after which a start continues because all checkpoints are inside it; undefined: none. Records before the
   * gap are stored.
   */
  async gapBeforeNewest(): Promise<CheckpointGap | undefined> {
    const { first } = await this.#topic.bounds(this.#source.partition)
    for await (const { epoch, nextOffset, manifest } of this.#newestFirst()) {
      const gap = await this.#gapAround(nextOffset)
      if (gap === undefined) continue
      return { from: BigInt(gap.from), body: await this.#bodyOf(manifest, epoch, first) }
    }
    return undefined
  }

  /** Removes checkpoints that neither a start nor a replay of the kept log needs. */
  async trim(beforeRecord: bigint): Promise<void> {
    await this.#topic.trim(this.#source.partition, beforeRecord)
  }

  #append(epoch: bigint, nextOffset: bigint, part: CheckpointPart['part']) {
    const { topic, partition } = this.#source
    const value = checkpointPartType.encode(
      { topic: topic.name, partition, epoch: Number(epoch), nextOffset: Number(nextOffset), part },
      ('weir.Chunk' in part ? part['weir.Chunk'].data.length : 0) + 512,
    )
    return this.#topic.append(partition, { value, producer: null, priority: 'control' })
  }

  /** Whole checkpoints from the beginning of the log to its end. */
  async *#forwards(): AsyncIterable<KeptCheckpoint> {
    const { first, next } = await this.#topic.bounds(this.#source.partition)
    for (let offset = first; offset < next; ) {
      const records = await this.#topic.read(this.#source.partition, offset, READ_BYTES)
      if (records.length === 0) return
      for (const record of records) {
        offset = record.offset + 1n
        const kept = await this.#keptAt(record, first)
        if (kept !== undefined) yield kept
      }
    }
  }

  /** Manifests of all checkpoints; of neighbouring ones, the newest is first. */
  async *#newestFirst(): AsyncIterable<WrittenManifest> {
    const { first, next } = await this.#topic.bounds(this.#source.partition)
    for (let below = next; below > first; ) {
      const found = await this.#manifestsBelow(below, first)
      below = found.below
      yield* found.manifests.sort((a, b) => (isNewer(a, b) ? -1 : 1))
    }
  }

  /** Manifests of some of the newest checkpoints below a record, and the place where there may be more. */
  async #manifestsBelow(
    record: bigint,
    first: bigint,
  ): Promise<{ readonly manifests: WrittenManifest[]; readonly below: bigint }> {
    const manifests: WrittenManifest[] = []
    let offset = record - 1n
    while (offset >= first && manifests.length < COMPARED_CHECKPOINTS) {
      const found = await this.#recordAt(offset)
      const manifest = found && manifestIn(found)
      if (manifest === undefined) {
        offset--
        continue
      }
      manifests.push(manifest)
      const { firstChunkOffset, chunks } = manifest.manifest
      // The checkpoint's own chunks need not be read, but records of other processes between them must be.
      const isAlone = offset - BigInt(firstChunkOffset) === BigInt(chunks)
      offset = isAlone ? BigInt(firstChunkOffset) - 1n : offset - 1n
    }
    return { manifests, below: offset + 1n }
  }

  /** The checkpoint that ends with a record; undefined for any other record, or an incomplete checkpoint. */
  async #keptAt(record: LogRecord, first: bigint): Promise<KeptCheckpoint | undefined> {
    const manifest = manifestIn(record)
    return manifest && this.#wholeOf(manifest, first)
  }

  async #wholeOf(
    { epoch, nextOffset, manifest }: WrittenManifest,
    first: bigint,
  ): Promise<KeptCheckpoint | undefined> {
    if ((await this.#gapAround(nextOffset)) !== undefined) return undefined
    const body = await this.#bodyOf(manifest, epoch, first)
    if (body === undefined) return undefined
    return { epoch, nextOffset, firstRecord: BigInt(manifest.firstChunkOffset), body }
  }

  /** If the last record before a checkpoint in a gap is lost, the record in its place shows it. */
  async #gapAround(nextOffset: bigint): Promise<Loss | undefined> {
    const { topic, partition } = this.#source
    const { first, next } = await topic.bounds(partition)
    if (nextOffset <= first || nextOffset > next) return undefined
    const [last] = await topic.read(partition, nextOffset - 1n, 1)
    const loss = last && lossIn(last)
    return loss !== undefined && nextOffset > loss.from && nextOffset <= loss.to ? loss : undefined
  }

  async #recordAt(offset: bigint): Promise<LogRecord | undefined> {
    const [record] = await this.#read(offset, 1)
    return record?.offset === offset ? record : undefined
  }

  /** A checkpoint with a damaged record is incomplete: a start then begins with the previous one. */
  async #read(offset: bigint, maxBytes: number): Promise<readonly LogRecord[]> {
    try {
      return await this.#topic.read(this.#source.partition, offset, maxBytes)
    } catch (error) {
      if (error instanceof LogError && error.code === 'LOG_CORRUPT') return []
      throw error
    }
  }

  /** Two workers may have written at once, so only the chunks of the manifest's epoch belong to it. */
  async #bodyOf(manifest: CheckpointManifest, epoch: bigint, first: bigint): Promise<Buffer | undefined> {
    let offset = BigInt(manifest.firstChunkOffset)
    if (offset < first) return undefined
    // Each chunk is copied and checked as it is read: for all of them together, other work would wait.
    const body = Buffer.allocUnsafeSlow(Math.min(manifest.bytes, manifest.chunks * PART_BYTES))
    let bytes = 0
    let checksum = 0
    for (let chunks = 0; chunks < manifest.chunks; ) {
      const records = await this.#read(offset, READ_BYTES)
      if (records.length === 0) return undefined
      for (const record of records) {
        offset = record.offset + 1n
        const part = checkpointPartType.decode(record.value)
        const chunk = 'weir.Chunk' in part.part ? part.part['weir.Chunk'] : undefined
        if (chunk === undefined || BigInt(part.epoch) !== epoch || chunk.index !== chunks) continue
        bytes += chunk.data.copy(body, bytes)
        checksum = crc32(chunk.data, checksum)
        if (++chunks === manifest.chunks) break
      }
    }
    return bytes === manifest.bytes && checksum === manifest.crc32 ? body : undefined
  }
}

interface WrittenManifest extends Pick<KeptCheckpoint, 'epoch' | 'nextOffset'> {
  readonly manifest: CheckpointManifest
}

function manifestIn({ value }: LogRecord): WrittenManifest | undefined {
  const { epoch, nextOffset, part } = checkpointPartType.decode(value)
  if (!('weir.Manifest' in part)) return undefined
  return { epoch: BigInt(epoch), nextOffset: BigInt(nextOffset), manifest: part['weir.Manifest'] }
}

function isNewer(a: WrittenManifest, b: WrittenManifest): boolean {
  return a.epoch > b.epoch || (a.epoch === b.epoch && a.nextOffset > b.nextOffset)
}
