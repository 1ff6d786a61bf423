import type { LogRecord } from '../../engine/log/log.ts'
import type { IngestRequest } from '../../schemas/log/line-batch.ts'

const DAY_MS = 24 * 3_600_000
const STREAM_WINDOW = 64

/** Judges which records and requests are repeats: by positions of producers, by keys, and by numbers of streams. */
export class RepeatsModel {
  readonly #sequences = new Map<string, { sequence: number; timeMs: number }>()
  readonly #keys = new Map<string, { digest: string; timeMs: number }>()
  readonly #streams = new Map<string, { highest: number; timeMs: number; digests: Map<number, string> }>()

  isNewRecord({ producer }: LogRecord, timeMs: number): boolean {
    if (producer === null) return true
    const known = this.#sequences.get(producer.id)
    const isKnown = known !== undefined && timeMs - known.timeMs < DAY_MS
    const sequence = isKnown ? Math.max(known.sequence, producer.sequence) : producer.sequence
    this.#sequences.set(producer.id, { sequence, timeMs })
    return !isKnown || producer.sequence > known.sequence
  }

  /** Adds a producer position known from lost records. */
  noteProducer({ id, sequence, timeMs }: { id: string; sequence: number; timeMs: number }): void {
    const known = this.#sequences.get(id)
    this.#sequences.set(id, {
      sequence: Math.max(sequence, known?.sequence ?? 0),
      timeMs: Math.max(timeMs, known?.timeMs ?? 0),
    })
  }

  isNewRequest(account: string, { idempotency }: IngestRequest, timeMs: number): boolean {
    if (idempotency === null) return true
    const digest = idempotency.digest.toString('hex')
    const [stream, number] = idempotency.key.split('/')
    if (number !== undefined)
      return this.#isNewNumber(`${account} ${stream}`, { number: Number(number), digest, timeMs })
    const name = `${account} ${idempotency.key}`
    const known = this.#keys.get(name)
    if (known === undefined || timeMs - known.timeMs >= DAY_MS) {
      this.#keys.set(name, { digest, timeMs })
      return true
    }
    return known.digest !== digest
  }

  #isNewNumber(
    name: string,
    { number, digest, timeMs }: { number: number; digest: string; timeMs: number },
  ): boolean {
    const old = this.#streams.get(name)
    const isKnown = old !== undefined && timeMs - old.timeMs < 30 * DAY_MS
    const stream = isKnown ? old : { highest: number, timeMs: 0, digests: new Map<number, string>() }
    this.#streams.set(name, stream)
    stream.timeMs = timeMs
    if (number <= stream.highest - STREAM_WINDOW) return true
    const seen = stream.digests.get(number)
    if (seen === undefined) stream.digests.set(number, digest)
    stream.highest = Math.max(stream.highest, number)
    return seen !== digest
  }
}
