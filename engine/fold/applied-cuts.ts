import type { Cut } from '../../schemas/log/control.ts'
import type {
  AccountCut,
  DeadLetterCut,
  ExemptionCut,
  PipelineCut,
  SpreadCut,
} from '../../schemas/log/cuts.ts'
import { parseJson } from '../json/json-text.ts'
import { finish, type Steps } from '../steps.ts'
import type { AccountOutput, AccountState } from './account-state.ts'
import type { Accounts } from './accounts.ts'
import { isPause } from './behaviour.ts'
import type { RunWatch } from './run-watch.ts'
import type { KeyedExchange } from './spread/keyed-exchange.ts'

/** Their entity is the account itself. */
const KINDS_OF_ACCOUNTS: ReadonlySet<Cut['kind']> = new Set(['account', 'line-rules', 'quota'])
/** Of a document that is tried; a record that travels between partitions can hold it. */
const LAST_VERSION = 2 ** 50
const DEFAULT_SLICE_MS = 1000

/** The fold that cuts take effect in. */
export interface CutSeat {
  readonly accounts: Accounts
  readonly output: AccountOutput
  readonly exchange: () => KeyedExchange
  readonly watch: () => RunWatch | undefined
  /** Log time, UNIX ms. */
  timeMs(): number
  /** Whether the fold leaves an account out. */
  isPassedOver(account: string): boolean
  /** Takes what an account has counted, before and after what runs for it changes. */
  notePending(account: AccountState): void
}

/** The cuts that are in effect in a partition, each from the record on that brought it; and how they take effect. */
export class AppliedCuts {
  readonly #fold: CutSeat
  readonly #cuts = new Map<string, Cut>()
  #sliceMs = DEFAULT_SLICE_MS
  #count = 0
  #tried: PipelineCut | undefined

  constructor(fold: CutSeat) {
    this.#fold = fold
  }

  /** In the order in which they are to be restored. */
  get all(): Iterable<Cut> {
    return this.#cuts.values()
  }

  get sliceMs(): number {
    return this.#sliceMs
  }

  /** How many took effect since the fold began. */
  get count(): number {
    return this.#count
  }

  /** By account, the version of the newest change between one partition and many. */
  get spreads(): ReadonlyMap<string, number> {
    const cuts = [...this.all].filter(({ kind }) => kind === 'spread')
    return new Map(cuts.map(({ entity, version }) => [entity, version]))
  }

  /** Of what is in effect; 0: nothing of it is known. */
  version(kind: string, entity: string): number {
    return this.#cuts.get(cutKey(kind, entity))?.version ?? 0
  }

  *ofAccount(id: string): Iterable<Cut> {
    const account = this.#fold.accounts.of(id)
    for (const cut of this.all) {
      if (KINDS_OF_ACCOUNTS.has(cut.kind) && cut.entity === id) yield cut
      if (cut.kind === 'pipeline' && account.has(cut.entity)) yield cut
      if (cut.kind === 'dead-letter' && account.deadLetters.has(cut.entity)) yield cut
      if (cut.kind === 'exemption' && account.exemptions.has(cut.entity)) yield cut
    }
  }

  restore(cuts: readonly Cut[], sliceMs: number): void {
    for (const cut of cuts) this.#cuts.set(cutKey(cut.kind, cut.entity), cut)
    this.#sliceMs = sliceMs
  }

  /** Lets go of exemptions that time has made meaningless. */
  forgetExemptions(timeMs: number): void {
    for (const entity of this.#fold.accounts.forgetExemptions(timeMs))
      this.#cuts.delete(cutKey('exemption', entity))
  }

  *apply(cut: Cut): Steps {
    if (isOver(cut, this.#fold.timeMs())) return
    const key = cutKey(cut.kind, cut.entity)
    if (cut.version <= (this.#cuts.get(key)?.version ?? 0)) return
    this.#cuts.set(key, cut)
    this.#count++
    if (cut.kind === 'slice') this.#sliceMs = Number(cut.payload)
    else if (cut.kind === 'account') this.#applyAccount(cut)
    else if (cut.kind === 'spread') this.#applySpread(cut)
    else if (cut.kind === 'dead-letter') this.#applyDeadLetter(cut)
    else if (cut.kind === 'exemption') this.#tellExchange(this.#fold.accounts.exempt(cut), cut)
    else if (cut.kind === 'line-rules' || cut.kind === 'quota')
      this.#tellExchange(this.#fold.accounts.rule(cut), cut)
    else if (cut.entity === this.#tried?.id) yield* this.#applyToTried(this.#tried, cut)
    else yield* this.#applyPipeline(cut)
  }

  /**
   * Takes a cut that took effect elsewhere; one that newer ones have overtaken here has events under way.
   *
   * @returns whether anything follows from it here
   */
  *applyForwarded(cut: Cut): Steps<boolean> {
    const isNew = cut.version > this.version(cut.kind, cut.entity)
    if (isNew) yield* this.apply(cut)
    if (isNew && cut.entity !== this.#tried?.id) return true
    if (cut.kind !== 'pipeline' || cut.payload === '') return isNew
    const document = parseJson(cut.payload) as unknown as PipelineCut
    const account = this.#fold.accounts.of(document.accountId)
    if (account.knows(cut.entity, cut.version)) return isNew
    this.#fold.notePending(account)
    account.deployBeside(document, { version: cut.version, replacedMs: this.#fold.timeMs() })
    return true
  }

  /**
   * Lets a document run in the place of what is deployed of its pipeline, whatever is published from now on. It is
   * paused when that is. Events that are under way from other partitions stay with the revision that sent them.
   */
  tryPipeline(document: PipelineCut): void {
    this.#tried = document
    const account = this.#fold.accounts.of(document.accountId)
    finish(this.#deployTried(document, account.isPaused(document.id), this.#replacingMs(account)))
  }

  *#applyToTried(document: PipelineCut, cut: Cut): Steps {
    yield* this.#deployTried(document, isPause(cut))
    this.#tellExchange(this.#fold.accounts.of(document.accountId), cut)
  }

  *#deployTried(document: PipelineCut, paused: boolean, replacingMs?: number): Steps {
    const account = this.#fold.accounts.of(document.accountId)
    this.#fold.notePending(account)
    yield* account.deploy({ ...document, paused }, { version: LAST_VERSION, replacingMs })
    this.#fold.notePending(account)
  }

  #applySpread({ entity, payload }: Cut): void {
    if (this.#fold.isPassedOver(entity)) return
    const { isSpread } = JSON.parse(payload) as SpreadCut
    this.#fold.exchange().spread(this.#fold.accounts.of(entity), isSpread)
  }

  #applyAccount(cut: Cut): void {
    const { accountId, retentionDays } = JSON.parse(cut.payload) as AccountCut
    if (this.#fold.isPassedOver(accountId)) return
    const account = this.#fold.accounts.of(accountId)
    account.retentionDays = retentionDays
    this.#tellExchange(account, cut)
  }

  #applyDeadLetter(cut: Cut): void {
    const { accountId, isEnabled } = JSON.parse(cut.payload) as DeadLetterCut
    if (this.#fold.isPassedOver(accountId)) return
    const account = this.#fold.accounts.of(accountId)
    account.deadLetters.set(cut.entity, isEnabled)
    this.#tellExchange(account, cut)
  }

  *#applyPipeline(cut: Cut): Steps {
    if (cut.payload === '') {
      for (const account of this.#fold.accounts)
        if (account.has(cut.entity)) yield* this.#replace(account, cut, undefined)
      return
    }
    const document = parseJson(cut.payload) as unknown as PipelineCut
    if (this.#fold.isPassedOver(document.accountId)) return
    yield* this.#replace(this.#fold.accounts.of(document.accountId), cut, document)
  }

  /** @param document undefined: the pipeline is withdrawn */
  *#replace(account: AccountState, cut: Cut, document: PipelineCut | undefined): Steps {
    const { output, notePending, watch, timeMs } = this.#fold
    const { entity, version } = cut
    notePending(account)
    const replacement = { replacingMs: this.#replacingMs(account), output }
    if (document === undefined) yield* account.withdraw(entity, replacement)
    else yield* account.deploy(document, { version, ...replacement })
    notePending(account)
    this.#tellExchange(account, cut)
    const isPaused = document?.paused ?? false
    watch()?.takesEffect(account.account, entity, { version, document, isPaused, atMs: timeMs() })
  }

  #tellExchange(account: AccountState | undefined, cut: Cut): void {
    if (account !== undefined) this.#fold.exchange().cutApplied(account, cut)
  }

  /** Events come from other partitions, too, which take a cut each at its own time. */
  #replacingMs({ spread }: AccountState): number | undefined {
    return spread?.receives ? this.#fold.timeMs() : undefined
  }
}

/** Of exemptions: time has made it meaningless. */
function isOver({ kind, payload }: Cut, timeMs: number): boolean {
  return kind === 'exemption' && timeMs >= (JSON.parse(payload) as ExemptionCut).forgetMs
}

function cutKey(kind: string, entity: string): string {
  return `${kind} ${entity}`
}
