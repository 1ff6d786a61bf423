import { deadLettersType } from '../../../schemas/log/dead-letters.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { Clock } from '../../clock/clock.ts'
import { type DeadLetter, deadLetterValues, lettersIn } from '../../fold/dead-letters/dead-letter.ts'
import { LogError, type Topic } from '../../log/log.ts'
import { DeadLetterIndex, type KnownLetter, type LetterPlace, type Replayed } from './dead-letter-index.ts'

/** Number of accounts whose letters are remembered; others are read again on request. */
const MAX_INDEXES = 4
/** Number of letters that are held at a time while they are sent again. */
const REPLAY_LETTERS = 1_000
/** Time limit of a wait: clients of the API give up after 15 s. */
const PATIENCE_MS = 5_000

export interface DeadLetterTopics {
  readonly topic: Topic
  /** Topic of the lines, with the same number of partitions. */
  readonly ingest: Topic
}

/** A letter in its present state. */
export interface FoundLetter extends KnownLetter {
  readonly replayed: Replayed | undefined
}

/** Condition that selects letters. */
export type LetterCondition = (letter: FoundLetter) => boolean

/** The dead letters of accounts, for people. It reads the topic and requests replays; the folds decide. */
export class DeadLetterQueue {
  readonly #topics: DeadLetterTopics
  readonly #clock: Clock
  /** Indexes by account, the most recently used ones last. */
  readonly #indexes = new Map<string, DeadLetterIndex>()

  constructor(topics: DeadLetterTopics, clock: Clock) {
    this.#topics = topics
    this.#clock = clock
  }

  /** Letters of an account, newest first; the caller takes any number of them. @throws LogError like `Topic.read` */
  async *find(
    account: string,
    condition: LetterCondition,
    before?: LetterPlace,
  ): AsyncGenerator<FoundLetter> {
    const index = this.#indexOf(account)
    await index.refresh()
    const { letters } = index
    for (let at = letters.length - 1; at >= 0; at--) {
      const letter = letters[at] as KnownLetter
      if (before !== undefined && !isBefore(letter, before)) continue
      const found = { ...letter, replayed: index.replayed(letter) }
      if (condition(found)) yield found
    }
  }

  /** The letters with their events, in the given order. Letters that the log has removed since are left out. */
  async *read<Letter extends KnownLetter>(
    account: string,
    letters: Iterable<Letter>,
  ): AsyncGenerator<readonly [Letter, DeadLetter]> {
    let held: { readonly offset: bigint; readonly letters: readonly DeadLetter[] } | undefined
    for (const known of letters) {
      const { recordOffset, index } = known
      if (held?.offset !== recordOffset)
        held = { offset: recordOffset, letters: await this.#lettersAt(account, recordOffset) }
      const letter = held.letters[index]
      if (letter !== undefined) yield [known, letter]
    }
  }

  /**
   * Sends letters again through the present revisions of their pipelines, oldest first. The fold recognises letters that
   * were already sent, so a call can be repeated.
   *
   * @returns number of letters that a revision has processed; for the others it is not known yet
   * @throws LogError like `Topic.append`
   */
  async replay(account: string, letters: readonly KnownLetter[]): Promise<number> {
    const ordered = letters.toSorted((a, b) => (isBefore(a, b) ? -1 : 1))
    let waiting: DeadLetter[] = []
    const send = async () => {
      for (const value of deadLetterValues(account, waiting)) await this.#append(account, value)
      waiting = []
    }
    for await (const [, letter] of this.read(account, ordered)) {
      waiting.push(letter)
      if (waiting.length === REPLAY_LETTERS) await send()
    }
    await send()
    return this.#whenReplayed(account, letters)
  }

  async #append(account: string, value: Buffer): Promise<void> {
    const partition = this.#partitionOf(account)
    await this.#topics.ingest.append(partition, { value, producer: null, priority: 'ingest' })
  }

  /** Waits at most some seconds until revisions have processed the letters. @returns how many of them */
  async #whenReplayed(account: string, letters: readonly KnownLetter[]): Promise<number> {
    const index = this.#indexOf(account)
    const over = new AbortController()
    const late = this.#clock.sleep(PATIENCE_MS, over.signal).then(() => over.abort())
    try {
      for (;;) {
        await index.refresh()
        const taken = letters.filter(letter => index.replayed(letter) !== undefined).length
        if (taken === letters.length || over.signal.aborted) return taken
        const { topic } = this.#topics
        await topic.waitBeyond(this.#partitionOf(account), index.nextOffset, over.signal)
      }
    } finally {
      over.abort()
      await late
    }
  }

  async #lettersAt(account: string, offset: bigint): Promise<readonly DeadLetter[]> {
    try {
      const [record] = await this.#topics.topic.read(this.#partitionOf(account), offset, 1)
      if (record?.offset !== offset) return []
      const { parts } = deadLettersType.decode(record.value)
      return parts.flatMap(part => ('weir.FailedEvents' in part ? lettersIn(part['weir.FailedEvents']) : []))
    } catch (error) {
      if (error instanceof LogError && error.code === 'LOG_OFFSET_OUT_OF_RANGE') return []
      throw error
    }
  }

  #indexOf(account: string): DeadLetterIndex {
    const { topic } = this.#topics
    const index =
      this.#indexes.get(account) ?? new DeadLetterIndex(topic, this.#partitionOf(account), account)
    this.#indexes.delete(account)
    this.#indexes.set(account, index)
    for (const known of this.#indexes.keys()) {
      if (this.#indexes.size <= MAX_INDEXES) break
      this.#indexes.delete(known)
    }
    return index
  }

  #partitionOf(account: string): number {
    return partitionOfAccount(account, this.#topics.topic.partitions)
  }
}

function isBefore(a: LetterPlace, b: LetterPlace): boolean {
  return a.recordOffset < b.recordOffset || (a.recordOffset === b.recordOffset && a.index < b.index)
}
