import {
  type ConfigurationEvent,
  configurationEventOf,
  configurationEventType,
  configurationLossType,
} from '../../schemas/log/configuration.ts'
import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import { LogError, type LogRecord, type Topic } from '../log/log.ts'
import { LONG_READ_BYTES, recordsBetween } from '../log/records-between.ts'
import type { Logger } from '../logger.ts'
import { ConfigurationFold } from './configuration-fold.ts'
import { EndDigest, type EndMark } from './end-mark.ts'
import { storedText } from './entity-text.ts'
import { ConfigurationHistory } from './history.ts'
import type { AnyKind, ConfigurationView, Entity, Kind } from './kind.ts'
import { KINDS } from './kinds.ts'
import { REPEAT_WITHIN_RECORDS, RecentEvents } from './recent-events.ts'
import { ConfigurationRejected, type Rejection } from './rejection.ts'
import { Seal } from './seal.ts'
import { SizeBounds } from './size-bounds.ts'
import { isSnapshotPart, newestSnapshot, writeSnapshot } from './snapshot.ts'

const SNAPSHOT_EVERY_EVENTS = 10_000
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
  /** Own events that are being written, with the verdict on those that were read back. */
  readonly #awaited = new Map<string, Rejection | 'accepted' | undefined>()
  /** Offsets of ignored events, of those that this process folded. */
  readonly #ignored = new Set<bigint>()
  readonly #end = new EndDigest()
  readonly #bounds: SizeBounds
  #keeper: EndKeeper | undefined
  #history: ConfigurationHistory | undefined
  /** First offset that this process folded; a snapshot contains the changes before it. */
  #foldedFrom = 0n
  #next = 0n
  #eventsSinceSnapshot = 0
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

  count(kind: AnyKind, account: string): number {
    return this.#fold.count(kind, account)
  }

  /**
   * Writes changes, all or none. Resolves when this process has read them back, so that its next read shows them.
   *
   * @throws ConfigurationRejected when the configuration refuses the changes; nothing has changed
   * @throws LogError like `Topic.append`; after LOG_UNAVAILABLE it is unknown whether the changes hold
   */
  async append(changes: readonly Change[], author: Author): Promise<void> {
    const event = this.#eventOf(changes, author)
    const sizes = changes.map((change, index) => ({
      ...change,
      characters: event.changes[index]?.value.length ?? 0,
    }))
    const giveBack = this.#bounds.take(sizes)
    try {
      await this.#foresee(event)
      await this.#write(event, configurationEventType.encode(event))
    } finally {
      giveBack()
    }
    await this.#snapshotIfDue()
  }

  /** Writes changes, one of which accepts a loss; otherwise like `append`. */
  async appendLoss(changes: readonly Change[], author: Author): Promise<void> {
    await this.#write(...encodedLoss(this.#eventOf(changes, author)))
  }

  /** Uses up every offset below `next` with events without changes, so that no change ever gets one of them. */
  async fillUpTo(next: bigint, author: Author): Promise<void> {
    while (this.#next < next) {
      const missing = Math.min(Number(next - this.#next), FILLED_AT_ONCE)
      const fillers = Array.from({ length: missing }, () =>
        this.#write(...encodedLoss(this.#eventOf([], author))),
      )
      await Promise.all(fillers)
    }
  }

  async #write(event: ConfigurationEvent, value: Buffer): Promise<void> {
    await this.#lookAtEnd(0)
    this.#assertEnd()
    this.#awaited.set(event.id, undefined)
    try {
      const read = this.#next
      const { offset } = await this.#options.topic.append(0, { value, producer: null, priority: 'control' })
      if (offset < read) this.#noteShort(SHORT_LOOKS)
      this.#assertEnd()
      await this.#readBeyond(offset)
      const outcome = this.#awaited.get(event.id)
      if (outcome === undefined) throw new Error(`configuration event at ${offset} was not read back`)
      if (outcome !== 'accepted') throw new ConfigurationRejected(outcome)
    } finally {
      this.#awaited.delete(event.id)
    }
    const mark = this.endMark
    if (mark !== undefined) await this.#keeper?.reach(mark)
  }

  /** Most conflicts are visible before the event is written; refusing it early keeps it off the log. */
  async #foresee(event: ConfigurationEvent): Promise<void> {
    if (this.#fold.check(event) === undefined) return
    await this.catchUp() // The conflicting state may be out of date.
    const rejection = this.#fold.check(event)
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

  #eventOf(changes: readonly Change[], { subjectId, account }: Author): ConfigurationEvent {
    const { clock, entropy } = this.#options
    return {
      id: entropy.uuid(),
      atMs: clock.wallMs(),
      actor: subjectId,
      account,
      changes: changes.map(({ kind, id, expectedVersion, value }) => ({
        kind: kind.name,
        entity: id,
        expectedVersion,
        value: value === undefined ? '' : storedText(kind, id, value, this.#seal),
      })),
    }
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
    const changed: ChangedEntity[] = []
    let hasChanged = false
    for (const record of records) {
      const changes = this.#take(record)
      hasChanged ||= changes !== undefined
      for (const { kind, entity } of changes ?? []) changed.push({ kind, id: entity })
      this.#next = record.offset + 1n
    }
    if (hasChanged) for (const listener of this.#listeners) listener(changed)
  }

  /** @returns the changes of a record that was not ignored */
  #take(record: LogRecord): ConfigurationEvent['changes'] | undefined {
    this.#end.add(record)
    if (isSnapshotPart(record)) {
      this.#eventsSinceSnapshot = 0
      return undefined
    }
    const event = configurationEventOf(record.value)
    this.#eventsSinceSnapshot++
    // An event that a broken connection has duplicated has no second effect, whatever other changes followed.
    if (!this.#recent.note(event.id, record.offset)) {
      this.#ignored.add(record.offset)
      return undefined
    }
    const rejection = this.#fold.apply(event, record.offset)
    if (rejection !== undefined) this.#ignored.add(record.offset)
    if (this.#awaited.has(event.id)) this.#awaited.set(event.id, rejection ?? 'accepted')
    return rejection === undefined ? event.changes : undefined
  }

  /** A failed snapshot only makes the next start slower. */
  async #snapshotIfDue(): Promise<void> {
    const { topic, entropy, logger, snapshotEveryEvents = SNAPSHOT_EVERY_EVENTS } = this.#options
    if (this.#eventsSinceSnapshot < snapshotEveryEvents) return
    this.#eventsSinceSnapshot = 0
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

function encodedLoss(event: ConfigurationEvent): [event: ConfigurationEvent, value: Buffer] {
  return [event, configurationLossType.encode(event)]
}
