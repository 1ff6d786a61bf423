import { Event } from '../event/event.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import { EVENT_UNITS, MEMBER_BYTE_UNITS, type Steps } from '../steps.ts'
import type { AccountState } from './account-state.ts'
import type { FoldMoment } from './fold-moment.ts'
import { judgedArrival } from './rules/line-rules.ts'
import { LineStand } from './tailed-line.ts'

/** Decides which lines of a record are handled: neither repeats nor lines that a rule drops entirely. */
export class LineIntake {
  readonly #partition: number
  readonly #moment: FoldMoment
  /** Stand for judged lines, with field names of its own: such a line may never be stored, and is not part of the state. */
  readonly #arrivals: LineStand

  constructor(catalogue: Catalogue, partition: number, moment: FoldMoment) {
    this.#arrivals = new LineStand(catalogue)
    this.#partition = partition
    this.#moment = moment
  }

  /** Indexes of the lines that do not repeat a request with the same idempotency key. */
  newLines(account: AccountState, batch: LineBatchView): number[] {
    const indexes: number[] = []
    let first = 0
    for (const request of batch.requests) {
      const end = first + request.lines
      const isNew =
        request.idempotency === null || account.keys.advance(request.idempotency, this.#moment.timeMs)
      for (let index = first; isNew && index < end; index++) indexes.push(index)
      first = end
    }
    return indexes
  }

  /** Indexes of the lines that no rule drops entirely; the dropped lines count as not sent. */
  *keptLines(account: AccountState, batch: LineBatchView, indexes: number[]): Steps<number[]> {
    const { rules, retentionDays } = account
    // Rules concern lines of a log: an event of a gateway route becomes a line only where it is stored.
    if (batch.isPushed) return indexes.filter(index => batch.refusalText(index) === '')
    if (!rules.anyOnArrival) return indexes
    const moment = this.#moment
    const { timeMs, offset, behaviour, watch, stretch } = moment
    const place = { partition: this.#partition, offset, timeMs, retentionDays, behaviour }
    const kept: number[] = []
    for (const [row, index] of indexes.entries()) {
      const line = judgedArrival(this.#arrivals.line(batch, index, { ...place, row }))
      const { bytes, rareBytes } = Event.ofLine(batch, index)
      const exclusion = rules.judgeArrival(line, { timeMs, bytes, meter: account.ruleMeter(moment) })
      if (exclusion === undefined) kept.push(index)
      else watch?.dropped?.(batch, index, exclusion)
      stretch.left -= EVENT_UNITS + (bytes + rareBytes) * MEMBER_BYTE_UNITS
      if (stretch.left > 0) continue
      yield
      stretch.begin()
    }
    return kept
  }
}
