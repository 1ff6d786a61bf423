import type { NamedState } from '../../schemas/log/checkpoint.ts'
import type { ExemptionCut, PipelineCut } from '../../schemas/log/cuts.ts'
import type { AccountPart, RetiringRevisionName } from '../../schemas/log/state-holder.ts'
import { jsonText, parseJson } from '../json/json-text.ts'
import { FieldNames } from '../lines/stored-line/line-fields.ts'
import type { Catalogue } from '../nodes/contract/catalogue.ts'
import type { Steps } from '../steps.ts'
import type { KeptRevision } from './account/deployed-revision.ts'
import { AccountState } from './account-state.ts'
import type { FoldPartition } from './spread/key-placement.ts'
import { SpreadAccount } from './spread/spread-account.ts'

/** The part of a checkpoint that belongs to one pipeline, until its revisions are compiled. */
export interface KeptPipeline {
  /** States of the newest revision, by node. */
  readonly states: Map<string, Uint8Array>
  /** Retiring revisions, oldest first, with memory that no newer one shares. */
  readonly retiring: (KeptRevision & { readonly states: Map<string, Uint8Array> })[]
}

/** The accounts that a partition knows, and their form in a checkpoint. */
export class Accounts {
  readonly #catalogue: Catalogue
  readonly #own: FoldPartition
  /** The only account that is taken from a checkpoint; undefined: all. */
  readonly #only: string | undefined
  readonly #accounts = new Map<string, AccountState>()
  /** Log time at which an exemption can be forgotten. */
  #forgetMs = Number.POSITIVE_INFINITY

  constructor(catalogue: Catalogue, own: FoldPartition, only?: string) {
    this.#catalogue = catalogue
    this.#own = own
    this.#only = only
  }

  /** The account, which is known from now on. */
  of(id: string): AccountState {
    let account = this.#accounts.get(id)
    if (account === undefined) {
      account = new AccountState(this.#catalogue, id)
      this.#accounts.set(id, account)
    }
    return account
  }

  find(id: string): AccountState | undefined {
    return this.#accounts.get(id)
  }

  [Symbol.iterator](): Iterator<AccountState> {
    return this.#accounts.values()
  }

  /** Log time at which the next window of any account ends, UNIX ms; Infinity: none is open. */
  get windowsEndMs(): number {
    let end = Number.POSITIVE_INFINITY
    for (const account of this) end = Math.min(end, account.windowsEndMs)
    return end
  }

  /** Accounts with windows that are due, in the order of their ids. */
  withWindowsDue(timeMs: number): AccountState[] {
    return [...this]
      .filter(account => account.windowsEndMs <= timeMs)
      .sort((one, other) => (one.account < other.account ? -1 : 1))
  }

  /** Puts an exemption of an account into effect, or ends it. @returns the account */
  exempt(entity: string, exemption: ExemptionCut): AccountState {
    const account = this.of(exemption.accountId)
    account.exemptions.set(entity, exemption)
    this.#forgetMs = Math.min(this.#forgetMs, exemption.forgetMs)
    return account
  }

  /** Forgets exemptions that are over. @returns their entities */
  forgetExemptions(timeMs: number): string[] {
    if (timeMs < this.#forgetMs) return []
    const over: string[] = []
    this.#forgetMs = Number.POSITIVE_INFINITY
    for (const { exemptions } of this) {
      over.push(...exemptions.forget(timeMs))
      this.#forgetMs = Math.min(this.#forgetMs, exemptions.forgetMs)
    }
    return over
  }

  /**
   * The state of all accounts, for a checkpoint.
   *
   * @param versionOf version in effect of a pipeline
   */
  *states(timeMs: number, versionOf: (pipeline: string) => number): Steps<NamedState[]> {
    const states: NamedState[] = []
    for (const [id, account] of [...this.#accounts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const part = (name: AccountPart, data: Buffer) =>
        states.push({ holder: { 'weir.AccountPart': { account: id, part: name } }, data })
      part('names', Buffer.from(account.fieldNames.snapshot()))
      part('keys', account.keys.snapshot(timeMs))
      if (!account.expressions.isFullAt(timeMs))
        part('expressions', Buffer.from(account.expressions.snapshot()))
      for (const { version, replacedMs, document } of account.keptRevisions()) {
        const revision = { account: id, pipeline: document.id, version, replacedMs }
        const holder = { 'weir.RetiringRevision': revision }
        states.push({ holder, data: Buffer.from(jsonText(document)) })
      }
      for (const { pipeline, version, node, data } of yield* account.states()) {
        const other = version === versionOf(pipeline) ? null : version
        const holder = { 'weir.NodeMemory': { account: id, pipeline, node, version: other } }
        states.push({ holder, data: Buffer.from(data.buffer, data.byteOffset, data.length) })
      }
      if (account.spread !== undefined) part('spread', account.spread.snapshot())
      if (!account.deadLetters.isUnused) part('deadLetters', account.deadLetters.snapshot(timeMs))
      yield
    }
    return states
  }

  /**
   * Restores the result of `states`, except for pipelines, which cuts put into effect again.
   *
   * @returns the state of the nodes of a pipeline
   */
  restore(states: readonly NamedState[]): (pipeline: string) => KeptPipeline {
    const pipelines = new Map<string, KeptPipeline>()
    for (const state of states) this.#restoreState(state, pipelines)
    return pipeline => pipelines.get(pipeline) ?? NOTHING
  }

  #restoreState({ holder, data }: NamedState, pipelines: Map<string, KeptPipeline>): void {
    if ('weir.PendingMinute' in holder) return
    if ('weir.AccountPart' in holder) {
      const { account, part } = holder['weir.AccountPart']
      if (this.#isTaken(account)) this.#restorePart(account, part, data)
      return
    }
    const name = 'weir.NodeMemory' in holder ? holder['weir.NodeMemory'] : holder['weir.RetiringRevision']
    if (!this.#isTaken(name.account)) return
    const kept: KeptPipeline = pipelines.get(name.pipeline) ?? { states: new Map(), retiring: [] }
    pipelines.set(name.pipeline, kept)
    if ('node' in name) statesOf(kept, name.version).set(name.node, data)
    else kept.retiring.push({ ...revisionOf(name, data), states: new Map() })
  }

  #restorePart(id: string, part: AccountPart, data: Buffer): void {
    switch (part) {
      case 'names':
        this.#accounts.set(id, new AccountState(this.#catalogue, id, FieldNames.restore(data)))
        break
      case 'spread': {
        const spread = new SpreadAccount(id, this.#own)
        spread.restore(data)
        this.of(id).spread = spread
        break
      }
      default:
        this.of(id)[part].restore(data)
    }
  }

  #isTaken(account: string): boolean {
    return this.#only === undefined || this.#only === account
  }
}

const NOTHING: KeptPipeline = { states: new Map(), retiring: [] }

function revisionOf({ version, replacedMs }: RetiringRevisionName, data: Buffer): KeptRevision {
  return { version, replacedMs, document: parseJson(data.toString()) as unknown as PipelineCut }
}

/** @param version null: the newest */
function statesOf({ states, retiring }: KeptPipeline, version: number | null): Map<string, Uint8Array> {
  if (version === null) return states
  return retiring.find(revision => revision.version === version)?.states ?? new Map()
}
