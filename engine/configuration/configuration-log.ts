import {
  type ConfigurationEvent,
  configurationEventOf,
  configurationEventType,
  configurationLossType,
} from '../../schemas/log/configuration.ts'
import type { Clock } from '../clock/clock.ts'
import type { Entropy } from '../entropy/entropy.ts'
import { LogError, type LogRecord, type Topic } from '../log/log.ts'
import type { Logger } from '../logger.ts'
import { EndDigest, type EndMark } from './end-mark.ts'
import { storedText } from './entity-text.ts'
import { ConfigurationFold } from './fold.ts'
import { ConfigurationHistory } from './history.ts'
import type { AnyKind, ConfigurationView, Entity, Kind } from './kind.ts'
import { KINDS } from './kinds.ts'
import { REPEAT_WITHIN_RECORDS, RecentEvents } from './recent-events.ts'
import { ConfigurationRejected, type Rejection } from './rejection.ts'
import { Seal } from './seal.ts'
import { isSnapshotPart, newestSnapshot, writeSnapshot } from './snapshot.ts'

const READ_BYTES = 4_000_000
const SNAPSHOT_EVERY_EVENTS = 10_000
const FILLED_AT_ONCE = 256

export interface ConfigurationLogOptions {
  /** `weir.config`: one partition, kept for ever. */
  readonly topic: Topic
  readonly clock: Clock
  readonly entropy: Entropy
  /** 32 bytes: encrypts what must not stand in clear on the disk. Or a seal that does. */
  readonly secretKey: Buffer | Seal
  readonly logger: Logger
  readonly snapshotEveryEvents?: number
}

/** Who keeps in mind how far the log has come. */
export interface EndKeeper {
  /** Resolves once the mark is kept, or known to be kept later. */
  reach(mark: EndMark): Promise<void>
}

/** Who writes: for the audit that the log is. */
export interface Author {
  readonly subjectId: string
  /** Short id; empty when it concerns no single account. */
  readonly account: string
}

/** One change to be written, its value in clear. */
export interface Change {
  readonly kind: AnyKind
  readonly id: string
  /** 0: must not exist yet; -1: whatever it is. */
  readonly expectedVersion: number
  /** undefined: the entity goes. */
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
 * The configuration of an installation, kept as a log of events on one partition. Every process folds it in
 * offset order; concurrent writers are settled by the log, not by a lock: an event whose expectation does not hold
 * where it stands is ignored by everyone, and its writer learns so.
 */
export class ConfigurationLog implements ConfigurationView {
  readonly #options: ConfigurationLogOptions
  readonly #seal: Seal
  readonly #fold: ConfigurationFold
  readonly #recent = new RecentEvents()
  readonly #listeners = new Set<() => void>()
  /** Own events on their way, and what became of those that were read back. */
  readonly #awaited = new Map<string, Rejection | 'accepted' | undefined>()
  /** Events that everybody ignores, among those that were folded here. */
  readonly #ignored = new Set<bigint>()
  readonly #end = new EndDigest()
  #keeper: EndKeeper | undefined
  #history: ConfigurationHistory | undefined
  /** Where the fold began: what was before came from a snapshot. */
  #foldedFrom = 0n
  #next = 0n
  #eventsSinceSnapshot = 0
  #reading: Promise<void> | undefined

  private constructor(options: ConfigurationLogOptions) {
    this.#options = options
    const { secretKey, entropy } = options
    this.#seal = secretKey instanceof Seal ? secretKey : new Seal(secretKey, entropy)
    this.#fold = new ConfigurationFold(KINDS, this.#seal)
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

  /** No entity has a higher version yet, and every change to come gets one. */
  get highestVersion(): number {
    return this.#fold.versionBelow(this.#next)
  }

  /** Losses of the log that were accepted. */
  get losses(): number {
    return this.#fold.losses
  }

  get topic(): Topic {
    return this.#options.topic
  }

  get seal(): Seal {
    return this.#seal
  }

  /** From now on writes are answered when their end is kept in mind: see `EndMark`. */
  keepEnd(keeper: EndKeeper): void {
    this.#keeper = keeper
  }

  /** Every change that was ever taken. Nothing is read for it before it is asked. */
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
   * Writes changes, all or none, and answers when this process has read them back: its next read shows them.
   *
   * @throws ConfigurationRejected when the configuration does not take them; nothing has changed
   * @throws LogError as `Topic.append`; after LOG_UNAVAILABLE it is unknown whether they hold
   */
  async append(changes: readonly Change[], author: Author): Promise<void> {
    const event = this.#eventOf(changes, author)
    await this.#foresee(event)
    await this.#write(event, configurationEventType.encode(event))
    await this.#snapshotIfDue()
  }

  /** Writes changes of which one accepts a loss; everything else as `append`. */
  async appendLoss(changes: readonly Change[], author: Author): Promise<void> {
    await this.#write(...encodedLoss(this.#eventOf(changes, author)))
  }

  /** Takes every offset below one with events that change nothing, so that none of them is ever used for a change. */
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
    this.#awaited.set(event.id, undefined)
    try {
      const { offset } = await this.#options.topic.append(0, { value, producer: null, priority: 'control' })
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

  /** Most conflicts show before the event is written, and then need not burden the log for ever. */
  async #foresee(event: ConfigurationEvent): Promise<void> {
    if (this.#fold.check(event) === undefined) return
    await this.catchUp() // What stood in the way may be gone already.
    const rejection = this.#fold.check(event)
    if (rejection !== undefined) throw new ConfigurationRejected(rejection)
  }

  /** Reads what other processes wrote until now. */
  async catchUp(): Promise<void> {
    const { next } = await this.#options.topic.bounds(0)
    await this.#readBeyond(next - 1n)
  }

  /** Keeps reading until the signal is aborted; an error of the log is retried, any other ends it. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#options.topic.waitBeyond(0, this.#next, signal)
        if (!signal.aborted) await this.catchUp()
      } catch (error) {
        if (signal.aborted) return
        if (!(error instanceof LogError && error.retriable)) throw error
        this.#options.logger.warn({ err: error }, 'the configuration log cannot be read; trying again')
        await this.#options.clock.sleep(1000, signal)
      }
    }
  }

  /** Calls the listener after each change; the returned function ends it. */
  subscribe(listener: () => void): () => void {
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

  /** Learns which events lie right before those that are read first: for their repeats, and for the digest. */
  async #recall(first: bigint): Promise<void> {
    const { topic } = this.#options
    const repeats = this.#next - REPEAT_WITHIN_RECORDS
    const digest = EndDigest.neededFrom(this.#next)
    let from = digest
    if (repeats < from) from = repeats
    if (first > from) from = first
    while (from < this.#next) {
      const records = await topic.read(0, from, READ_BYTES)
      if (records.length === 0) return
      for (const record of records) {
        from = record.offset + 1n
        if (from > this.#next) continue
        this.#end.add(record)
        if (isSnapshotPart(record)) continue
        const { id } = configurationEventOf(record.value)
        if (record.offset >= repeats) this.#recent.note(id, record.offset)
      }
    }
  }

  /** One reader at a time; whoever comes meanwhile waits for it and looks again. */
  async #readBeyond(offset: bigint): Promise<void> {
    while (this.#next <= offset) {
      this.#reading ??= this.#readOn().finally(() => {
        this.#reading = undefined
      })
      await this.#reading
    }
  }

  async #readOn(): Promise<void> {
    const records = await this.#options.topic.read(0, this.#next, READ_BYTES)
    // What was there a moment ago is: a broker that has just begun to lead may not know it yet.
    if (records.length === 0)
      throw new LogError('LOG_UNAVAILABLE', `the configuration log ends before offset ${this.#next}`, {
        retriable: true,
      })
    let changed = false
    for (const record of records) {
      changed = this.#take(record) || changed
      this.#next = record.offset + 1n
    }
    if (changed) for (const listener of this.#listeners) listener()
  }

  #take(record: LogRecord): boolean {
    this.#end.add(record)
    if (isSnapshotPart(record)) {
      this.#eventsSinceSnapshot = 0
      return false
    }
    const event = configurationEventOf(record.value)
    this.#eventsSinceSnapshot++
    // An event that a broken link has doubled is what it was the first time, whatever others have done since.
    if (!this.#recent.note(event.id, record.offset)) {
      this.#ignored.add(record.offset)
      return false
    }
    const rejection = this.#fold.apply(event, record.offset)
    if (rejection !== undefined) this.#ignored.add(record.offset)
    if (this.#awaited.has(event.id)) this.#awaited.set(event.id, rejection ?? 'accepted')
    return rejection === undefined
  }

  /** A snapshot that cannot be written only makes the next start slower. */
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

function encodedLoss(event: ConfigurationEvent): [event: ConfigurationEvent, value: Buffer] {
  return [event, configurationLossType.encode(event)]
}
