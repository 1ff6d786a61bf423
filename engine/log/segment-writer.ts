import type { OpenFile } from './file-operations.ts'

/**
 * The end of the segment that a partition appends to. After an append that failed, the file may hold any part
 * of it: nothing is written behind such a tail before it is cut off durably.
 */
export class SegmentWriter {
  readonly #file: OpenFile
  /** Length up to which the file is durable. */
  #end: number
  #tailIsUnknown = false

  constructor(file: OpenFile, end: number) {
    this.#file = file
    this.#end = end
  }

  /** One write and one flush. @throws whatever the file system throws; the bytes may then be there or not */
  async append(bytes: Buffer): Promise<void> {
    await this.repair()
    this.#tailIsUnknown = true
    await this.#file.write(bytes, this.#end)
    await this.#file.datasync()
    this.#tailIsUnknown = false
    this.#end += bytes.length
  }

  /** Cuts off what a failed append may have left. Once this resolves, nothing of it will ever be read. */
  async repair(): Promise<void> {
    if (!this.#tailIsUnknown) return
    await this.#file.truncate(this.#end)
    await this.#file.datasync()
    this.#tailIsUnknown = false
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}
