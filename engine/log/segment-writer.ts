import type { OpenFile } from './file-operations.ts'

/** Bytes behind the durable end: none, those of a crash before this process, or those of an append that failed. */
type Tail = 'none' | 'found' | 'failed'

/**
 * The end of the segment that a partition appends to. After a crash or a failed append, the file may contain any part of
 * an append. Nothing is written after such a tail before it is durably cut off. A found tail stays until then, so that a
 * process that appends nothing changes nothing.
 */
export class SegmentWriter {
  readonly #file: OpenFile
  /** Durable length of the file. */
  #end: number
  #tail: Tail

  constructor(file: OpenFile, end: number, tail: 'none' | 'found' = 'none') {
    this.#file = file
    this.#end = end
    this.#tail = tail
  }

  /** One durable write. @throws errors of the file system; the bytes may then have been written or not */
  async append(bytes: Buffer): Promise<void> {
    await this.repair()
    this.#tail = 'failed'
    await this.#file.append(bytes, this.#end)
    this.#tail = 'none'
    this.#end += bytes.length
  }

  /** Cuts off the remains of a crash or a failed append. Once this resolves, they will never be read. */
  async repair(): Promise<void> {
    if (this.#tail === 'none') return
    await this.#file.truncate(this.#end)
    await this.#file.datasync()
    this.#tail = 'none'
  }

  /** Cuts off the remains of a failed append if possible. Its outcome is unknown: the next start may keep them. */
  async close(): Promise<void> {
    if (this.#tail === 'failed') await this.repair().catch(() => undefined)
    await this.#file.close()
  }
}
