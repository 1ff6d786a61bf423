import { configurationEventOf } from '../../schemas/log/configuration.ts'
import type { Cut } from '../../schemas/log/control.ts'
import { BackOff } from '../clock/back-off.ts'
import type { Clock } from '../clock/clock.ts'
import { LogError } from '../log/log.ts'
import { recordsBetween } from '../log/records-between.ts'
import type { Logger } from '../logger.ts'
import { MINUTE_MS } from '../times/duration.ts'
import type { ConfigurationLog, EndKeeper } from './configuration-log.ts'
import { type EndMark, isBeyond, type MarkKeeper, MarkUnreadableError } from './end-mark.ts'
import {
  type KeptEnd,
  type KeptMark,
  type LostConfiguration,
  lostConfiguration,
} from './lost-configuration.ts'
import { isSnapshotPart } from './snapshot.ts'

/** Changes that a store has missed over a longer time show that it is an older copy: its mark follows within seconds. */
const STORE_IS_OLDER_MS = MINUTE_MS
/** Time that a writer waits for the mark in the store. Then the store counts as unavailable until it has caught up. */
const STORE_PATIENCE_MS = 1_000
const PAUSES = { firstMs: 200, longestMs: 2_000 }
/** A store that does not answer within this time counts as unavailable. */
const ANSWER_WITHIN_MS = 10_000
/** Limit for reading the cuts of partitions, so that a process accepts lines even while the store is unavailable. */
const CUTS_WITHIN_MS = 10_000
/** Number of attempts: a new leader among the brokers may lack the newest records for a moment. */
const LOOKS_AGAIN = 5
const LOOK_PAUSE_MS = 500

export interface ConfigurationEndOptions {
  readonly configuration: ConfigurationLog
  /** Place of the mark beside the log; absent where several processes share the log. */
  readonly file: MarkKeeper | undefined
  /** Place of the mark in the store; absent where the process does not write the configuration. */
  readonly store: MarkKeeper | undefined
  /**
   * Place of the end among those of all partitions: it reveals a log whose marks are as old as itself. Absent where several
   * processes share the log.
   */
  readonly note?: EndNote
  /** Newest cut of each entity that partition logs and checkpoints know; with a time limit, those found in time. */
  readonly knownCuts: (withinMs?: number) => Promise<readonly Cut[]>
  /** Whether other processes write the log at the same time. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly logger: Logger
  /** Called when a store that was unavailable at the start knows more than the log has. */
  readonly onLost: (lost: LostConfiguration) => void
  /** Called when such a store has no mark that can be read. */
  readonly onUnreadable: (error: MarkUnreadableError) => void
}

/** A place that keeps the mere end of the log. */
export interface EndNote {
  readonly place: string
  /** Offset after the last known record; 0 when unknown. */
  read(): bigint
  /** Resolves when the end is written, or cannot be: only the marks count. A power cut may still lose the end. */
  note(next: bigint): Promise<void>
}

/** Times of the first and the last change that the store does not know of, UNIX ms. */
export interface OlderStore {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * Records how far the configuration log has come, and compares the log with this record. A log that ends before the mark has lost
 * changes, and every token that was revoked by them would work again.
 */
export class ConfigurationEnd implements EndKeeper {
  readonly #options: ConfigurationEndOptions
  readonly #stop = new AbortController()
  /** Ends the pause before the next attempt on the store. */
  #pause = new AbortController()
  readonly #file: MarkWriter | undefined
  readonly #store: MarkWriter | undefined
  /** Whether the store's mark was compared with the log: only then may another mark replace it. */
  #storeIsJudged = false
  #behindSinceMs: number | undefined
  #olderStore: OlderStore | undefined
  #following: Promise<void> | undefined
  #newest: EndMark | undefined

  constructor(options: ConfigurationEndOptions) {
    this.#options = options
    this.#file = options.file && new MarkWriter(options.file)
    this.#store = options.store && new MarkWriter(options.store)
  }

  /**
   * Checks that the log contains everything that is known of it. A store that is unavailable is checked later.
   *
   * @throws MarkUnreadableError; LogError
   */
  async findLoss(): Promise<LostConfiguration | undefined> {
    const { file, store } = this.#options
    const kept: KeptMark[] = []
    const inFile = file && (await file.read())
    const inStore = store && (await this.#markOf(store))
    if (typeof inFile === 'object') kept.push({ place: (file as MarkKeeper).place, mark: inFile })
    if (typeof inStore === 'object') kept.push({ place: (store as MarkKeeper).place, mark: inStore })
    const lost = await this.#lossBy(kept)
    if (lost === undefined && typeof inFile === 'object' && typeof inStore === 'object')
      this.#olderStore = await this.#olderStoreBy(inFile, inStore)
    if (lost === undefined && inStore !== 'away') this.#storeIsJudged = true
    return lost
  }

  /** Changes between the mark of the store and the one beside the log, as `findLoss` found them, if they took longer than any delay. */
  get olderStore(): OlderStore | undefined {
    return this.#olderStore
  }

  async #olderStoreBy(inFile: EndMark, inStore: EndMark): Promise<OlderStore | undefined> {
    const { topic } = this.#options.configuration
    if (inStore.logId !== inFile.logId || inStore.losses !== inFile.losses) return undefined
    let first: number | undefined
    let last: number | undefined
    for await (const record of recordsBetween(topic, 0, { first: inStore.next, next: inFile.next })) {
      if (isSnapshotPart(record)) continue
      last = configurationEventOf(record.value).atMs
      first ??= last
    }
    if (first === undefined || last === undefined || last - first < STORE_IS_OLDER_MS) return undefined
    return { fromMs: first, toMs: last }
  }

  async #lossBy(kept: readonly KeptMark[]): Promise<LostConfiguration | undefined> {
    const { configuration, note, knownCuts, isShared, clock } = this.#options
    const end: KeptEnd | undefined = note && { place: note.place, next: note.read() }
    // The cuts are read before the log, so that the log contains every cut that was found.
    const cuts = await knownCuts(isShared ? CUTS_WITHIN_MS : undefined)
    for (let looks = 0; ; looks++) {
      await configuration.catchUp()
      if ((await lostConfiguration(configuration, { marks: kept, end, cuts })) === undefined) return undefined
      if (!isShared || looks === LOOKS_AGAIN) break
      await clock.sleep(LOOK_PAUSE_MS, this.#stop.signal)
    }
    // All sources are read for the message, so that every process reports the same loss.
    const all = await knownCuts()
    await configuration.catchUp()
    return lostConfiguration(configuration, { marks: kept, end, cuts: all })
  }

  /** Marks the present end in all places that do not have it yet; the store may follow later. */
  async begin(): Promise<void> {
    const { configuration } = this.#options
    configuration.keepEnd(this)
    const mark = configuration.endMark
    if (mark !== undefined) await this.reach(mark)
    else if (!this.#storeIsJudged) this.#follow()
  }

  /** @throws LogError LOG_UNAVAILABLE when the mark beside the log cannot be written; the change remains on the log */
  async reach(mark: EndMark): Promise<void> {
    if (isBeyond(mark, this.#newest)) this.#newest = mark
    await Promise.all([this.#reachFile(mark), this.#reachStore(mark), this.#options.note?.note(mark.next)])
  }

  /** Reason why the log lacks its end, or why the store's mark is behind; undefined without such a problem. */
  get trouble(): string | undefined {
    const { lostEnd } = this.#options.configuration
    if (lostEnd !== undefined) return lostEnd
    if (this.#behindSinceMs === undefined || this.#store === undefined) return undefined
    return 'The store does not have the latest end of the configuration yet; it is updated as soon as the store answers.'
  }

  /** Resolves when the store has the latest mark, or `close` was called. */
  async whenMarked(): Promise<void> {
    await this.#following
  }

  /** Retries a store that was unavailable at once. */
  storeIsBack(): void {
    this.#pause.abort()
  }

  close(): void {
    this.#stop.abort()
  }

  async #markOf(keeper: MarkKeeper): Promise<EndMark | undefined | 'away'> {
    const patience = new AbortController()
    const late = this.#options.clock.sleep(ANSWER_WITHIN_MS, patience.signal).then(() => 'away' as const)
    const answer = keeper.read().catch((error: unknown) => {
      if (error instanceof MarkUnreadableError) throw error
      return 'away' as const
    })
    return Promise.race([answer, late]).finally(() => patience.abort())
  }

  async #reachFile(mark: EndMark): Promise<void> {
    try {
      await this.#file?.reach(mark)
    } catch (cause) {
      const message = `The end of the configuration cannot be marked in ${this.#file?.place}: ${(cause as Error).message}`
      throw new LogError('LOG_UNAVAILABLE', message, { retriable: true, cause })
    }
  }

  async #reachStore(mark: EndMark): Promise<void> {
    const { clock } = this.#options
    if (this.#store === undefined) return
    if (this.#behindSinceMs !== undefined || !this.#storeIsJudged) return this.#follow()
    const patience = new AbortController()
    const late = clock.sleep(STORE_PATIENCE_MS, patience.signal).then(() => {
      if (!patience.signal.aborted) this.#follow()
    })
    const written = this.#store.reach(mark).catch(() => this.#follow())
    await Promise.race([written, late])
    patience.abort()
  }

  /** Writes the mark to the store as soon as the store accepts it. */
  #follow(): void {
    this.#behindSinceMs ??= this.#options.clock.monotonicMs()
    this.#following ??= this.#catchUpStore().finally(() => {
      this.#following = undefined
    })
  }

  /** @throws LogError; an error while the store is unavailable */
  async #judgeStore(): Promise<LostConfiguration | undefined> {
    const { store } = this.#options
    if (this.#storeIsJudged || store === undefined) return undefined
    // The store is asked first, so that an unavailable store does not cause partitions to be read again and again.
    if ((await this.#markOf(store)) === 'away') throw new Error('the store is unavailable')
    const lost = await this.findLoss()
    if (lost === undefined && !this.#storeIsJudged) throw new Error('the store is unavailable')
    return lost
  }

  async #catchUpStore(): Promise<void> {
    const { clock, logger, onLost, onUnreadable } = this.#options
    const { signal } = this.#stop
    let hasWarned = false
    const backOff = new BackOff(clock, PAUSES)
    while (!signal.aborted) {
      try {
        const lost = await this.#judgeStore()
        if (lost !== undefined) return onLost(lost)
        let marked: EndMark | undefined
        while (marked !== this.#newest) {
          marked = this.#newest
          if (marked !== undefined) await this.#store?.reach(marked)
        }
        this.#behindSinceMs = undefined
        return
      } catch (error) {
        if (signal.aborted) return
        if (error instanceof MarkUnreadableError) return onUnreadable(error)
        if (!hasWarned)
          logger.warn(
            { err: error },
            'the end of the configuration cannot be marked in the store; trying again',
          )
        hasWarned = true
      }
      this.#pause = new AbortController()
      await backOff.pause(AbortSignal.any([signal, this.#pause.signal]))
    }
  }
}

/** Writes marks to one place, one at a time, always the newest. */
class MarkWriter {
  readonly #keeper: MarkKeeper
  #wanted: EndMark | undefined
  #written: EndMark | undefined
  #writing: Promise<void> | undefined

  constructor(keeper: MarkKeeper) {
    this.#keeper = keeper
  }

  get place(): string {
    return this.#keeper.place
  }

  /** Resolves when that mark or a later one is durable. @throws like the place's `write` */
  async reach(mark: EndMark): Promise<void> {
    if (isBeyond(mark, this.#wanted)) this.#wanted = mark
    while (isBeyond(mark, this.#written)) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined
      })
      await this.#writing
    }
  }

  async #write(): Promise<void> {
    const mark = this.#wanted as EndMark
    await this.#keeper.write(mark)
    this.#written = mark
  }
}
