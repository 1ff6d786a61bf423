import { constants, existsSync, readFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { EndNote } from '../engine/configuration/configuration-end.ts'
import { DataDirectoryError } from './data-directory.ts'

const FILE_NAME = 'log-ends.json'
/** Maximum delay of the file behind the log. */
const LATE_MS = 50
/** Offsets have 40 bits. */
const MAX_OFFSET = 2 ** 40

interface TopicEnds {
  readonly logId: string
  /** Lowest offset, per partition, above all offsets that were ever durable. */
  readonly next: number[]
}

/**
 * Ends of the embedded log's partitions, kept beside it, so that a start knows the minimum extent of the log even without
 * the store. The file is not flushed with each append: it detects incomplete copies and folders that were restored
 * separately, and the store knows the stored records.
 */
export class LogEnds {
  readonly #path: string
  readonly #topics: Map<string, TopicEnds>
  /** Whether an earlier process wrote the file. */
  readonly isKnown: boolean
  /** Whether the file has a content that no process wrote, as after a power cut. */
  readonly isDamaged: boolean
  #isChanged = false
  #late: NodeJS.Timeout | undefined
  #file: FileHandle | undefined
  /** Length of the file's content; an older file may be longer. */
  #length: number
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: string, text: string) {
    const topics = parsed(text)
    this.#path = path
    this.#length = text.length
    this.#topics = topics ?? new Map()
    this.isKnown = topics !== undefined
    this.isDamaged = text !== '' && topics === undefined
  }

  /**
   * Reads the file; a missing or damaged one counts as empty.
   *
   * @throws DataDirectoryError when it cannot be read
   */
  static open(directory: string): LogEnds {
    const path = join(directory, FILE_NAME)
    try {
      return new LogEnds(path, existsSync(path) ? readFileSync(path, 'utf8') : '')
    } catch (cause) {
      throw new DataDirectoryError(
        `${path} cannot be read (${(cause as Error).message}): let the user that runs the server read it, or remove it. ` +
          'The server writes it again',
        { cause },
      )
    }
  }

  /** 0 when unknown. */
  of(topic: { readonly name: string; readonly logId: string }, partition: number): bigint {
    const ends = this.#topics.get(topic.name)
    return ends?.logId === topic.logId ? BigInt(ends.next[partition] ?? 0) : 0n
  }

  /** The end of a topic's only partition. */
  noteOf(topic: { readonly name: string; readonly logId: string; readonly partitions: number }): EndNote {
    return {
      place: FILE_NAME,
      read: () => this.of(topic, 0),
      note: next => {
        this.note(topic, 0, next)
        return this.#writeNow()
      },
    }
  }

  /** Ends only rise: a log that lost its end does not lower them. */
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

  /** Writes the present ends durably. A failing disk does not prevent a stop. */
  async close(): Promise<void> {
    if (this.#isChanged) await this.#writeNow()
    await this.#file?.sync().catch(() => undefined)
    await this.#file?.close()
  }

  async #writeNow(): Promise<void> {
    clearTimeout(this.#late)
    this.#write()
    await this.#writing
  }

  /**
   * Writes in place and at once, so that the disk's journal has nothing to do; a torn file counts as empty at the next
   * start.
   */
  #write(): void {
    this.#late = undefined
    const write = async () => {
      this.#file ??= await open(this.#path, constants.O_WRONLY | constants.O_CREAT, 0o600)
      const text = this.#text().padEnd(this.#length)
      this.#length = text.length
      await this.#file.write(text, 0)
    }
    // A failed write is repeated with the next one.
    this.#writing = this.#writing.then(write).catch(() => undefined)
  }

  #text(): string {
    return `${JSON.stringify(Object.fromEntries(this.#topics))}\n`
  }
}

/** @returns undefined when any part of it is not as this class writes it: the rest is not trusted either */
function parsed(text: string): Map<string, TopicEnds> | undefined {
  try {
    const topics = new Map(Object.entries(JSON.parse(text) as Record<string, unknown>))
    return [...topics.values()].every(areEnds) ? (topics as Map<string, TopicEnds>) : undefined
  } catch {
    return undefined
  }
}

function areEnds(value: unknown): value is TopicEnds {
  const { logId, next } = (value ?? {}) as Partial<Record<keyof TopicEnds, unknown>>
  return typeof logId === 'string' && Array.isArray(next) && next.every(isOffset)
}

function isOffset(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_OFFSET
}
