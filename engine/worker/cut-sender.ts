import type { Control } from '../../schemas/log/control.ts'
import type { DeployedConfiguration } from '../../schemas/log/cuts.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import type { PartitionFold } from '../fold/partition-fold.ts'
import type { Topic } from '../log/log.ts'

const INSERTS_PER_SECOND = 16

export interface CutSenderOptions {
  readonly topic: Topic
  readonly partition: number
  readonly configuration: DeployedConfiguration
  readonly append: (body: Control['body']) => Promise<unknown>
}

/** Brings what the configuration says to one partition, as cuts on its log. */
export class CutSender {
  readonly #options: CutSenderOptions
  readonly #sent = new Map<string, number>()
  readonly #unsubscribe: () => void
  /** The configuration may say something that the partition has not seen. */
  isDue = true

  constructor(options: CutSenderOptions, onDue: () => void) {
    this.#options = options
    this.#unsubscribe = options.configuration.subscribe(() => {
      this.isDue = true
      onDue()
    })
  }

  close(): void {
    this.#unsubscribe()
  }

  /** Appends the cuts that the partition has not seen. @returns true when one was appended */
  async send(fold: PartitionFold): Promise<boolean> {
    if (!this.isDue) return false
    const { configuration, topic, partition, append } = this.#options
    this.isDue = false
    let appended = await this.#sendSlice(fold)
    // Keyed partitions are told by those whose events they get.
    if (topic.name !== INGEST_TOPIC) return appended
    for (const { account, cut, everywhere, forgetMs } of configuration.cuts()) {
      if (!everywhere && partitionOfAccount(account, topic.partitions) !== partition) continue
      if (forgetMs !== undefined && forgetMs <= fold.timeMs) continue
      const key = `${cut.kind} ${cut.entity}`
      const known = Math.max(fold.cutVersion(cut.kind, cut.entity), this.#sent.get(key) ?? 0)
      if (cut.version <= known) continue
      await append({ 'weir.Cut': cut })
      this.#sent.set(key, cut.version)
      appended = true
    }
    return appended
  }

  /** The more partitions, the longer their slices: the store sees some 16 inserts a second at most. */
  async #sendSlice(fold: PartitionFold): Promise<boolean> {
    const { topic, append } = this.#options
    const { name, partitions } = topic
    if (partitions <= INSERTS_PER_SECOND || fold.cutVersion('slice', name) >= partitions) return false
    const payload = String(Math.round((partitions * 1000) / INSERTS_PER_SECOND))
    await append({ 'weir.Cut': { kind: 'slice', entity: name, version: partitions, payload } })
    return true
  }
}
