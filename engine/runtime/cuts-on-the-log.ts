import { type Control, type Cut, controlType } from '../../schemas/control.ts'
import { schemaIdOf } from '../../schemas/wire-format.ts'
import type { Clock } from '../clock/clock.ts'
import type { CutsInEffect } from '../configuration/deployed.ts'
import { deployments } from '../configuration/entities.ts'
import type { ConfigurationView } from '../configuration/fold.ts'
import { LogError, type LogRecord, type Topic } from '../log/log.ts'
import { partitionOfAccount } from '../log/topics.ts'

const READ_BYTES = 1_000_000
/** Clients of the API give up after 15 s. */
const PATIENCE_MS = 5_000
/** A worker may be quicker than we are with looking; clocks of machines differ by less. */
const LOOK_BACK_MS = 1_000

export interface CutsOnTheLogOptions {
  readonly ingest: Topic
  readonly clock: Clock
  readonly configuration: ConfigurationView
}

/**
 * What changes hold for the next line, seen from a process without an engine: a change holds once its cut is on the
 * log of the account's partition, whoever appended it.
 */
export class CutsOnTheLog implements CutsInEffect {
  readonly #options: CutsOnTheLogOptions
  /** Versions that somebody waits for, or has waited for in vain, and what held before. */
  readonly #outstanding = new Map<string, number | undefined>()
  readonly #seen = new Map<string, number>()

  constructor(options: CutsOnTheLogOptions) {
    this.#options = options
  }

  /** Of pipelines: what is deployed holds, unless its cut was looked for and not found. */
  cutVersion(_account: string, kind: Cut['kind'], entity: string): number | undefined {
    const key = `${kind} ${entity}`
    if (this.#outstanding.has(key)) return this.#outstanding.get(key)
    return this.#options.configuration.get(deployments, entity)?.value.number ?? this.#seen.get(key)
  }

  async whenInEffect(account: string, kind: Cut['kind'], entity: string, version: number): Promise<boolean> {
    const key = `${kind} ${entity}`
    if ((this.#seen.get(key) ?? 0) >= version) return true
    this.#outstanding.set(key, this.#seen.get(key))
    const found = await this.#find(account, kind, entity, version)
    if (found) {
      this.#seen.set(key, Math.max(version, this.#seen.get(key) ?? 0))
      this.#outstanding.delete(key)
    }
    return found
  }

  async #find(account: string, kind: Cut['kind'], entity: string, version: number): Promise<boolean> {
    const { ingest, clock } = this.#options
    const partition = partitionOfAccount(account, ingest.partitions)
    const untilMs = clock.monotonicMs() + PATIENCE_MS
    const isIt = (cut: Cut | undefined) =>
      cut?.kind === kind && cut.entity === entity && cut.version >= version
    try {
      const since = await ingest.offsetAtTime(partition, clock.wallMs() - LOOK_BACK_MS)
      let from = since ?? (await ingest.bounds(partition)).next
      for (;;) {
        const records = await ingest.read(partition, from, READ_BYTES)
        if (records.some(record => isIt(cutOf(record)))) return true
        from = (records.at(-1)?.offset ?? from - 1n) + 1n
        const leftMs = untilMs - clock.monotonicMs()
        if (leftMs <= 0) return false
        if (records.length === 0) await this.#waitBeyond(partition, from, leftMs)
      }
    } catch (error) {
      if (error instanceof LogError) return false
      throw error
    }
  }

  async #waitBeyond(partition: number, offset: bigint, mostMs: number): Promise<void> {
    const { ingest, clock } = this.#options
    const over = new AbortController()
    const late = clock.sleep(mostMs, over.signal).then(() => over.abort())
    await ingest.waitBeyond(partition, offset, over.signal)
    over.abort()
    await late
  }
}

function cutOf({ value }: LogRecord): Cut | undefined {
  if (schemaIdOf(value) !== controlType.id) return undefined
  const { body }: Control = controlType.decode(value)
  return 'weir.Cut' in body ? body['weir.Cut'] : undefined
}
