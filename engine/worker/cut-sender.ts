import type { Control, Cut } from '../../schemas/log/control.ts'
import { cutKey } from '../../schemas/log/cuts.ts'
import type { DeployedConfiguration } from '../../schemas/log/deployed-configuration.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import type { AddressedPartition } from '../fold/cuts/cut-kind.ts'
import { cutsOfTopic, kindOf } from '../fold/cuts/registry.ts'
import type { PartitionFold } from '../fold/partition-fold.ts'
import type { Topic } from '../log/log.ts'

export interface CutSenderOptions {
  readonly topic: Topic
  readonly partition: number
  readonly configuration: DeployedConfiguration
  readonly append: (body: Control['body']) => Promise<unknown>
}

/**
 * Sends the configuration to one partition, as cuts on its log. At first it checks all accounts of the partition, later
 * those that have changed.
 */
export class CutSender {
  readonly #options: CutSenderOptions
  readonly #sent = new Map<string, number>()
  readonly #unsubscribe: () => void
  /** Accounts of the partition with possibly unknown cuts; 'all' before the first check. */
  #due: Set<string> | 'all' = 'all'

  /** @param onDue called when `isDue` becomes true */
  constructor(options: CutSenderOptions, onDue: () => void) {
    this.#options = options
    this.#unsubscribe = options.configuration.subscribe(changed => {
      if (this.#due === 'all') return
      for (const account of changed) if (this.#placeOf(account) !== undefined) this.#due.add(account)
      if (this.isDue) onDue()
    })
  }

  /** Whether the configuration may have cuts that are unknown to the partition. */
  get isDue(): boolean {
    return this.#due === 'all' || this.#due.size > 0
  }

  close(): void {
    this.#unsubscribe()
  }

  /** Appends unknown cuts to the partition. @returns true when one was appended */
  async send(fold: PartitionFold): Promise<boolean> {
    if (!this.isDue) return false
    const accounts = this.#due === 'all' ? this.#options.configuration.accounts() : this.#due
    this.#due = new Set()
    let appended = await this.#sendOwn(fold)
    for (const account of accounts) {
      const place = this.#placeOf(account)
      if (place !== undefined) appended = (await this.#sendAccount(account, place, fold)) || appended
    }
    return appended
  }

  /** @returns undefined when the partition has no lines of the account */
  #placeOf(account: string): AddressedPartition | undefined {
    const { configuration, topic, partition } = this.#options
    // The partitions that send events to a keyed partition also send it their cuts.
    if (topic.name !== INGEST_TOPIC) return undefined
    const isHome = partitionOfAccount(account, topic.partitions) === partition
    const isSpread = configuration.isSpread(account)
    return isHome || isSpread ? { isHome, isSpread } : undefined
  }

  async #sendAccount(account: string, place: AddressedPartition, fold: PartitionFold): Promise<boolean> {
    let appended = false
    for (const { cut } of this.#options.configuration.cuts(account)) {
      if (!this.#isMissing(cut, place, fold)) continue
      await this.#options.append({ 'weir.Cut': cut })
      this.#sent.set(cutKey(cut), cut.version)
      appended = true
    }
    return appended
  }

  #isMissing(cut: Cut, place: AddressedPartition, fold: PartitionFold): boolean {
    const kind = kindOf(cut)
    if (!kind.goesTo(place) || kind.isOver(cut, fold.timeMs)) return false
    const sent = this.#sent.get(cutKey(cut)) ?? 0
    return cut.version > Math.max(fold.cutVersion(cut.kind, cut.entity), sent)
  }

  /** Sends the cuts that do not come from the configuration. */
  async #sendOwn(fold: PartitionFold): Promise<boolean> {
    const { topic, append } = this.#options
    const missing = cutsOfTopic(topic).filter(cut => fold.cutVersion(cut.kind, cut.entity) < cut.version)
    for (const cut of missing) await append({ 'weir.Cut': cut })
    return missing.length > 0
  }
}
