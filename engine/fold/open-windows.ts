import type { Steps } from '../steps.ts'
import type { AccountOutput } from './account-output.ts'
import type { AccountState } from './account-state.ts'
import type { Accounts } from './accounts.ts'
import type { FoldMoment } from './fold-moment.ts'

/**
 * The windows of all accounts of a partition, and the time at which the next one ends. Windows of an account end before a
 * record's effect on it, those of other accounts after it. Rows of an account therefore do not depend on others, and a
 * fold of that account alone gives the same.
 */
export class OpenWindows {
  readonly #accounts: Accounts
  readonly #moment: FoldMoment
  readonly #output: AccountOutput
  readonly #notePending: (account: AccountState) => void
  #endMs = Number.POSITIVE_INFINITY

  constructor(
    accounts: Accounts,
    moment: FoldMoment,
    output: AccountOutput,
    notePending: (account: AccountState) => void,
  ) {
    this.#accounts = accounts
    this.#moment = moment
    this.#output = output
    this.#notePending = notePending
  }

  /** Log time before which no window ends, UNIX ms; Infinity: none is open. */
  get endMs(): number {
    return this.#endMs
  }

  /** Whether a window may end now; most records end none. */
  get isDue(): boolean {
    return this.#moment.timeMs >= this.#endMs
  }

  /** Notes that windows of the account may have been opened. */
  note(account: AccountState): void {
    this.#endMs = Math.min(this.#endMs, account.windowsEndMs)
  }

  /** Examines all accounts. */
  noteAll(): void {
    this.#endMs = this.#accounts.windowsEndMs
  }

  /** Ends the due windows of one account. */
  *endDueOf(account: AccountState): Steps {
    const { timeMs } = this.#moment
    if (timeMs < account.windowsEndMs) return
    yield* account.endDueWindows(timeMs, this.#output)
    this.#notePending(account)
  }

  /** Ends the due windows of all accounts, together with those that their results open behind them and that are due as well. */
  *endDue(): Steps {
    const { timeMs } = this.#moment
    do {
      for (const account of this.#accounts.withWindowsDue(timeMs)) {
        yield* account.endDueWindows(timeMs, this.#output)
        this.#notePending(account)
      }
      this.noteAll()
    } while (this.#endMs <= timeMs)
  }
}
