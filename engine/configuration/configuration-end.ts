import type { Cut } from '../../schemas/log/control.ts'
import type { Clock } from '../clock/clock.ts'
import { LogError } from '../log/log.ts'
import type { Logger } from '../logger.ts'
import type { ConfigurationLog, EndKeeper } from './configuration-log.ts'
import { type EndMark, isBeyond, type MarkKeeper, MarkUnreadableError } from './end-mark.ts'
import { type KeptMark, type LostTail, lostTail } from './lost-tail.ts'

/** A writer waits that long for the mark in the store; then the store counts as away until it has caught up. */
const STORE_PATIENCE_MS = 1_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 2_000
/** A store that does not answer for so long counts as away. */
const ANSWER_WITHIN_MS = 10_000
/** Many partitions must not keep a process from taking lines while the store is away. */
const CUTS_WITHIN_MS = 10_000
/** A broker that has just begun to lead may not know the newest records yet. */
const LOOKS_AGAIN = 5
const LOOK_PAUSE_MS = 500

export interface ConfigurationEndOptions {
  readonly configuration: ConfigurationLog
  /** Beside the log; absent where processes share it. */
  readonly file: MarkKeeper | undefined
  /** In the store; absent where the process does not write the configuration. */
  readonly store: MarkKeeper | undefined
  /** Newest cut of each entity that the logs of partitions, and their checkpoints, know; those found within a time. */
  readonly knownCuts: (withinMs?: number) => Promise<readonly Cut[]>
  /** Others write the log at the same time. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly logger: Logger
  /** Told when a store that was away at the start knows of more than the log has. */
  readonly onLost: (lost: LostTail) => void
}

/**
 * Keeps in mind how far the configuration log has come, and holds it against that. A log that ends before that has lost
 * something, and every token that was revoked there would work again.
 */
export class ConfigurationEnd implements EndKeeper {
  readonly #options: ConfigurationEndOptions
  readonly #stop = new AbortController()
  /** Ends the pause before the store is tried again. */
  #pause = new AbortController()
  readonly #file: MarkWriter | undefined
  readonly #store: MarkWriter | undefined
  /** The store's mark has been held against the log: only then is another put in its place. */
  #storeIsJudged = false
  #behindSinceMs: number | undefined
  #following: Promise<void> | undefined
  #newest: EndMark | undefined

  constructor(options: ConfigurationEndOptions) {
    this.#options = options
    this.#file = options.file && new MarkWriter(options.file)
    this.#store = options.store && new MarkWriter(options.store)
  }

  /**
   * Looks whether the log has everything that is known of it. A store that is away is asked later.
   *
   * @throws MarkUnreadableError; LogError
   */
  async findLoss(): Promise<LostTail | undefined> {
    const { file, store } = this.#options
    const kept: KeptMark[] = []
    const inFile = file && (await file.read())
    const inStore = store && (await this.#markOf(store))
    if (typeof inFile === 'object') kept.push({ place: (file as MarkKeeper).place, mark: inFile })
    if (typeof inStore === 'object') kept.push({ place: (store as MarkKeeper).place, mark: inStore })
    const lost = await this.#lossBy(kept)
    if (lost === undefined && inStore !== 'away') this.#storeIsJudged = true
    return lost
  }

  async #lossBy(kept: readonly KeptMark[]): Promise<LostTail | undefined> {
    const { configuration, knownCuts, isShared, clock } = this.#options
    // Marks know of everything that was answered. Read before the log is, so that what comes meanwhile is on it.
    const cuts = kept.length > 0 ? [] : await knownCuts(isShared ? CUTS_WITHIN_MS : undefined)
    for (let looks = 0; ; looks++) {
      await configuration.catchUp()
      if ((await lostTail(configuration, { marks: kept, cuts })) === undefined) return undefined
      if (!isShared || looks === LOOKS_AGAIN) break
      await clock.sleep(LOOK_PAUSE_MS, this.#stop.signal)
    }
    // What is missing is said by all that know of it, so that it is the same whoever looks.
    const all = await knownCuts()
    await configuration.catchUp()
    return lostTail(configuration, { marks: kept, cuts: all })
  }

  /** Marks the present end, wherever that is not marked yet; the store's may follow. */
  async begin(): Promise<void> {
    const { configuration } = this.#options
    configuration.keepEnd(this)
    const mark = configuration.endMark
    if (mark !== undefined) await this.reach(mark)
    else if (!this.#storeIsJudged) this.#follow()
  }

  /** @throws LogError LOG_UNAVAILABLE when the mark beside the log cannot be written: the change is on the log all the same */
  async reach(mark: EndMark): Promise<void> {
    if (isBeyond(mark, this.#newest)) this.#newest = mark
    await Promise.all([this.#reachFile(mark), this.#reachStore(mark)])
  }

  /** Why the store's mark is behind; undefined while it is not. */
  get trouble(): string | undefined {
    if (this.#behindSinceMs === undefined || this.#store === undefined) return undefined
    return 'The store does not know yet how far the configuration has come: it is told once it answers.'
  }

  /** Resolves when the store has been told everything, or `close` has been called. */
  async whenMarked(): Promise<void> {
    await this.#following
  }

  /** Tries a store that was away at once. */
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

  /** Tells the store as soon as it takes it. */
  #follow(): void {
    this.#behindSinceMs ??= this.#options.clock.monotonicMs()
    this.#following ??= this.#catchUpStore().finally(() => {
      this.#following = undefined
    })
  }

  /** @throws LogError; an error while the store is away */
  async #judgeStore(): Promise<LostTail | undefined> {
    const { store } = this.#options
    if (this.#storeIsJudged || store === undefined) return undefined
    // Asked alone: partitions are not read again and again while the store is away.
    if ((await this.#markOf(store)) === 'away') throw new Error('the store is away')
    const lost = await this.findLoss()
    if (lost === undefined && !this.#storeIsJudged) throw new Error('the store is away')
    return lost
  }

  async #catchUpStore(): Promise<void> {
    const { clock, logger, onLost } = this.#options
    const { signal } = this.#stop
    let hasTold = false
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      try {
        const lost = await this.#judgeStore()
        if (lost !== undefined) return onLost(lost)
        let told: EndMark | undefined
        while (told !== this.#newest) {
          told = this.#newest
          if (told !== undefined) await this.#store?.reach(told)
        }
        this.#behindSinceMs = undefined
        return
      } catch (error) {
        if (signal.aborted) return
        if (!hasTold)
          logger.warn(
            { err: error },
            'the end of the configuration cannot be marked in the store; trying again',
          )
        hasTold = true
      }
      this.#pause = new AbortController()
      await clock.sleep(pauseMs, AbortSignal.any([signal, this.#pause.signal]))
    }
  }
}

/** Writes marks to one place: one at a time, each the newest that is wanted then. */
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

  /** Resolves when that mark, or one beyond it, is durable. @throws as the place's `write` */
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
