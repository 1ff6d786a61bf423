import type { JsonObject } from '../../schemas/json.ts'
import type { Cut } from '../../schemas/log/control.ts'
import type { AccountCut, ExemptionCut, LineRulesCut, PipelineCut, QuotaCut } from '../../schemas/log/cuts.ts'
import { jsonText, parseJson } from '../json/json-text.ts'
import { FieldNames } from '../lines/line-fields.ts'
import { finish, type Steps } from '../steps.ts'
import { AccountState, type KeptRevision } from './account-state.ts'
import type { FoldSeat } from './spread/key-placement.ts'
import { SpreadAccount } from './spread/spread-account.ts'

/** A part of a checkpoint: whose it is, words between spaces, and what it remembers. */
export interface HolderState {
  readonly holder: string
  readonly data: Buffer
}

/** What a checkpoint holds of one pipeline, until its revisions are compiled. */
interface KeptPipeline {
  /** Of the newest revision, by node. */
  readonly states: Map<string, Uint8Array>
  /** Revisions that retire, oldest first, with memory that no newer one shares. */
  readonly retiring: (KeptRevision & { readonly states: Map<string, Uint8Array> })[]
}

/** The accounts that a partition knows, and how a checkpoint keeps them. */
export class Accounts {
  readonly #seat: FoldSeat
  /** The one that is taken from a checkpoint; undefined: all. */
  readonly #only: string | undefined
  readonly #accounts = new Map<string, AccountState>()
  /** Log time at which an exemption is to be forgotten. */
  #forgetMs = Number.POSITIVE_INFINITY

  constructor(seat: FoldSeat, only?: string) {
    this.#seat = seat
    this.#only = only
  }

  /** The account, known from now on. */
  of(id: string): AccountState {
    let account = this.#accounts.get(id)
    if (account === undefined) {
      account = new AccountState(id)
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

  /** Log time at which the next window of any of them ends, UNIX ms; Infinity: none is open. */
  get windowsEndMs(): number {
    let end = Number.POSITIVE_INFINITY
    for (const account of this) end = Math.min(end, account.windowsEndMs)
    return end
  }

  /** Accounts with windows whose time has come, in the order of their ids. */
  withWindowsDue(timeMs: number): AccountState[] {
    return [...this]
      .filter(account => account.windowsEndMs <= timeMs)
      .sort((one, other) => (one.account < other.account ? -1 : 1))
  }

  /** Takes a cut of kind 'line-rules' or 'quota'. @returns as `exempt` */
  rule({ kind, payload }: Cut): AccountState | undefined {
    const cut = JSON.parse(payload) as LineRulesCut | QuotaCut
    if (!this.#isTaken(cut.accountId)) return undefined
    const account = this.of(cut.accountId)
    if (kind === 'line-rules') account.rules.set(cut as LineRulesCut)
    else account.rules.setQuota(cut as QuotaCut)
    return account
  }

  /** Takes a cut of kind 'exemption'. @returns the account, unless that is passed over */
  exempt({ entity, payload }: Cut): AccountState | undefined {
    const exemption = JSON.parse(payload) as ExemptionCut
    if (!this.#isTaken(exemption.accountId)) return undefined
    const account = this.of(exemption.accountId)
    account.exemptions.set(entity, exemption)
    this.#forgetMs = Math.min(this.#forgetMs, exemption.forgetMs)
    return account
  }

  /** Lets go of exemptions that are over. @returns their entities */
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
   * Everything, for a checkpoint.
   *
   * @param versionOf version in effect of a pipeline
   */
  *states(timeMs: number, versionOf: (pipeline: string) => number): Steps<HolderState[]> {
    const states: HolderState[] = []
    for (const [id, account] of [...this.#accounts].sort(([a], [b]) => (a < b ? -1 : 1))) {
      states.push({ holder: `names ${id}`, data: Buffer.from(account.fieldNames.snapshot()) })
      states.push({ holder: `keys ${id}`, data: account.keys.snapshot(timeMs) })
      if (!account.expressions.isFullAt(timeMs))
        states.push({ holder: `expressions ${id}`, data: account.expressions.snapshot() })
      for (const { version, replacedMs, document } of account.keptRevisions()) {
        const holder = `revision ${id} ${document.id} ${version} ${replacedMs}`
        states.push({ holder, data: Buffer.from(jsonText(document as unknown as JsonObject)) })
      }
      for (const { pipeline, version, node, data } of yield* account.states()) {
        const suffix = version === versionOf(pipeline) ? '' : ` ${version}`
        const bytes = Buffer.from(data.buffer, data.byteOffset, data.length)
        states.push({ holder: `node ${id} ${pipeline} ${node}${suffix}`, data: bytes })
      }
      if (account.spread !== undefined)
        states.push({ holder: `spread ${id}`, data: account.spread.snapshot() })
      if (!account.deadLetters.isUnused)
        states.push({ holder: `dead-letters ${id}`, data: account.deadLetters.snapshot(timeMs) })
      yield
    }
    return states
  }

  /** Takes back what `states` gave, with the cuts that were in effect. */
  restore(states: readonly HolderState[], cuts: readonly Cut[]): void {
    const pipelines = new Map<string, KeptPipeline>()
    for (const state of states) this.#restoreState(state, pipelines)
    for (const cut of cuts) {
      if (cut.kind === 'account') {
        const { accountId, retentionDays } = JSON.parse(cut.payload) as AccountCut
        if (this.#isTaken(accountId)) this.of(accountId).retentionDays = retentionDays
      } else if (cut.kind === 'pipeline') {
        this.#restorePipeline(cut, pipelines.get(cut.entity))
      } else if (cut.kind === 'exemption') {
        this.exempt(cut)
      } else if (cut.kind === 'line-rules' || cut.kind === 'quota') {
        this.rule(cut)
      }
    }
  }

  #restoreState({ holder, data }: HolderState, pipelines: Map<string, KeptPipeline>): void {
    const [kind, id, pipeline = '', ...words] = holder.split(' ') as [string, string, ...string[]]
    if (!this.#isTaken(id)) return
    if (kind === 'names') {
      this.#accounts.set(id, new AccountState(id, FieldNames.restore(data)))
    } else if (kind === 'keys') {
      this.of(id).keys.restore(data)
    } else if (kind === 'expressions') {
      this.of(id).expressions.restore(data)
    } else if (kind === 'dead-letters') {
      this.of(id).deadLetters.restore(data)
    } else if (kind === 'spread') {
      const spread = new SpreadAccount(id, this.#seat)
      spread.restore(data)
      this.of(id).spread = spread
    } else if (kind === 'revision' || kind === 'node') {
      const kept: KeptPipeline = pipelines.get(pipeline) ?? { states: new Map(), retiring: [] }
      pipelines.set(pipeline, kept)
      if (kind === 'revision') kept.retiring.push({ ...revisionOf(words, data), states: new Map() })
      else stateHolder(kept, words[1]).set(words[0] as string, data)
    }
  }

  #isTaken(account: string): boolean {
    return this.#only === undefined || this.#only === account
  }

  #restorePipeline({ version, payload }: Cut, kept: KeptPipeline = NOTHING): void {
    if (payload !== '') {
      const document = parseJson(payload) as unknown as PipelineCut
      if (!this.#isTaken(document.accountId)) return
      finish(this.of(document.accountId).deploy(document, { version, restored: kept.states }))
    }
    // Newest first, so that each finds the memory that it shared.
    for (const { document, version, replacedMs, states } of kept.retiring.toReversed())
      this.of(document.accountId).deployBeside(document, { version, restored: states, replacedMs })
  }
}

const NOTHING: KeptPipeline = { states: new Map(), retiring: [] }

function revisionOf([version, replacedMs]: readonly string[], data: Buffer): KeptRevision {
  const document = parseJson(data.toString()) as unknown as PipelineCut
  return { version: Number(version), replacedMs: Number(replacedMs), document }
}

/** @param version absent: the newest */
function stateHolder(
  { states, retiring }: KeptPipeline,
  version: string | undefined,
): Map<string, Uint8Array> {
  if (version === undefined) return states
  return retiring.find(revision => revision.version === Number(version))?.states ?? new Map()
}
