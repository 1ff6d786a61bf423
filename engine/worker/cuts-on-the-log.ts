import { type Control, type Cut, controlType } from '../../schemas/log/control.ts'
import { cutKey } from '../../schemas/log/cuts.ts'
import type { CutsInEffect } from '../../schemas/log/deployed-configuration.ts'
import { isRefused } from '../../schemas/log/loss.ts'
import { rekeyedType } from '../../schemas/log/rekeyed.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import { schemaIdOf } from '../../schemas/log/wire-format.ts'
import type { Clock } from '../clock/clock.ts'
import { entityCutsOf } from '../configuration/cuts/registry.ts'
import type { ConfigurationView } from '../configuration/kind.ts'
import { LogError, type LogRecord, type Topic } from '../log/log.ts'
import { READ_BYTES } from '../log/records-between.ts'
import { untilAvailable } from '../log/until-available.ts'

/** Time limit of a wait: clients of the API give up after 15 s. */
const PATIENCE_MS = 5_000
/** A worker may append a cut before this process looks for it; clocks of machines differ by less. */
const LOOK_BACK_MS = 1_000
/** Waits end with the log. */
const NEVER = new AbortController().signal

export interface CutsOnTheLogOptions {
  readonly ingest: Topic
  readonly clock: Clock
  readonly configuration: ConfigurationView
}

/**
 * Cuts that hold for the next line, as seen by a process without an engine. A change holds once its cut is on the log of
 * the account's partition, no matter which process appended it.
 */
export class CutsOnTheLog implements CutsInEffect {
  readonly #options: CutsOnTheLogOptions
  /** Changes that are sought until they are found: a worker may be unavailable for longer than any caller waits. */
  readonly #sought = new Set<SoughtCut>()
  /** Partitions that are being read for them. */
  readonly #watched = new Set<number>()
  /** Highest known version of each entity. */
  readonly #seen = new Map<string, number>()

  constructor(options: CutsOnTheLogOptions) {
    this.#options = options
  }

  /** A version that is presumed holds unless its cut is sought and was not found yet: see `EntityCuts.presumedVersion`. */
  cutVersion(_account: string, kind: Cut['kind'], entity: string): number | undefined {
    const key = cutKey({ kind, entity })
    if ([...this.#sought].some(sought => sought.key === key)) return this.#seen.get(key)
    const { configuration } = this.#options
    return entityCutsOf({ kind })?.presumedVersion(configuration, entity) ?? this.#seen.get(key)
  }

  versionOnLog(_account: string, kind: Cut['kind'], entity: string): number | undefined {
    return this.#seen.get(cutKey({ kind, entity }))
  }

  async whenInEffect(account: string, kind: Cut['kind'], entity: string, version: number): Promise<boolean> {
    const { ingest, clock } = this.#options
    const key = cutKey({ kind, entity })
    if ((this.#seen.get(key) ?? 0) >= version) return true
    const partition = partitionOfAccount(account, ingest.partitions)
    const over = new AbortController()
    const late = clock.sleep(PATIENCE_MS, over.signal).then(() => false)
    const found = new Promise<boolean>((resolve, reject) => {
      const failed = (error: unknown) => (error instanceof LogError ? resolve(false) : reject(error))
      this.#sought.add({ partition, key, version, found: () => resolve(true), failed })
    })
    if (!this.#watched.has(partition)) void this.#watch(partition)
    try {
      return await Promise.race([found, late])
    } finally {
      over.abort()
    }
  }

  /** Reads until everything that is sought there has been found. */
  async #watch(partition: number): Promise<void> {
    this.#watched.add(partition)
    try {
      let from = await this.#untilAvailable(() => this.#recentOffset(partition))
      while (this.#soughtIn(partition).length > 0)
        from = await this.#untilAvailable(() => this.#readOn(partition, from))
    } catch (error) {
      for (const sought of this.#soughtIn(partition)) {
        this.#sought.delete(sought)
        sought.failed(error)
      }
    } finally {
      this.#watched.delete(partition)
    }
  }

  async #recentOffset(partition: number): Promise<bigint> {
    const { ingest, clock } = this.#options
    // The bounds are read before, so that no record that is appended in the meantime is skipped.
    const { next } = await ingest.bounds(partition)
    return (await ingest.offsetAtTime(partition, clock.wallMs() - LOOK_BACK_MS)) ?? next
  }

  /** @returns the offset to continue at */
  async #readOn(partition: number, from: bigint): Promise<bigint> {
    const { ingest } = this.#options
    await ingest.waitBeyond(partition, from, NEVER)
    const records = await ingest.read(partition, from, READ_BYTES)
    for (const record of records) if (!isRefused(record)) for (const cut of cutsOf(record)) this.#note(cut)
    return (records.at(-1)?.offset ?? from - 1n) + 1n
  }

  #note(cut: Cut): void {
    const key = cutKey(cut)
    this.#seen.set(key, Math.max(cut.version, this.#seen.get(key) ?? 0))
    for (const sought of this.#sought) {
      if (sought.key !== key || cut.version < sought.version) continue
      this.#sought.delete(sought)
      sought.found()
    }
  }

  #untilAvailable<T>(call: () => Promise<T>): Promise<T> {
    return untilAvailable(call, this.#options.clock)
  }

  #soughtIn(partition: number): SoughtCut[] {
    return [...this.#sought].filter(sought => sought.partition === partition)
  }
}

interface SoughtCut {
  readonly partition: number
  readonly key: string
  readonly version: number
  readonly found: () => void
  readonly failed: (error: unknown) => void
}

/** The cuts of a record, including those that a keyed partition has sent to its account's home. */
export function cutsOf({ value }: LogRecord): Cut[] {
  const id = schemaIdOf(value)
  if (rekeyedType.has(id))
    return rekeyedType
      .decode(value)
      .parts.flatMap(part => ('weir.ForwardedCut' in part ? [part['weir.ForwardedCut']] : []))
  if (id !== controlType.id) return []
  const { body }: Control = controlType.decode(value)
  return 'weir.Cut' in body ? [body['weir.Cut']] : []
}
