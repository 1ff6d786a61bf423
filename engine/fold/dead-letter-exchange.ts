import type { DeadLetters, FailedEvents } from '../../schemas/log/dead-letters.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import type { NodeError } from '../graph/compile-graph.ts'
import type { Steps } from '../steps.ts'
import type { AccountOutput } from './account-output.ts'
import type { AccountState } from './account-state.ts'
import { lettersIn } from './dead-letter.ts'
import type { FoldMoment } from './fold-moment.ts'
import type { FoldSeat } from './spread/key-placement.ts'
import type { Outbox } from './spread/outbox.ts'
import type { Target } from './spread/target.ts'

/** The parts of a fold that its dead letters need. */
export interface LetterWritingFold {
  readonly moment: FoldMoment
  readonly output: AccountOutput
  readonly outbox: Outbox
}

/** Events that fail here, and failed events that are replayed here. */
export class DeadLetterExchange {
  readonly #seat: FoldSeat
  readonly #fold: LetterWritingFold

  constructor(seat: FoldSeat, fold: LetterWritingFold) {
    this.#seat = seat
    this.#fold = fold
  }

  /** Receives failed events of a revision; undefined if the pipeline does not keep them. */
  taker(account: AccountState, pipeline: string, version: number): ((error: NodeError) => void) | undefined {
    if (!account.deadLetters.isEnabled(pipeline)) return undefined
    return ({ nodeId: node, code, field, message, event }) => {
      const { topic, partition } = this.#seat
      const { offset, row } = this.#fold.moment.nextPosition()
      const failedAtMs = this.#fold.moment.timeMs
      const failure = { offset: Number(offset), row, failedAtMs, code, field, message, event }
      const letter = { topic, partition, pipeline, version, node, ...failure }
      this.#fold.outbox.addDeadLetter(this.#targetOf(account), account.account, letter)
    }
  }

  /** Replays letters that were not replayed before, from the node that failed, in the present revision. */
  *replay(account: AccountState, { parts }: DeadLetters): Steps {
    for (const part of parts) {
      if ('weir.FailedEvents' in part) yield* this.#replayPart(account, part['weir.FailedEvents'])
    }
  }

  *#replayPart(account: AccountState, part: FailedEvents): Steps {
    const { topic, partition, pipeline, node } = part
    const version = account.versionWith(pipeline, node)
    // A letter whose node does not exist stays a letter: another revision may contain it again.
    if (version === undefined) return
    const { moment, output, outbox } = this.#fold
    const fresh = lettersIn(part, this.#fold.moment.isExact).filter(letter =>
      account.deadLetters.advance(letter, letter.failedAtMs, moment.timeMs),
    )
    if (fresh.length === 0) return
    const positions = fresh.map(({ offset, row }) => ({ offset, row }))
    const replay = { topic, partition, version, replayedAtMs: moment.timeMs, positions }
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
