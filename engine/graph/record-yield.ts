import { MAX_ROWS_PER_RECORD } from '../../schemas/log/position.ts'

/** Most events that the nodes of an account make of one record, by splitting events: as many as a record has rows. */
const MAX_EVENTS = MAX_ROWS_PER_RECORD
/** Most bytes of messages that they make: those of all parts, and those by which other messages grow. (Our choice.) */
const MAX_BYTES = 256 * 1024 * 1024

/** Counts what all nodes of an account make of one record. It is checked before the next event is made. */
export class RecordYield {
  /** Whether the bytes of parts count before the parts are made: since the fourteenth behaviour. */
  countsAhead = true
  readonly #maxEvents: number
  readonly #maxBytes: number
  #events = 0
  #bytes = 0
  /** Offset of the record. */
  #offset = -1n

  constructor(maxEvents = MAX_EVENTS, maxBytes = MAX_BYTES) {
    this.#maxEvents = maxEvents
    this.#maxBytes = maxBytes
  }

  /** Counts for a record; another record begins at nothing. @param offset offset of the record */
  of(offset: bigint): this {
    if (offset !== this.#offset) this.begin()
    this.#offset = offset
    return this
  }

  begin(): void {
    this.#events = 0
    this.#bytes = 0
  }

  /** Whether the parts of an event may be made. @param bytes of all of them */
  hasRoomFor(count: number, bytes: number): boolean {
    if (this.#events + count > this.#maxEvents) return false
    return this.countsAhead ? this.#bytes + bytes <= this.#maxBytes : this.#bytes < this.#maxBytes
  }

  /** Counts the parts of an event, before they are made. @param bytes of all of them */
  takeParts(count: number, bytes: number): void {
    this.#events += count
    if (this.countsAhead) this.#bytes += bytes
  }

  /** Counts the bytes of a part that is made, unless they were counted before. */
  notePart(bytes: number): void {
    if (!this.countsAhead) this.#bytes += bytes
  }

  /** Counts the bytes by which a message grows. @returns false: they are too many, and do not count */
  takeGrowth(bytes: number): boolean {
    if (bytes <= 0) return true
    if (this.#bytes + bytes > this.#maxBytes) return false
    this.#bytes += bytes
    return true
  }
}
