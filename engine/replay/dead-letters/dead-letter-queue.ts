import { deadLettersType } from '../../../schemas/log/dead-letters.ts'
import { partitionOfAccount } from '../../../schemas/log/topics.ts'
import type { Clock } from '../../clock/clock.ts'
import { type DeadLetter, deadLetterValues, lettersIn } from '../../fold/dead-letter.ts'
import { LogError, type Topic } from '../../log/log.ts'
import { DeadLetterIndex, type KnownLetter, type LetterPlace, type Replayed } from './dead-letter-index.ts'

/** Accounts whose letters are remembered; they are read anew when they are asked for again. */
const MAX_INDEXES = 4
/** Letters that are held at a time while they are sent once more. */
const REPLAY_LETTERS = 1_000
/** Clients of the API give up after 15 s. */
const PATIENCE_MS = 5_000

export interface DeadLetterTopics {
  readonly topic: Topic
  /** With as many partitions. */
  readonly ingest: Topic
}

/** A letter as it stands now. */
export interface FoundLetter extends KnownLetter {
  readonly replayed: Replayed | undefined
}

/** What a letter must be to be found. */
export type LetterCondition = (letter: FoundLetter) => boolean

/** The dead letters of accounts, for people: reads the topic and asks for replays; the folds decide. */
export class DeadLetterQueue {
  readonly #topics: DeadLetterTopics
  readonly #clock: Clock
  /** By account; those that were asked for last come last. */
  readonly #indexes = new Map<string, DeadLetterIndex>()

  constructor(topics: DeadLetterTopics, clock: Clock) {
    this.#topics = topics
    this.#clock = clock
  }

  /** Letters of an account, newest first, as many as the caller takes. @throws LogError as `Topic.read` */
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

  /** The letters with their events, in the order given. Those that the log has let go of meanwhile are left out. */
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
   * Sends letters once more through the present revisions of their pipelines, oldest first. What was sent before is
   * told by the fold, so a call may be repeated.
   *
   * @returns how many of them a revision has taken; of the others that is not known yet
   * @throws LogError as `Topic.append`
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

  /** Waits, some seconds at most, until revisions have taken the letters. @returns how many of them */
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
