import { countedLines, exportedLines } from '../../support/exported-lines.ts'
import { lastingPort } from '../../support/free-port.ts'
import { RunningWeir } from '../../support/running-weir.ts'
import type { DeliveryReceiver } from './delivery-receiver.ts'
import type { ReceiverMode, TakenBody } from './taken-body.ts'

/** Another Weir as a receiver. While it is `away`, it does not run. */
export class WeirReceiver implements DeliveryReceiver {
  readonly modes = ['well', 'away'] as const
  readonly origin: string
  readonly ingestionKey: string
  readonly #weir: RunningWeir
  /** Lines that it had stored at some time, and their number then. */
  #seen: { readonly lines: number; readonly taken: readonly TakenBody[] } = { lines: 0, taken: [] }

  private constructor(weir: RunningWeir) {
    const { ingestUrl, ingestionKey } = weir.credentials
    this.#weir = weir
    this.origin = ingestUrl
    this.ingestionKey = ingestionKey
  }

  /** @param folder its data folder */
  static async open(folder: string): Promise<WeirReceiver> {
    const settings = { WEIR_PORT: String(await lastingPort()), WEIR_PARTITIONS: '1' }
    return new WeirReceiver(await RunningWeir.start(settings, folder))
  }

  async behave(mode: ReceiverMode): Promise<void> {
    if (mode === 'away') await this.close()
    else if (!this.#weir.running) await this.#weir.start()
  }

  /** Stored lines in the order of their storage, as one body; those of the last look while it does not run. */
  async taken(): Promise<readonly TakenBody[]> {
    if (!this.#weir.running) return this.#seen.taken
    const lines = await countedLines(this.#weir)
    // An export takes longer with each line, and is the same until there are others.
    if (lines !== this.#seen.lines) {
      const stored = await exportedLines(this.#weir)
      const sorted = stored.toSorted((one, other) => (BigInt(one._id) < BigInt(other._id) ? -1 : 1))
      const body = {
        key: '',
        lines: sorted.map(({ _line }) => _line),
        documents: sorted.map(({ _id }) => _id),
      }
      this.#seen = { lines, taken: [body] }
    }
    return this.#seen.taken
  }

  async restart(): Promise<void> {
    await this.close()
    await this.#weir.start()
  }

  /** Kills it. */
  async close(): Promise<void> {
    await this.#weir.end('SIGKILL')
  }
}
