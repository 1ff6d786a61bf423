import type { DeadLetters, FailedEvents, ReplayedEvents } from '../../../schemas/log/dead-letters.ts'
import type { NodeError } from '../../graph/compile-graph.ts'
import type { Steps } from '../../steps.ts'
import type { AccountOutput } from '../account-output.ts'
import type { AccountState } from '../account-state.ts'
import type { FoldMoment } from '../fold-moment.ts'
import type { PartitionName } from '../run-watch.ts'
import { type DeadLetter, lettersIn } from './dead-letter.ts'

/** The parts of a fold that its dead letters need. */
export interface LetterWritingFold {
  readonly moment: FoldMoment
  readonly output: AccountOutput
  readonly mail: LetterMail
}

/** Sends dead letters, and their replays, to the partition that keeps those of the account. */
export interface LetterMail {
  addDeadLetter(account: string, letter: DeadLetter): void
  addReplay(account: string, replay: ReplayedEvents): void
}

/** Events that fail here, and failed events that are replayed here. */
export class DeadLetterExchange {
  readonly #partition: PartitionName
  readonly #fold: LetterWritingFold

  constructor(partition: PartitionName, fold: LetterWritingFold) {
    this.#partition = partition
    this.#fold = fold
  }

  /** Receives failed events of a revision; undefined if the pipeline does not keep them. */
  taker(account: AccountState, pipeline: string, version: number): ((error: NodeError) => void) | undefined {
    if (!account.deadLetters.isEnabled(pipeline)) return undefined
    return ({ nodeId: node, code, field, message, event }) => {
      const { topic, partition } = this.#partition
      const { offset, row } = this.#fold.moment.nextPosition()
      const failedAtMs = this.#fold.moment.timeMs
      const failure = { offset: Number(offset), row, failedAtMs, code, field, message, event }
      const letter = { topic, partition, pipeline, version, node, ...failure }
      this.#fold.mail.addDeadLetter(account.account, letter)
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
    const { moment, output, mail } = this.#fold
    const fresh = lettersIn(part, this.#fold.moment.forms).filter(letter =>
      account.deadLetters.advance(letter, letter.failedAtMs, moment.timeMs),
    )
    if (fresh.length === 0) return
    const positions = fresh.map(({ offset, row }) => ({ offset, row }))
    const replay = { topic, partition, version, replayedAtMs: moment.timeMs, positions }
    mail.addReplay(account.account, replay)
    yield* account.resume(
      { pipeline, version, node },
      fresh.map(({ event }) => event),
      output,
    )
  }
}
