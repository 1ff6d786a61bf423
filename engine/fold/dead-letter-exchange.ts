import type { DeadLetters, FailedEvents } from '../../schemas/log/dead-letters.ts'
import type { Position } from '../../schemas/log/position.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import type { NodeError } from '../graph/compile-graph.ts'
import type { Steps } from '../steps.ts'
import type { AccountOutput, AccountState } from './account-state.ts'
import { lettersIn } from './dead-letter.ts'
import type { FoldSeat } from './spread/key-placement.ts'
import type { Outbox, Target } from './spread/outbox.ts'

/** What dead letters need of the fold that they come from. */
export interface LetterWritingFold {
  /** A position for the next thing that the record in hand yields. */
  nextPosition(): Position
  /** Of the events that the record in hand brings, see `Event.isExact`. */
  isExact(): boolean
  readonly output: AccountOutput
  readonly outbox: Outbox
}

/** Events that fail here, and those that are run on here once more. */
export class DeadLetterExchange {
  readonly #seat: FoldSeat
  readonly #fold: LetterWritingFold

  constructor(seat: FoldSeat, fold: LetterWritingFold) {
    this.#seat = seat
    this.#fold = fold
  }

  /** Takes events of a revision that fail; undefined where the pipeline does not ask for that. */
  taker(account: AccountState, pipeline: string, version: number): ((error: NodeError) => void) | undefined {
    if (!account.deadLetters.isEnabled(pipeline)) return undefined
    return ({ nodeId: node, code, field, message, event }) => {
      const { topic, partition } = this.#seat
      const { offset, row } = this.#fold.nextPosition()
      const failedAtMs = this.#fold.output.timeMs()
      const failure = { offset: Number(offset), row, failedAtMs, code, field, message, event }
      const letter = { topic, partition, pipeline, version, node, ...failure }
      this.#fold.outbox.addDeadLetter(this.#targetOf(account), account.account, letter)
    }
  }

  /** Runs letters on that were not before, from the node that failed, in the present revision. */
  *replay(account: AccountState, { parts }: DeadLetters): Steps {
    for (const part of parts) {
      if ('weir.FailedEvents' in part) yield* this.#replayPart(account, part['weir.FailedEvents'])
    }
  }

  *#replayPart(account: AccountState, part: FailedEvents): Steps {
    const { topic, partition, pipeline, node } = part
    const version = account.versionWith(pipeline, node)
    // A letter whose node is not there stays one: another revision may have it again.
    if (version === undefined) return
    const { output, outbox } = this.#fold
    const fresh = lettersIn(part, this.#fold.isExact()).filter(letter =>
      account.deadLetters.advance(letter, letter.failedAtMs, output.timeMs()),
    )
    if (fresh.length === 0) return
    const positions = fresh.map(({ offset, row }) => ({ offset, row }))
    const replay = { topic, partition, version, replayedAtMs: output.timeMs(), positions }
    outbox.addReplay(this.#targetOf(account), account.account, replay)
    yield* account.resume(
      { pipeline, version, node },
      fresh.map(({ event }) => event),
      output,
    )
  }

  #targetOf({ account }: AccountState): Target {
    return { topic: 'deadLetters', partition: partitionOfAccount(account, this.#seat.partitions) }
  }
}
