import {
  type ConfigurationChange,
  type ConfigurationEvent,
  configurationEventOf,
  configurationEventType,
  configurationLossType,
} from '../../schemas/log/configuration.ts'
import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import { LogError, type LogRecord, type Priority, type Topic } from '../log/log.ts'
import { LONG_READ_BYTES, recordsBetween } from '../log/records-between.ts'
import type { Logger } from '../logger.ts'
import type { Steps } from '../steps.ts'
import { inTurns, LoopTurns } from '../turns/loop-turns.ts'
import { ChangeBudget, type Payer } from './change-budget.ts'
import { ConfigurationFold, type ReadValues } from './configuration-fold.ts'
import { EndDigest, type EndMark } from './end-mark.ts'
import { enterpriseOfAccount, enterpriseShiftOf } from './enterprise-accounts.ts'
import { ENTERPRISE_ITSELF } from './enterprise-shares.ts'
import { storingText } from './entity-text.ts'
import { ConfigurationHistory } from './history.ts'
import type { AnyKind, ConfigurationView, Entity, Kind } from './kind.ts'
import { KINDS } from './kinds.ts'
import { REPEAT_WITHIN_RECORDS, RecentEvents } from './recent-events.ts'
import { ConfigurationRejected, type Rejection } from './rejection.ts'
import { Seal } from './seal.ts'
import { ACCOUNT_CHARACTERS, SizeBounds } from './size-bounds.ts'
import { isSnapshotPart, newestSnapshot, writeSnapshot } from './snapshot.ts'
import { type Urgency, urgencyOf } from './urgency.ts'

const SNAPSHOT_EVERY_EVENTS = 10_000
/**
 * A longer configuration is only written again after as many bytes of events. Ten thousand short events would otherwise
 * put hundreds of megabytes on the log.
 */
const FREE_SNAPSHOT_CHARACTERS = 4_194_304
const FILLED_AT_ONCE = 256
/**
 * Number of attempts after which a short log counts as cut off. A new leader among the brokers may lack its end for a
 * moment.
 */
const SHORT_LOOKS = 5
/** Pauses after errors of the log. */
const PAUSES = { firstMs: 250, longestMs: 2_000 }

export interface ConfigurationLogOptions {
  /** `weir.config`: one partition, kept forever. */
  readonly topic: Topic
  readonly clock: Clock
  readonly entropy: Entropy
  /** 32 bytes that encrypt secrets on the disk, or a seal that does so. */
  readonly secretKey: Buffer | Seal
  readonly logger: Logger
  readonly snapshotEveryEvents?: number
  /** Maximum length of the texts that are stored for an account, together; absent: `ACCOUNT_CHARACTERS`. */
  readonly accountCharacters?: number | undefined
  /** Bytes of changes that an account may write per hour; absent: `CHANGE_BYTES_PER_HOUR`. */
  readonly changeBytesPerHour?: number | undefined
}

/** Records how far the log has come. */
export interface EndKeeper {
  /** Resolves once the mark is kept, or is certain to be kept later. */
  reach(mark: EndMark): Promise<void>
}

/** An entity that an event has created, replaced or removed. */
export interface ChangedEntity {
  /** Name of its kind. */
  readonly kind: string
  readonly id: string
}

export type ChangeListener = (changed: readonly ChangedEntity[]) => void

/** Author of a change, for the audit. */
export interface Author {
  readonly subjectId: string
  /** Short id; empty when the change concerns several accounts or none. */
  readonly account: string
  /** Key of the enterprise whose budget counts the change; absent: that of the account, if it belongs to one. */
  readonly enterprise?: string | undefined
  /** true: the program itself decided on the change, so no budget refuses it. */
  readonly isProgram?: boolean
}

/** A change to be written, with its value in plain text. */
export interface Change {
  readonly kind: AnyKind
  readonly id: string
  /** 0: the entity must not exist yet; -1: any version. */
  readonly expectedVersion: number
  /** undefined: the entity is removed. */
  readonly value: unknown
}

export function create<Value>(kind: Kind<Value>, id: string, value: Value): Change {
  return { kind, id, expectedVersion: 0, value }
}

export function replace<Value>(kind: Kind<Value>, entity: Entity<Value>, value: Value): Change {
  return { kind, id: entity.id, expectedVersion: entity.version, value }
}

export function remove<Value>(kind: Kind<Value>, entity: Entity<Value>): Change {
  return { kind, id: entity.id, expectedVersion: entity.version, value: undefined }
}

/** An own event that is being written. */
interface AwaitedEvent {
  /** Long values, so that they are read once. */
  readonly values: ReadValues | undefined
  /** The verdict, once the event was read back. */
  outcome?: Rejection | 'accepted'
}

/** A record of the log that was read; those of snapshots have no event. */
interface ReadRecord {
  readonly record: LogRecord
  readonly event: ConfigurationEvent | undefined
  readonly values?: ReadValues
}

const PRIORITIES: Readonly<Record<Urgency, Priority>> = {
  ordinary: 'change',
  essential: 'essential',
  act: 'essential',
  relief: 'control',
}

/**
 * The configuration of an installation, kept as a log of events on one partition. Every process folds it in offset order.
 * The log, not a lock, resolves concurrent writes: every process ignores an event whose expectation does not hold at its
 * place. The writer of that event gets an error.
 */
export class ConfigurationLog implements ConfigurationView {
  readonly #options: ConfigurationLogOptions
  readonly #seal: Seal
  readonly #fold: ConfigurationFold
  readonly #recent = new RecentEvents()
  readonly #listeners = new Set<ChangeListener>()
  readonly #turns: LoopTurns
  /** Own events that are being written, by id. */
  readonly #awaited = new Map<string, AwaitedEvent>()
  /** Offsets of ignored events, of those that this process folded. */
  readonly #ignored = new Set<bigint>()
  readonly #end = new EndDigest()
  readonly #bounds: SizeBounds
  readonly #budget: ChangeBudget
  #keeper: EndKeeper | undefined
  #history: ConfigurationHistory | undefined
  /** First offset that this process folded; a snapshot contains the changes before it. */
  #foldedFrom = 0n
  #next = 0n
  #sinceSnapshot = { events: 0, bytes: 0 }
  /** Looks in a row that found a log which ends before this process's end. */
  #shortLooks = 0
  #lostEnd: string | undefined
  #reading: Promise<void> | undefined

  private constructor(options: ConfigurationLogOptions) {
    this.#options = options
    const { secretKey, entropy } = options
    this.#seal = secretKey instanceof Seal ? secretKey : new Seal(secretKey, entropy)
    this.#fold = new ConfigurationFold(KINDS, this.#seal)
    this.#bounds = new SizeBounds(this.#fold, options.accountCharacters)
    this.#budget = new ChangeBudget(options.clock, options.changeBytesPerHour)
    this.#turns = new LoopTurns(options.clock)
  }

  /**
   * Reads the log to its present end.
   *
   * @throws SealError when it was written with another secret key
   */
  static async open(options: ConfigurationLogOptions): Promise<ConfigurationLog> {
    const log = new ConfigurationLog(options)
    const snapshot = await newestSnapshot(options.topic)
    for (const entity of snapshot?.entities ?? []) log.#fold.restore(entity)
    const { first } = await options.topic.bounds(0)
    log.#next = snapshot?.upTo ?? first
    log.#foldedFrom = log.#next
    await log.#recall(first)
    await log.catchUp()
    log.#budget.follow(log)
    return log
  }

  /** First offset that has not been read yet. */
  get nextOffset(): bigint {
    return this.#next
  }

  /** The present end; undefined while the log is empty. */
  get endMark(): EndMark | undefined {
    if (this.#next === 0n) return undefined
    const { logId } = this.#options.topic
    const { losses } = this.#fold
    return { logId, losses, next: this.#next, version: this.highestVersion, digest: this.#end.text }
  }

  /** Highest version of any entity; every later change gets a higher one. */
  get highestVersion(): number {
    return this.#fold.versionBelow(this.#next)
  }

  /** Number of accepted losses of the log. */
  get losses(): number {
    return this.#fold.losses
  }

  get topic(): Topic {
    return this.#options.topic
  }

  get seal(): Seal {
    return this.#seal
  }

  /** Sentence about an end that was lost while this process ran. */
  get lostEnd(): string | undefined {
    return this.#lostEnd
  }

  /**
   * Checks that the log still ends where this process has read to, and that it is the same log. No request is made if no
   * other process can have changed that.
   *
   * @throws LogError like `Topic.bounds`
   */
  async noteEnd(): Promise<void> {
    await this.#lookAtEnd(1)
  }

  /** @param looks number of regular checks that this one replaces */
  async #lookAtEnd(looks: number): Promise<void> {
    const { topic } = this.#options
    if (topic.presentId === undefined || this.#shortLooks >= SHORT_LOOKS) return
    const read = this.#next
    const [id, { next }] = await Promise.all([topic.presentId(), topic.bounds(0)])
    if (id !== topic.logId) this.#noteShort(SHORT_LOOKS)
    else if (next < read) this.#noteShort(this.#shortLooks + looks)
    else this.#noteWhole()
  }

  #noteWhole(): void {
    this.#shortLooks = 0
    this.#lostEnd = undefined
  }

  #noteShort(looks: number): void {
    this.#shortLooks = looks
    this.#lostEnd = lostEndSentence(this.#next)
  }

  #assertEnd(): void {
    if (this.#lostEnd !== undefined) throw new LogError('LOG_TAIL_LOST', this.#lostEnd)
  }

  /** Makes later writes wait until the end of the log is recorded: see `EndMark`. */
  keepEnd(keeper: EndKeeper): void {
    this.#keeper = keeper
  }

  /** History of all accepted changes. It reads the log only on its first use. */
  get history(): ConfigurationHistory {
    this.#history ??= new ConfigurationHistory({
      topic: this.#options.topic,
      seal: this.#seal,
      folded: () => ({ from: this.#foldedFrom, next: this.#next }),
      isIgnored: offset => this.#ignored.has(offset),
    })
    return this.#history
  }

  get<Value>(kind: Kind<Value>, id: string): Entity<Value> | undefined {
    return this.#fold.get(kind, id)
  }

  find<Value>(kind: Kind<Value>, name: string, text: string): Entity<Value> | undefined {
    return this.#fold.find(kind, name, text)
  }

  list<Value>(kind: Kind<Value>, account?: string): Entity<Value>[] {
    return this.#fold.list(kind, account)
  }

  /** Length of the stored text of an entity; 0 without one. */
  charactersOf(kind: AnyKind, id: string): number {
    return this.#fold.textOf(kind, id).length
  }

  /** Maximum length of the stored texts of an account, of the kinds that users size. */
  get accountCharacters(): number {
    return this.#options.accountCharacters ?? ACCOUNT_CHARACTERS
  }

  count(kind: AnyKind, account: string): number {
    return this.#fold.count(kind, account)
  }

  /**
   * Writes changes, all or none. Resolves when this process has read them back, so that its next read shows them. Long values are
   * printed and read in turns with other work.
   *
   * @throws ConfigurationRejected when the configuration refuses the changes; nothing has changed
   * @throws BudgetExhausted when the account, or its enterprise, has written too much; nothing has changed
   * @throws LogError like `Topic.append`; after LOG_UNAVAILABLE it is unknown whether the changes hold
   */
  async append(changes: readonly Change[], author: Author): Promise<void> {
    const event = await this.#inTurns(this.#makingEvent(changes, author))
    const stored = changes.map((change, index) => ({ ...change, text: event.changes[index]?.value ?? '' }))
    const giveBack = this.#bounds.take(stored)
    try {
      const values = await this.#inTurns(this.#fold.reading(event))
      await this.#foresee(event, values)
      const value = configurationEventType.encode(event)
      const urgency = urgencyOf(stored, this.#fold)
      const priority = PRIORITIES[urgency]
      const price = { bytes: value.length, urgency, shift: enterpriseShiftOf(stored, this.#fold) }
      await this.#budget.spend(this.#payerOf(author), price, () =>
        this.#write(event, value, { priority, values }),
      )
    } finally {
      giveBack()
    }
    await this.#snapshotIfDue()
  }

  /** Writes changes, one of which accepts a loss; otherwise like `append`. */
  async appendLoss(changes: readonly Change[], author: Author): Promise<void> {
    await this.#writeLoss(changes, author)
  }

  /** Uses up every offset below `next` with events without changes, so that no change ever gets one of them. */
  async fillUpTo(next: bigint, author: Author): Promise<void> {
    while (this.#next < next) {
      const missing = Math.min(Number(next - this.#next), FILLED_AT_ONCE)
      const fillers = Array.from({ length: missing }, () => this.#writeLoss([], author))
      await Promise.all(fillers)
    }
  }

  async #writeLoss(changes: readonly Change[], author: Author): Promise<void> {
    const event = await this.#inTurns(this.#makingEvent(changes, author))
    await this.#write(event, configurationLossType.encode(event), { priority: 'control' })
  }

  async #write(
    event: ConfigurationEvent,
    value: Buffer,
    { priority, values }: { readonly priority: Priority; readonly values?: ReadValues },
  ): Promise<void> {
    await this.#lookAtEnd(0)
    this.#assertEnd()
    const awaited: AwaitedEvent = { values }
    this.#awaited.set(event.id, awaited)
    try {
      const read = this.#next
      const { offset } = await this.#options.topic.append(0, { value, producer: null, priority })
      if (offset < read) this.#noteShort(SHORT_LOOKS)
      this.#assertEnd()
      await this.#readBeyond(offset)
      const { outcome } = awaited
      if (outcome === undefined) throw new Error(`configuration event at ${offset} was not read back`)
      if (outcome !== 'accepted') throw new ConfigurationRejected(outcome)
    } finally {
      this.#awaited.delete(event.id)
    }
    const mark = this.endMark
    if (mark !== undefined) await this.#keeper?.reach(mark)
  }

  /** Most conflicts are visible before the event is written; refusing it early keeps it off the log. */
  async #foresee(event: ConfigurationEvent, values: ReadValues): Promise<void> {
    if (this.#fold.check(event, values) === undefined) return
    await this.catchUp() // The conflicting state may be out of date.
    const rejection = this.#fold.check(event, values)
    if (rejection !== undefined) throw new ConfigurationRejected(rejection)
  }

  /** Reads the events that other processes have written until now. */
  async catchUp(): Promise<void> {
    const { next } = await this.#options.topic.bounds(0)
    await this.#readBeyond(next - 1n)
  }

  /** Keeps reading until the signal is aborted. Errors of the log are retried; any other error ends it. */
  async follow(signal: AbortSignal): Promise<void> {
    const backOff = new BackOff(this.#options.clock, PAUSES)
    while (!signal.aborted) {
      try {
        await this.#options.topic.waitBeyond(0, this.#next, signal)
        if (!signal.aborted) await this.catchUp()
        backOff.reset()
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof LogError && error.retriable)) throw error
        this.#options.logger.warn({ err: error }, 'the configuration log cannot be read; trying again')
        await backOff.pause(signal)
      }
    }
  }

  /** Calls the listener after each change; the returned function ends it. */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #payerOf({ account, enterprise, isProgram }: Author): Payer | undefined {
    if (isProgram) return undefined
    if (enterprise !== undefined) return { account, enterprise, sharer: ENTERPRISE_ITSELF }
    return { account, enterprise: enterpriseOfAccount(this.#fold, account), sharer: account }
  }

  *#makingEvent(changes: readonly Change[], { subjectId, account }: Author): Steps<ConfigurationEvent> {
    const { clock, entropy } = this.#options
    const event = { id: entropy.uuid(), atMs: clock.wallMs(), actor: subjectId, account }
    const written: ConfigurationChange[] = []
    for (const { kind, id, expectedVersion, value } of changes) {
      const text = value === undefined ? '' : yield* storingText(kind, id, value, this.#seal)
      written.push({ kind: kind.name, entity: id, expectedVersion, value: text })
    }
    return { ...event, changes: written }
  }

  #inTurns<Result>(steps: Steps<Result>): Promise<Result> {
    return inTurns(steps, this.#turns.begin())
  }

  /** Reads the events right before the first folded one, to recognise their repeats and to compute the digest. */
  async #recall(first: bigint): Promise<void> {
    const { topic } = this.#options
    const repeats = this.#next - REPEAT_WITHIN_RECORDS
    const digest = EndDigest.neededFrom(this.#next)
    let from = digest
    if (repeats < from) from = repeats
    if (first > from) from = first
    for await (const record of recordsBetween(topic, 0, { first: from, next: this.#next })) {
      this.#end.add(record)
      if (isSnapshotPart(record)) continue
      const { id } = configurationEventOf(record.value)
      if (record.offset >= repeats) this.#recent.note(id, record.offset)
    }
  }

  /** One read runs at a time; later callers wait for it and check again. */
  async #readBeyond(offset: bigint): Promise<void> {
    while (this.#next <= offset) {
      this.#reading ??= this.#readOn().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
  }

  async #readOn(): Promise<void> {
    const records = await this.#options.topic.read(0, this.#next, LONG_READ_BYTES)
    // These records existed a moment ago: a new leader among the brokers may lack them for a moment.
    if (records.length === 0)
      throw new LogError('LOG_UNAVAILABLE', `the configuration log ends before offset ${this.#next}`, {
        retriable: true,
      })
    const events = await this.#inTurns(this.#readingEvents(records))
    const changed: ChangedEntity[] = []
    let hasChanged = false
    for (const read of events) {
      const changes = this.#take(read)
      hasChanged ||= changes !== undefined
      for (const { kind, entity } of changes ?? []) changed.push({ kind, id: entity })
      this.#next = read.record.offset + 1n
    }
    if (hasChanged) for (const listener of this.#listeners) listener(changed)
  }

  /** Reads records before they are taken together: nobody sees a part of them. */
  *#readingEvents(records: readonly LogRecord[]): Steps<ReadRecord[]> {
    const read: ReadRecord[] = []
    for (const record of records) {
      if (isSnapshotPart(record)) {
        read.push({ record, event: undefined })
        continue
      }
      const event = configurationEventOf(record.value)
      yield
      const values = this.#awaited.get(event.id)?.values ?? (yield* this.#fold.reading(event))
      read.push({ record, event, values })
    }
    return read
  }

  /** @returns the changes of a record that was not ignored */
  #take({ record, event, values }: ReadRecord): ConfigurationEvent['changes'] | undefined {
    this.#end.add(record)
    if (event === undefined) {
      this.#sinceSnapshot = { events: 0, bytes: 0 }
      return undefined
    }
    this.#sinceSnapshot.events++
    this.#sinceSnapshot.bytes += record.value.length
    // An event that a broken connection has duplicated has no second effect, whatever other changes followed.
    if (!this.#recent.note(event.id, record.offset)) {
      this.#ignored.add(record.offset)
      return undefined
    }
    const rejection = this.#fold.apply(event, record.offset, values)
    if (rejection !== undefined) this.#ignored.add(record.offset)
    const awaited = this.#awaited.get(event.id)
    if (awaited !== undefined) awaited.outcome = rejection ?? 'accepted'
    return rejection === undefined ? event.changes : undefined
  }

  /** A failed snapshot only makes the next start slower. */
  async #snapshotIfDue(): Promise<void> {
    const { topic, entropy, logger, snapshotEveryEvents = SNAPSHOT_EVERY_EVENTS } = this.#options
    const { events, bytes } = this.#sinceSnapshot
    if (events < snapshotEveryEvents) return
    const { allCharacters } = this.#fold
    if (allCharacters > FREE_SNAPSHOT_CHARACTERS && bytes < allCharacters) return
    this.#sinceSnapshot = { events: 0, bytes: 0 }
    const snapshot = { upTo: this.#next, entities: [...this.#fold.entities()] }
    try {
      await writeSnapshot(topic, entropy.uuid(), snapshot, this.losses > 0)
    } catch (error) {
      logger.warn({ err: error }, 'no snapshot of the configuration could be written')
    }
  }
}

function lostEndSentence(next: bigint): string {
  return (
    `The configuration log (weir.config) lost events before ${next} while this process ran, or was created again. It takes no ` +
    'changes. Restore it from a complete copy. Without one, stop every process of this installation and start one: it names the ' +
    'missing events and the command that accepts their loss'
  )
}
