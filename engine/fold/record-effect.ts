import type { Control } from '../../schemas/log/control.ts'
import type { Witnessed } from '../../schemas/log/loss.ts'
import type { LineBatchView } from '../lines/columns/line-batch-view.ts'
import { forgetRareMembers, readingRareMembers } from '../lines/columns/rare-members.ts'
import type { LogRecord } from '../log/log.ts'
import type { Steps } from '../steps.ts'
import type { AccountState } from './account-state.ts'
import type { FoldParts } from './fold-parts.ts'

/** The effect of one record on the parts of a fold, from the end of windows to the passing of time. */
export class RecordEffect {
  readonly #parts: FoldParts

  constructor(parts: FoldParts) {
    this.#parts = parts
  }

  /**
   * @param record    the present record
   * @param control   its content, if it is a control record
   * @param witnessed facts about lost records before it
   */
  *apply(record: LogRecord, control: Control | undefined, witnessed: readonly Witnessed[]): Steps {
    const { windows, producers, cuts } = this.#parts
    if (control !== undefined && windows.isDue) yield* windows.endDue()
    for (const { producers: positions = [], cuts: known = [] } of witnessed) {
      producers.merge(positions)
      for (const cut of known) yield* cuts.apply(cut)
    }
    if (!this.#isNew(record)) return
    if (control === undefined) yield* this.#applyContent(record)
    else if ('weir.Cut' in control.body) yield* cuts.apply(control.body['weir.Cut'])
  }

  /** Advances the time of keyed state for accounts that send nothing: once per slice, for all of them. */
  *tick(): Steps {
    const { accounts, moment, output, notePending } = this.#parts
    for (const account of accounts) {
      yield* account.tick(moment.timeMs)
      if (!account.retires) continue
      notePending(account)
      yield* account.forgetRetired(moment.timeMs, output)
      notePending(account)
    }
  }

  #isNew({ producer }: LogRecord): boolean {
    const { producers, moment } = this.#parts
    return producer === null || producers.advance(producer.id, producer.sequence, moment.timeMs)
  }

  *#applyContent(record: LogRecord): Steps {
    const { scope, moment, tables, schedule, reader } = this.#parts
    const { accounts, windows, exchange, deadLetters, notePending } = this.#parts
    if (scope === undefined) tables.lines.begin(moment.timeMs, moment.behaviour)
    schedule.noteContent()
    const content = reader.content(record)
    if (this.#parts.isPassedOver(content.account)) return
    const account = accounts.of(content.account)
    if (windows.isDue) yield* windows.endDueOf(account)
    if (content.kind === 'lines') yield* this.#applyLines(account, content.batch)
    else if (content.kind === 'rekeyed') yield* exchange.receive(account, content.rekeyed)
    else yield* deadLetters.replay(account, content.letters)
    notePending(account)
  }

  *#applyLines(account: AccountState, batch: LineBatchView): Steps {
    const { intake, moment, output } = this.#parts
    const newLines = intake.newLines(account, batch)
    yield* readingRareMembers(batch, newLines)
    account.takeIn(batch, newLines, output)
    const indexes = yield* intake.keptLines(account, batch, newLines)
    if (batch.isPushed) account.reportRefusals(batch, output)
    moment.watch?.handles?.(batch, indexes)
    yield* account.run(batch, indexes, output)
    forgetRareMembers(batch)
  }
}
