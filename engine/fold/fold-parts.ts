import { THIRTEENTH_BEHAVIOUR, TWELFTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import type { Event } from '../event/event.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { AccountOutput } from './account-output.ts'
import type { AccountState } from './account-state.ts'
import { Accounts } from './accounts.ts'
import { AppliedCuts } from './applied-cuts.ts'
import { CheckpointSchedule } from './checkpoint/checkpoint-schedule.ts'
import { DeadLetterExchange } from './dead-letters/dead-letter-exchange.ts'
import { FoldMoment } from './fold-moment.ts'
import { LineIntake } from './line-intake.ts'
import { LineOutput } from './line-output.ts'
import type { PendingNodeActivity } from './node-activity.ts'
import { OpenWindows } from './open-windows.ts'
import { RecordReader } from './record-reader.ts'
import { Producers } from './repeats.ts'
import { RunPlaces } from './run-places.ts'
import type { FoldMail } from './spread/fold-mail.ts'
import type { FoldPartition } from './spread/key-placement.ts'
import { KeyedExchange } from './spread/keyed-exchange.ts'
import type { HandingNode } from './spread/outgoing-mail.ts'
import { OpenTables } from './tables/open-tables.ts'

export interface FoldIdentity extends FoldPartition {
  readonly logId: string
}

/** Restricts a fold, for callers that need the result of some lines again. */
export interface FoldScope {
  /** Lines of other accounts are left out. */
  readonly account: string
}

/** The parts of the fold of a partition. */
export interface FoldParts {
  readonly identity: FoldIdentity
  readonly scope: FoldScope | undefined
  readonly moment: FoldMoment
  readonly places: RunPlaces
  readonly tables: OpenTables
  readonly schedule: CheckpointSchedule
  readonly producers: Producers
  readonly reader: RecordReader
  readonly intake: LineIntake
  readonly accounts: Accounts
  readonly output: AccountOutput
  readonly windows: OpenWindows
  readonly exchange: KeyedExchange
  readonly deadLetters: DeadLetterExchange
  readonly cuts: AppliedCuts
  /** Whether the scope leaves an account out. */
  isPassedOver(account: string): boolean
  /** Collects the counts of an account, and notes its windows. */
  notePending(account: AccountState): void
}

export function foldParts(
  catalogue: Catalogue,
  identity: FoldIdentity,
  scope: FoldScope | undefined,
): FoldParts {
  const moment = new FoldMoment()
  const places = new RunPlaces(identity, moment)
  const tables = new OpenTables()
  const accounts = new Accounts(catalogue, identity, scope?.account)
  const { activity } = tables.minute
  const isPassedOver = (account: string) => scope !== undefined && scope.account !== account
  const notePending = (account: AccountState) => {
    windows.note(account)
    collectActivity(account, activity, moment)
  }
  const output: AccountOutput = {
    moment,
    lines: new LineOutput(identity, moment, tables, scope === undefined),
    report: (name, error) => activity.addError(name, error, moment),
    elsewhere: (account, ...revision) => exchange.elsewhere(accounts.of(account), ...revision),
    deadLetterTaker: (account, ...revision) => deadLetters.taker(accounts.of(account), ...revision),
    handOver: (account, from, events) => handOver(exchange.mail, moment, account, from, events),
    placeOf: (pipeline, version) => places.of(pipeline, version),
  }
  const windows = new OpenWindows(accounts, moment, output, notePending)
  const exchange = new KeyedExchange(catalogue, identity, {
    moment,
    output,
    applyForwarded: cut => cuts.applyForwarded(cut),
    cutsOf: account => cuts.ofAccount(account),
  })
  const deadLetters = new DeadLetterExchange(identity, { moment, output, mail: exchange.mail })
  const cuts = new AppliedCuts({
    accounts,
    output,
    watch: () => moment.watch,
    timeMs: () => moment.timeMs,
    isPassedOver,
    notePending,
    forward: (account, cut) => exchange.cutApplied(account, cut),
    spread: (account, isSpread) => exchange.spread(account, isSpread),
    deleted(account, pipeline) {
      if (moment.behaviour >= THIRTEENTH_BEHAVIOUR)
        exchange.mail.addDeletion(account, pipeline, moment.nextPosition())
    },
  })
  return {
    identity,
    scope,
    moment,
    places,
    tables,
    schedule: new CheckpointSchedule(),
    producers: new Producers(),
    reader: new RecordReader(identity, moment),
    intake: new LineIntake(catalogue, identity.partition, moment),
    accounts,
    output,
    windows,
    exchange,
    deadLetters,
    cuts,
    isPassedOver,
    notePending,
  }
}

/** Adds the counts that an account has collected to those of the open minute. */
function collectActivity(
  account: AccountState,
  activity: PendingNodeActivity,
  { behaviour }: FoldMoment,
): void {
  for (const { activity: counts, output, ...name } of account.takeActivity()) {
    if (output === undefined) activity.add(name, counts)
    else if (behaviour >= TWELFTH_BEHAVIOUR) activity.noteOutput(name, output, counts)
  }
}

/** Hands the events of a node over to the lanes of this partition. */
function handOver(
  mail: FoldMail,
  moment: FoldMoment,
  account: string,
  from: HandingNode,
  events: readonly Event[],
): void {
  const { pipeline, node } = from
  for (const event of events) {
    const position = moment.nextPosition()
    mail.addOutgoing(account, from, event, position)
    moment.watch?.handedOver?.(event, { account, pipeline, node }, position)
  }
}
