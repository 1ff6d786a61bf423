import type { Cut } from '../../../schemas/log/control.ts'
import type { PipelineCut, SentCuts } from '../../../schemas/log/cuts.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import type { Steps } from '../../steps.ts'
import type { AccountOutput } from '../account-output.ts'
import type { AccountState } from '../account-state.ts'
import type { Accounts, KeptPipeline } from '../accounts.ts'
import type { RunWatch } from '../run-watch.ts'

/**
 * Partitions to which workers send a cut of the configuration.
 *
 * - `home`: the home partition of its account; all partitions once lines of the account are, or were, on all of them
 * - `everywhere`: all partitions
 * - `none`: workers do not send it; the partition itself or an operator writes it
 */
export type CutAddress = 'home' | 'everywhere' | 'none'

/** A partition as the address of a cut sees it. */
export interface AddressedPartition {
  /** Whether it is the home partition of the cut's account. */
  readonly isHome: boolean
  /** Whether lines of the account are, or were, on all partitions. */
  readonly isSpread: boolean
}

/** The fold in which cuts take effect. */
export interface AffectedFold {
  readonly accounts: Accounts
  readonly output: AccountOutput
  /** State that does not belong to an account. */
  readonly settings: FoldSettings
  /** Log time, UNIX ms. */
  timeMs(): number
  watch(): RunWatch | undefined
  /** Whether the fold leaves an account out. */
  isPassedOver(account: string): boolean
  /** Collects the counts of an account: before and after its pipelines change. */
  notePending(account: AccountState): void
  /** Passes a cut that took effect here on to the keyed partitions, where the account needs them. */
  forward(account: AccountState, cut: Cut): void
  /** Moves the memory of an account's keys to the keyed partitions, or back to the home partition. */
  spread(account: AccountState, isSpread: boolean): Steps
  /** Ends the lanes of a pipeline that is deleted, behind the events that it has handed over here. */
  deleted(account: string, pipeline: string): void
}

export interface FoldSettings {
  /** Length of the time slices at whose ends batches end. */
  sliceMs: number
  /** Document that runs in place of the deployed one of its pipeline: see `tryPipeline`. */
  tried: PipelineCut | undefined
}

/** Parts of a checkpoint that cuts put into effect again. */
export interface RestoredFold {
  readonly accounts: Accounts
  isPassedOver(account: string): boolean
  /** State of the nodes of a pipeline, and its retiring revisions. */
  keptOf(pipeline: string): KeptPipeline
}

/** One kind of cut, as its file declares it. */
export interface CutDefinition<Payload> {
  readonly kind: Cut['kind']
  /** Behaviour number that a program must know to apply the cut. */
  readonly behaviour: number | ((payload: Payload, catalogue: Catalogue) => number)
  readonly address: CutAddress
  parse(text: string): Payload
  /** Short id of the account that the cut belongs to; undefined if the cut alone does not determine it. */
  accountOf(payload: Payload, entity: string): string | undefined
  /** Whether the cut has no effect any more at a log time. Absent: it always has one. */
  isOver?(payload: Payload, timeMs: number): boolean
  /** Makes the cut take effect. Absent: it marks a place on the log, where the fold reads it before it applies cuts. */
  apply?(payload: Payload, cut: Cut, fold: AffectedFold): Steps | undefined
  /** Handles a cut from another partition of which a newer version is in effect here. @returns whether it had an effect */
  applyLate?(payload: Payload, cut: Cut, fold: AffectedFold): boolean
  /**
   * Whether a cut that is in effect belongs to the state of an account: keyed partitions receive those. Absent: no cut of
   * the kind does.
   */
  isPartOf?(account: AccountState, entity: string): boolean
  /** Brings a cut of a checkpoint back into effect. Absent: the rest of the checkpoint holds its effect. */
  restore?(payload: Payload, cut: Cut, fold: RestoredFold): Steps | undefined
  /** Forgets cuts that have no effect any more. @returns their entities. Absent: cuts of the kind stay in effect */
  forget?(accounts: Accounts, timeMs: number): readonly string[]
  /**
   * Whether events and memory belong to one version of an entity. Both travel between partitions, so the home partition of
   * the account must know each version. Absent: no.
   */
  readonly hasRevisions?: boolean
  /** Whether the cut moves an account between one partition and many. Absent: no. */
  readonly movesAccount?: boolean
  /** Cut that each partition of a topic needs because of the shape of the topic; its own worker writes it. Absent: none. */
  ofTopic?(topic: TopicShape): Cut | undefined
}

/** The part of a topic that determines cuts. */
export interface TopicShape {
  readonly name: string
  readonly partitions: number
}

/** One kind of cut, for callers that do not know its payload. */
export interface CutKind {
  readonly kind: Cut['kind']
  behaviourOf(catalogue: Catalogue, cut: Cut): number
  goesTo(partition: AddressedPartition): boolean
  isOver(cut: Cut, timeMs: number): boolean
  apply(cut: Cut, fold: AffectedFold): Steps
  applyLate(cut: Cut, fold: AffectedFold): boolean
  isPartOf(account: AccountState, cut: Cut): boolean
  /** Short id of the account with whose state the cut goes to keyed partitions; undefined: it does not, or does not say it. */
  sharedAccountOf(cut: Cut): string | undefined
  restore(cut: Cut, fold: RestoredFold): Steps
  /** Whether the cut marks a place on the log and is never applied. */
  readonly isPlace: boolean
  readonly forget: CutDefinition<unknown>['forget']
  readonly hasRevisions: boolean
  /** Short id of the account that the cut moves between one partition and many; undefined: it moves none. */
  movedAccountOf(cut: Cut): string | undefined
  readonly ofTopic: CutDefinition<unknown>['ofTopic']
}

/** Payloads of sent cuts are JSON, unless their file reads them otherwise. */
type SentCutDefinition<Name extends keyof SentCuts> = Omit<
  CutDefinition<SentCuts[Name]>,
  'kind' | 'parse'
> & {
  readonly kind: Name
  parse?(text: string): SentCuts[Name]
}

/** Defines a kind of cut that the configuration sends. */
export function defineSentCut<Name extends keyof SentCuts>(definition: SentCutDefinition<Name>): CutKind {
  return defineCut<SentCuts[Name]>({ parse: text => JSON.parse(text) as SentCuts[Name], ...definition })
}

export function defineCut<Payload>(definition: CutDefinition<Payload>): CutKind {
  const { kind, behaviour, address } = definition
  const accountOf = (payload: Payload, { entity }: Cut) => definition.accountOf(payload, entity)
  const isFor = (fold: Pick<AffectedFold, 'isPassedOver'>, account: string | undefined) =>
    account === undefined || !fold.isPassedOver(account)
  return {
    kind,
    behaviourOf: (catalogue, cut) =>
      typeof behaviour === 'number' ? behaviour : behaviour(definition.parse(cut.payload), catalogue),
    goesTo: ({ isHome, isSpread }) =>
      address === 'everywhere' || (address === 'home' && (isHome || isSpread)),
    isOver: (cut, timeMs) => definition.isOver?.(definition.parse(cut.payload), timeMs) ?? false,
    *apply(cut, fold) {
      const payload = definition.parse(cut.payload)
      if (isFor(fold, accountOf(payload, cut))) yield* definition.apply?.(payload, cut, fold) ?? []
    },
    applyLate: (cut, fold) => definition.applyLate?.(definition.parse(cut.payload), cut, fold) ?? false,
    isPartOf: (account, { entity }) => definition.isPartOf?.(account, entity) ?? false,
    sharedAccountOf: cut =>
      definition.isPartOf === undefined ? undefined : accountOf(definition.parse(cut.payload), cut),
    *restore(cut, fold) {
      if (definition.restore === undefined) return
      const payload = definition.parse(cut.payload)
      if (isFor(fold, accountOf(payload, cut))) yield* definition.restore(payload, cut, fold) ?? []
    },
    isPlace: definition.apply === undefined,
    forget: definition.forget,
    hasRevisions: definition.hasRevisions ?? false,
    movedAccountOf: cut =>
      definition.movesAccount ? accountOf(definition.parse(cut.payload), cut) : undefined,
    ofTopic: definition.ofTopic,
  }
}
