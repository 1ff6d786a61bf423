import type { Cut } from '../../../schemas/log/control.ts'
import type { Position } from '../../../schemas/log/position.ts'
import type { Rekeyed, RekeyedEvents, RekeyedPart, SentFrom } from '../../../schemas/log/rekeyed.ts'
import { INGEST_TOPIC, KEYED_TOPIC } from '../../../schemas/log/topics.ts'
import type { Event } from '../../event/event.ts'
import type { Elsewhere } from '../../graph/compiled-node.ts'
import type { Steps } from '../../steps.ts'
import type { AccountOutput, AccountState } from '../account-state.ts'
import type { PartitionName, RunWatch } from '../run-watch.ts'
import type { FoldSeat } from './key-placement.ts'
import { nameOfTarget, Outbox, type Target } from './outbox.ts'
import { decodedRun, type WaitingPlace } from './rekeyed-part.ts'
import { SpreadAccount, sourceKey } from './spread-account.ts'

/** What the exchange needs of the fold that it is part of. */
export interface ExchangingFold {
  /** A position for the next thing that the record in hand yields. */
  nextPosition(): Position
  /** Of the events that the record in hand brings, see `Event.isExact`. */
  isExact(): boolean
  readonly output: AccountOutput
  /** @returns whether it was unknown here */
  applyForwarded(cut: Cut): Steps<boolean>
  /** Cuts that are in effect for the account. */
  cutsOf(account: string): Iterable<Cut>
  /** Of the record in hand. */
  watch(): RunWatch | undefined
}

/**
 * The traffic of one partition with others, for accounts whose lines are on all partitions: events to where the memory
 * of their key is, the memory itself when an account is spread or gathered again, and the cuts by which the receiver
 * knows the revisions that the events belong to.
 *
 * Every thing carries its position in the sender's log. The sender is a fold, so a repeat of its work sends the same
 * things with the same positions, and the receiver drops what it has passed: exactly once, without transactions.
 */
export class KeyedExchange {
  readonly outbox: Outbox
  readonly #seat: FoldSeat
  readonly #fold: ExchangingFold
  /** Where the events in hand come from; undefined: they are of the partition's own records. */
  #source: PartitionName | undefined

  constructor(seat: FoldSeat, fold: ExchangingFold) {
    this.#seat = seat
    this.#fold = fold
    this.outbox = new Outbox(seat)
  }

  /** The way of a revision's events to memory that is not here; undefined for accounts that were never spread. */
  elsewhere(account: AccountState, pipeline: string, version: number): Elsewhere | undefined {
    const placement = account.spread?.placement
    if (placement === undefined) return undefined
    return {
      send: (node, hash, event) => {
        const share = placement.shareOf(hash)
        this.#takeBackUnheard(account, share)
        const target = placement.targetOf(share)
        if (target === undefined) return undefined
        const place: WaitingPlace = { pipeline, version, node }
        const position = this.#fold.nextPosition()
        this.outbox.addEvent(target, account.account, place, event, position)
        return { ...nameOfTarget(target), position }
      },
    }
  }

  /** Takes a cut of kind 'spread': from here on memory of keys belongs into the keyed partitions, or home again. */
  spread(account: AccountState, isSpread: boolean): void {
    const { placement } = this.#spreadOf(account)
    if (isSpread) this.#forward(account, [...this.#fold.cutsOf(account.account)])
    placement.isSpread = isSpread
    if (!placement.isHome) return
    if (isSpread) this.#handOver(account, placement.shares)
    else for (const share of placement.missing) this.#recall(account, share)
  }

  /** Tells the keyed partitions of a cut that took effect here. */
  cutApplied(account: AccountState, cut: Cut): void {
    if (this.#seat.topic === INGEST_TOPIC && account.spread !== undefined) this.#forward(account, [cut])
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
        if (kind === 'pipeline' && sourceTopic === INGEST_TOPIC)
          spread.noteForwarded(entity, sourcePartition, version)
        if (yield* this.#fold.applyForwarded(cut)) this.#tellHome(account, cut)
      } else if ('weir.MovedState' in part) {
        if (isNew(part['weir.MovedState'])) account.absorb(part['weir.MovedState'])
      } else if ('weir.ShareMoved' in part) {
        if (isNew(part['weir.ShareMoved'])) this.#shareArrived(account, part['weir.ShareMoved'].share)
      } else if (isNew(part['weir.ShareRecalled'])) {
        this.#recalled(account, part['weir.ShareRecalled'].share)
      }
    }
  }

  *#resume(account: AccountState, source: PartitionName, rekeyed: RekeyedEvents): Steps {
    const { place, ...sent } = decodedRun(rekeyed, this.#fold.isExact())
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
    const watch = this.#fold.watch()
    watch?.resumes?.({ source, place, events, positions })
    this.#source = source
    const revision = yield* account.resume(place, events, this.#fold.output)
    this.#source = undefined
    watch?.resumed?.(revision)
  }

  /**
   * Nobody sends events of a share to who has handed it to him: where they come from its other side, and records were
   * lost here, the share was among them. Without this its events would be sent to and fro for ever.
   */
  #takeBackUnheard(account: AccountState, share: number): void {
    const spread = account.spread
    if (this.#source === undefined || spread === undefined || !spread.isUnheard(share)) return
    const target = spread.placement.targetOf(share)
    if (target === undefined) return
    if (sourceKey(nameOfTarget(target)) === sourceKey(this.#source)) this.#shareArrived(account, share)
  }

  /** Records were lost here. */
  doubt(accounts: Iterable<AccountState>): void {
    for (const { spread } of accounts) spread?.doubt()
  }

  #shareArrived(account: AccountState, share: number): void {
    const spread = this.#spreadOf(account)
    const { placement } = spread
    spread.hear(share)
    placement.take(share)
    // Spread again while it was on its way home.
    if (placement.isHome && placement.isSpread) this.#handOver(account, [share])
  }

  #recalled(account: AccountState, share: number): void {
    const spread = this.#spreadOf(account)
    // Without it, it is on its way home already; or it is lost, and home waits for it.
    if (spread.hear(share) || spread.placement.targetOf(share) === undefined) this.#handOver(account, [share])
  }

  /** Sends the memory of shares to where they belong now; what comes for them from here on is sent after it. */
  #handOver(account: AccountState, shares: readonly number[]): void {
    const { placement } = this.#spreadOf(account)
    for (const share of shares) placement.give(share)
    for (const { share, data, ...memory } of account.splitStates(shares, placement.shareOf)) {
      const state = { ...this.#sentFrom(), ...memory, data: Buffer.from(data) }
      this.#send(account, share, { 'weir.MovedState': state }, data.length)
    }
    for (const share of shares)
      this.#send(account, share, { 'weir.ShareMoved': { ...this.#sentFrom(), share } }, 16)
  }

  #recall(account: AccountState, share: number): void {
    this.#send(account, share, { 'weir.ShareRecalled': { ...this.#sentFrom(), share } }, 16)
  }

  /** Home may get events and memory of a revision from here before it has taken its cut itself. */
  #tellHome(account: AccountState, cut: Cut): void {
    if (this.#seat.topic === INGEST_TOPIC || cut.kind !== 'pipeline') return
    const part = { 'weir.ForwardedCut': { ...this.#sentFrom(), ...cut } }
    const { homePartition } = this.#spreadOf(account).placement
    this.outbox.add(homePartition, account.account, part, cut.payload.length + 64)
    this.outbox.endRound()
  }

  /** No event of a revision may overtake its cut, on whatever way. */
  #forward(account: AccountState, cuts: readonly Cut[]): void {
    const { placement } = this.#spreadOf(account)
    for (const cut of cuts) {
      for (const target of placement.keyedPartitions) {
        const part = { 'weir.ForwardedCut': { ...this.#sentFrom(), ...cut } }
        this.outbox.add(target, account.account, part, cut.payload.length + 64)
      }
    }
    this.outbox.endRound()
  }

  #send(account: AccountState, share: number, part: RekeyedPart, bytes: number): void {
    const target = this.#spreadOf(account).placement.targetOf(share) as Target
    this.outbox.add(target, account.account, part, bytes)
  }

  #sentFrom(): SentFrom {
    const { offset, row } = this.#fold.nextPosition()
    return { offset: Number(offset), row }
  }

  #spreadOf(account: AccountState): SpreadAccount {
    if (account.spread === undefined) {
      account.spread = new SpreadAccount(account.account, this.#seat)
      // All that was heard of it may be lost; where nothing is, home speaks of the share before it sends its events.
      if (this.#fold.isExact() && this.#seat.topic === KEYED_TOPIC) account.spread.doubt()
    }
    return account.spread
  }
}
