import type { Cut } from '../../../schemas/log/control.ts'
import type { Position } from '../../../schemas/log/position.ts'
import type { Rekeyed, RekeyedEvents, RekeyedPart, SentFrom } from '../../../schemas/log/rekeyed.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../../schemas/log/topics.ts'
import type { Event } from '../../event/event.ts'
import type { Elsewhere } from '../../graph/compiled-node.ts'
import type { Catalogue } from '../../nodes/contract/catalogue.ts'
import { finish, type Steps } from '../../steps.ts'
import type { AccountOutput } from '../account-output.ts'
import type { AccountState } from '../account-state.ts'
import { kindOf } from '../cuts/registry.ts'
import type { FoldMoment } from '../fold-moment.ts'
import type { PartitionName } from '../run-watch.ts'
import { FoldMail } from './fold-mail.ts'
import type { FoldPartition } from './key-placement.ts'
import { decodedRun, type WaitingPlace } from './rekeyed-part.ts'
import { SpreadAccount, sourceKey } from './spread-account.ts'
import { nameOfTarget, type Target } from './target.ts'

/** The parts of a fold that its exchange needs. */
export interface ExchangingFold {
  readonly moment: FoldMoment
  readonly output: AccountOutput
  /** @returns whether it was unknown here */
  applyForwarded(cut: Cut): Steps<boolean>
  /** Cuts that are in effect for the account. */
  cutsOf(account: string): Iterable<Cut>
}

/**
 * The traffic of one partition with others, for accounts whose lines are on all partitions. It has three kinds of parts:
 *
 * - events, which go to the state of their key;
 * - that state, when an account is spread or gathered again;
 * - the cuts by which the receiver knows the revisions of the events.
 *
 * Every part carries its position in the sender's log. The sender is a fold, so a repeat of its work sends the same parts
 * with the same positions. The receiver drops those that it has passed: exactly once, without transactions.
 */
export class KeyedExchange {
  readonly mail: FoldMail
  readonly #own: FoldPartition
  readonly #fold: ExchangingFold
  /** Partition that sent the current events; undefined: they are from the partition's own records. */
  #source: PartitionName | undefined

  constructor(catalogue: Catalogue, own: FoldPartition, fold: ExchangingFold) {
    this.#own = own
    this.#fold = fold
    this.mail = new FoldMail(catalogue, own)
  }

  /** Sends a revision's events to memory that is not here; undefined for accounts that were never spread. */
  elsewhere(account: AccountState, pipeline: string, version: number): Elsewhere | undefined {
    const placement = account.spread?.placement
    if (placement === undefined) return undefined
    return {
      isHere: hash => {
        const share = placement.shareOf(hash)
        this.#takeBackUnheard(account, share)
        return placement.targetOf(share) === undefined
      },
      send: (node, hash, event) => {
        const target = placement.targetOf(placement.shareOf(hash)) as Target
        const place: WaitingPlace = { pipeline, version, node }
        const position = this.#fold.moment.nextPosition()
        this.mail.addEvent(target, account.account, place, event, position)
        return { ...nameOfTarget(target), position }
      },
    }
  }

  /**
   * Spreads or gathers an account: from then on memory of keys belongs to the keyed partitions, or to the home
   * partition.
   */
  *spread(account: AccountState, isSpread: boolean): Steps {
    const { placement } = this.#spreadOf(account)
    if (isSpread) this.#forward(account, [...this.#fold.cutsOf(account.account)])
    placement.isSpread = isSpread
    if (!placement.isHome) return
    if (isSpread) yield* this.#handOver(account, placement.shares)
    else for (const share of placement.missing) this.#recall(account, share)
  }

  /** Sends a cut that took effect here to the keyed partitions. */
  cutApplied(account: AccountState, cut: Cut): void {
    if (this.#own.topic === INGEST_TOPIC && account.spread !== undefined) this.#forward(account, [cut])
  }

  *receive(account: AccountState, { sourceTopic, sourcePartition, parts }: Rekeyed): Steps {
    const spread = this.#spreadOf(account)
    const source = { topic: sourceTopic, partition: sourcePartition }
    const key = sourceKey(source)
    const isNew = (sent: SentFrom) => spread.advance(key, { offset: BigInt(sent.offset), row: sent.row })
    for (const part of parts) {
      if ('weir.RekeyedEvents' in part) {
        yield* this.#resume(account, source, part['weir.RekeyedEvents'])
      } else if ('weir.ForwardedCut' in part) {
        const { kind, entity, version, payload, ...sent } = part['weir.ForwardedCut']
        if (!isNew(sent)) continue
        const cut = { kind, entity, version, payload }
        if (kindOf(cut).hasRevisions && sourceTopic === INGEST_TOPIC)
          spread.noteForwarded(entity, sourcePartition, version)
        if (yield* this.#fold.applyForwarded(cut)) this.#announceAtHome(account, cut)
      } else if ('weir.MovedState' in part) {
        if (isNew(part['weir.MovedState'])) account.absorb(part['weir.MovedState'])
      } else if ('weir.ShareMoved' in part) {
        if (isNew(part['weir.ShareMoved'])) yield* this.#shareArrived(account, part['weir.ShareMoved'].share)
      } else if (isNew(part['weir.ShareRecalled'])) {
        yield* this.#recalled(account, part['weir.ShareRecalled'].share)
      }
    }
  }

  *#resume(account: AccountState, source: PartitionName, rekeyed: RekeyedEvents): Steps {
    const { place, ...sent } = decodedRun(rekeyed, this.#fold.moment.forms)
    const spread = this.#spreadOf(account)
    const key = sourceKey(source)
    const events: Event[] = []
    const positions: Position[] = []
    for (const [index, position] of sent.positions.entries()) {
      if (!spread.advance(key, position)) continue
      events.push(sent.events[index] as Event)
      positions.push(position)
    }
    if (events.length === 0) return
    const { watch } = this.#fold.moment
    watch?.resumes?.({ source, place, events, positions })
    this.#source = source
    const revision = yield* account.resume(place, events, this.#fold.output)
    this.#source = undefined
    watch?.resumed?.(revision)
  }

  /**
   * Takes a share back when its events come from the other side of its exchange and records were lost here. A partition
   * never sends events of a share to the partition that gave it away, so the share was among the lost records. Otherwise
   * its events would be sent back and forth for ever.
   */
  #takeBackUnheard(account: AccountState, share: number): void {
    const spread = account.spread
    if (this.#source === undefined || spread === undefined || !spread.isUnheard(share)) return
    const target = spread.placement.targetOf(share)
    if (target === undefined) return
    if (sourceKey(nameOfTarget(target)) === sourceKey(this.#source))
      finish(this.#shareArrived(account, share))
  }

  /** Notes that records were lost here. */
  doubt(accounts: Iterable<AccountState>): void {
    for (const { spread } of accounts) spread?.doubt()
  }

  *#shareArrived(account: AccountState, share: number): Steps {
    const spread = this.#spreadOf(account)
    const { placement } = spread
    spread.hear(share)
    placement.take(share)
    // The account was spread again while the share was on its way home.
    if (placement.isHome && placement.isSpread) yield* this.#handOver(account, [share])
  }

  *#recalled(account: AccountState, share: number): Steps {
    const spread = this.#spreadOf(account)
    // If the share is not here, it is on its way home already, or it is lost, and home waits for it.
    if (spread.hear(share) || spread.placement.targetOf(share) === undefined)
      yield* this.#handOver(account, [share])
  }

  /** Sends the memory of shares to their new place; later events for them follow it. */
  *#handOver(account: AccountState, shares: readonly number[]): Steps {
    const { placement } = this.#spreadOf(account)
    for (const share of shares) placement.give(share)
    for (const piece of account.splitStates(shares, placement.shareOf)) {
      yield
      if (piece === undefined) continue
      const { share, data, ...memory } = piece
      const state = { ...this.#sentFrom(), ...memory, data: Buffer.from(data) }
      this.#send(account, share, { 'weir.MovedState': state }, data.length)
    }
    for (const share of shares)
      this.#send(account, share, { 'weir.ShareMoved': { ...this.#sentFrom(), share } }, 16)
  }

  #recall(account: AccountState, share: number): void {
    this.#send(account, share, { 'weir.ShareRecalled': { ...this.#sentFrom(), share } }, 16)
  }

  /** The home partition may receive events and memory of a revision from here before it has read the cut itself. */
  #announceAtHome(account: AccountState, cut: Cut): void {
    if (this.#own.topic === INGEST_TOPIC || !kindOf(cut).hasRevisions) return
    const part = { 'weir.ForwardedCut': { ...this.#sentFrom(), ...cut } }
    const { homePartition } = this.#spreadOf(account).placement
    this.mail.add(homePartition, account.account, part, cut.payload.length + 64)
    this.mail.endRound()
  }

  /** An event of a revision must never overtake its cut, on any way. */
  #forward(account: AccountState, cuts: readonly Cut[]): void {
    const { placement } = this.#spreadOf(account)
    for (const cut of cuts) {
      for (const target of placement.keyedPartitions) {
        const part = { 'weir.ForwardedCut': { ...this.#sentFrom(), ...cut } }
        this.mail.add(target, account.account, part, cut.payload.length + 64)
      }
    }
    this.mail.endRound()
  }

  #send(account: AccountState, share: number, part: RekeyedPart, bytes: number): void {
    const target = this.#spreadOf(account).placement.targetOf(share) as Target
    this.mail.add(target, account.account, part, bytes)
  }

  #sentFrom(): SentFrom {
    const { offset, row } = this.#fold.moment.nextPosition()
    return { offset: Number(offset), row }
  }

  #spreadOf(account: AccountState): SpreadAccount {
    if (account.spread === undefined) {
      account.spread = new SpreadAccount(account.account, this.#own)
      // All messages about the share may be lost. If there were none, home sends a message about it before its events.
      if (this.#fold.moment.isExact && this.#own.topic === KEYED_TOPIC) account.spread.doubt()
    }
    return account.spread
  }
}
