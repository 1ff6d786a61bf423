import { deadLettersType, type FailedEvents, type ReplayedEvents } from '../../../schemas/log/dead-letters.ts'
import { InTurn } from '../../configuration/in-turn.ts'
import type { FailedNode, LetterOrigin } from '../../fold/dead-letters/dead-letter.ts'
import { LogError, type LogRecord, type Topic } from '../../log/log.ts'
import { LONG_READ_BYTES } from '../../log/records-between.ts'

/** Maximum number of letters per account; older ones are forgotten. */
const MAX_LETTERS = 200_000
/** Number of letters that are forgotten together. */
const LETTERS_AT_ONCE = 20_000

/** Place of a letter on the log. */
export interface LetterPlace {
  readonly recordOffset: bigint
  /** Number among the letters of the record. */
  readonly index: number
}

/** A dead letter without its event. */
export interface KnownLetter extends LetterOrigin, FailedNode, LetterPlace {
  readonly failedAtMs: number
  readonly code: string
}

/** Letters that a revision has processed again. */
export interface Replayed {
  readonly version: number
  readonly replayedAtMs: number
}

/**
 * Index of one account's dead letters on its partition, as far as it was read. Each letter counts once, although it may
 * be written several times. Writers start again at a place before which everything is written. A letter of a source that
 * is not above all its others is therefore a repeat.
 */
export class DeadLetterIndex {
  readonly #topic: Topic
  readonly #partition: number
  readonly #account: string
  readonly #turns = new InTurn()
  /** Letters, oldest first. */
  #letters: KnownLetter[] = []
  /** Highest position of every source. */
  readonly #passed = new Map<string, { readonly offset: number; readonly row: number }>()
  readonly #replayed = new Map<string, Replayed & { readonly recordOffset: bigint }>()
  /** Shared strings: the same few words occur in all letters. */
  readonly #words = new Map<string, string>()
  #nextOffset = 0n

  constructor(topic: Topic, partition: number, account: string) {
    this.#topic = topic
    this.#partition = partition
    this.#account = account
  }

  /** First offset that has not been read. */
  get nextOffset(): bigint {
    return this.#nextOffset
  }

  /** Letters, oldest first. */
  get letters(): readonly KnownLetter[] {
    return this.#letters
  }

  replayed(letter: LetterOrigin): Replayed | undefined {
    return this.#replayed.get(keyOf(letter))
  }

  /** Reads the letters written since the last call. @throws LogError like `Topic.read` */
  refresh(): Promise<void> {
    return this.#turns.run('refresh', () => this.#refresh())
  }

  async #refresh(): Promise<void> {
    const { first, next } = await this.#topic.bounds(this.#partition)
    this.#forgetBelow(first)
    try {
      while (this.#nextOffset < next) {
        const records = await this.#topic.read(this.#partition, this.#nextOffset, LONG_READ_BYTES)
        for (const record of records) this.#take(record)
        if (records.length === 0) return
      }
    } catch (error) {
      // The records were trimmed in the meantime.
      if (error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE') return this.#refresh()
      throw error
    }
  }

  #take({ offset, value }: LogRecord): void {
    this.#nextOffset = offset + 1n
    const { account, parts } = deadLettersType.decode(value)
    if (account !== this.#account) return
    let first = 0
    for (const part of parts) {
      if ('weir.ReplayedEvents' in part) {
        this.#noteReplayed(part['weir.ReplayedEvents'], offset)
      } else {
        this.#addLetters(part['weir.FailedEvents'], offset, first)
        first += part['weir.FailedEvents'].failures.length
      }
    }
    if (this.#letters.length > MAX_LETTERS + LETTERS_AT_ONCE)
      this.#letters = this.#letters.slice(-MAX_LETTERS)
  }

  #addLetters(part: FailedEvents, recordOffset: bigint, first: number): void {
    const { partition, version } = part
    const topic = this.#word(part.topic)
    const pipeline = this.#word(part.pipeline)
    const node = this.#word(part.node)
    const source = `${topic} ${partition}`
    for (const [index, { offset, row, failedAtMs, code }] of part.failures.entries()) {
      const passed = this.#passed.get(source)
      if (passed !== undefined && (offset < passed.offset || (offset === passed.offset && row <= passed.row)))
        continue
      this.#passed.set(source, { offset, row })
      const place = { recordOffset, index: first + index }
      const origin = { topic, partition, offset, row }
      this.#letters.push({ ...origin, ...place, pipeline, version, node, failedAtMs, code: this.#word(code) })
    }
  }

  #noteReplayed(part: ReplayedEvents, recordOffset: bigint): void {
    const { topic, partition, version, replayedAtMs, positions } = part
    for (const { offset, row } of positions) {
      const key = keyOf({ topic, partition, offset, row })
      if (!this.#replayed.has(key)) this.#replayed.set(key, { version, replayedAtMs, recordOffset })
    }
  }

  #forgetBelow(first: bigint): void {
    if (this.#nextOffset < first) this.#nextOffset = first
    if ((this.#letters[0]?.recordOffset ?? first) < first)
      this.#letters = this.#letters.filter(({ recordOffset }) => recordOffset >= first)
    for (const [key, { recordOffset }] of this.#replayed) {
      if (recordOffset >= first) break // they were noted in the order of the log
      this.#replayed.delete(key)
    }
  }

  #word(word: string): string {
    const known = this.#words.get(word)
    if (known === undefined) this.#words.set(word, word)
    return known ?? word
  }
}

function keyOf({ topic, partition, offset, row }: LetterOrigin): string {
  return `${topic} ${partition} ${offset} ${row}`
}
