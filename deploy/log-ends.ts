import { constants, existsSync, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

const FILE_NAME = 'log-ends.json'
/** How much the file may be behind the log while it is written. */
const LATE_MS = 50

interface TopicEnds {
  readonly logId: string
  /** By partition, the lowest offset beyond all that was ever durable. */
  readonly next: number[]
}

/**
 * Where the partitions of the embedded log end, kept beside it: so a start knows what the log must have, also while the
 * store cannot be asked. It is not flushed to the disk with each append: what it is for are copies that lack a part and
 * folders that were put back alone, and the store knows of what is stored.
 */
export class LogEnds {
  readonly #path: string
  readonly #topics: Map<string, TopicEnds>
  /** Whether an earlier process has left any. */
  readonly isKnown: boolean
  #isChanged = false
  #late: NodeJS.Timeout | undefined
  #file: FileHandle | undefined
  /** Of what the file has: an older one may be longer. */
  #length: number
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, text: string) {
    const topics = parsed(text)
    this.#path = path
    this.#length = text.length
    this.#topics = topics ?? new Map()
    this.isKnown = topics !== undefined
  }

  /** A file that is not there, or damaged, tells nothing. */
  static open(directory: string): LogEnds {
    const path = join(directory, FILE_NAME)
    return new LogEnds(path, existsSync(path) ? readFileSync(path, 'utf8') : '')
  }

  /** 0 when nothing is known. */
  of(topic: { readonly name: string; readonly logId: string }, partition: number): bigint {
    const ends = this.#topics.get(topic.name)
    return ends?.logId === topic.logId ? BigInt(ends.next[partition] ?? 0) : 0n
  }

  /** Ends only ever rise: a log that lacks its end does not make it forgotten. */
  note(
    topic: { readonly name: string; readonly logId: string; readonly partitions: number },
    partition: number,
    next: bigint,
  ) {
    let ends = this.#topics.get(topic.name)
    if (ends?.logId !== topic.logId) {
      ends = { logId: topic.logId, next: Array.from({ length: topic.partitions }, () => 0) }
      this.#topics.set(topic.name, ends)
    }
    if (Number(next) <= (ends.next[partition] ?? 0)) return
    ends.next[partition] = Number(next)
    this.#isChanged = true
    this.#late ??= setTimeout(() => this.#write(), LATE_MS).unref()
  }

  /** Writes what is known now, durably. A disk that cannot keeps nobody from stopping. */
  async close(): Promise<void> {
    clearTimeout(this.#late)
    if (this.#isChanged) this.#write()
    await this.#writing
    await this.#file?.sync().catch(() => undefined)
    await this.#file?.close()
  }

  /** In place and at once, so that the disk's journal has nothing to do; a torn one tells nothing to the next start. */
  #write(): void {
    this.#late = undefined
    const write = async () => {
      this.#file ??= await open(this.#path, constants.O_WRONLY | constants.O_CREAT, 0o600)
      const text = this.#text().padEnd(this.#length)
      this.#length = text.length
      await this.#file.write(text, 0)
    }
    // What cannot be written now is written with the next.
    this.#writing = this.#writing.then(write).catch(() => undefined)
  }

  #text(): string {
    return `${JSON.stringify(Object.fromEntries(this.#topics))}\n`
  }
}

function parsed(text: string): Map<string, TopicEnds> | undefined {
  try {
    return new Map(Object.entries(JSON.parse(text) as Record<string, TopicEnds>))
  } catch {
    return undefined
  }
}
