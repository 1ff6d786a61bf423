import type { WebSocket } from 'ws'
import type { Clock } from '../../engine/clock/clock.ts'

/** Maximum time that lines wait, so that a message has many of them. */
const GATHER_MS = 100
/** Live tail, section 7. */
const LINES_PER_MESSAGE = 100
/** A message ends with the line that exceeds this length. Lengths are characters: one or two bytes each in memory. */
const MESSAGE_LENGTH = 128 * 1024
/** Lines that wait for a reader; beyond this the oldest are dropped. */
const MAX_WAITING_LENGTH = 1024 * 1024
/** Maximum size of unsent data in a connection. */
const MAX_UNSENT_BYTES = 512 * 1024

export type TailSocket = Pick<WebSocket, 'send' | 'bufferedAmount'>

/** Counts of the selected lines. */
export interface TailCounts {
  sent: number
  dropped: number
}

/**
 * Lines on their way to the reader of a tail; the number of waiting lines is bounded. A slow reader loses the oldest
 * waiting lines, and receives their number before the next line.
 */
export class TailSender {
  readonly #clock: Clock
  readonly #counts: TailCounts
  readonly #ended: AbortSignal
  #socket: TailSocket | undefined
  /** Records as text, oldest first. */
  readonly #waiting: string[] = []
  #waitingLength = 0
  /** Number of lost lines that the reader was not informed of yet. */
  #dropped = 0
  #notFiltered = 0
  #isSendingDue = false
  /** Whether the connection has the maximum of unsent data. */
  #isBlocked = false

  /**
   * @param counts of all tails together
   * @param ended from then on nothing is sent
   */
  constructor(clock: Clock, counts: TailCounts, ended: AbortSignal) {
    this.#clock = clock
    this.#counts = counts
    this.#ended = ended
  }

  /** Connects the sender to a reader. */
  attach(socket: TailSocket): void {
    this.#socket = socket
    this.#send()
  }

  take(record: string): void {
    this.#waiting.push(record)
    this.#waitingLength += record.length
    while (this.#waitingLength > MAX_WAITING_LENGTH && this.#waiting.length > 1) this.#dropOldest()
    if (this.#waiting.length >= LINES_PER_MESSAGE) this.#send()
    else this.#planSending()
  }

  /** Counts lines that were not compared with the tail's conditions: some of them may match. */
  miss(lines: number): void {
    this.#notFiltered += lines
    this.#drop(lines)
    this.#planSending()
  }

  /** Drops the waiting lines, which the reader must not see any more. */
  discard(): void {
    while (this.#waiting.length > 0) this.#dropOldest()
  }

  /** Sends as much as the connection accepts. */
  flush(): void {
    this.#send()
  }

  #dropOldest(): void {
    this.#waitingLength -= this.#waiting.shift()?.length ?? 0
    this.#drop(1)
  }

  #drop(lines: number): void {
    this.#dropped += lines
    this.#counts.dropped += lines
  }

  #planSending(): void {
    if (this.#isSendingDue) return
    this.#isSendingDue = true
    void this.#clock.sleep(GATHER_MS, this.#ended).then(() => {
      this.#isSendingDue = false
      this.#send()
    })
  }

  #send(): void {
    const socket = this.#socket
    if (socket === undefined || this.#ended.aborted) return
    const goOn = () => {
      if (this.#isBlocked) this.#send()
    }
    this.#isBlocked = false
    while (socket.bufferedAmount < MAX_UNSENT_BYTES) {
      if (this.#dropped > 0) socket.send(this.#droppedMessage(), goOn)
      if (this.#waiting.length === 0) return
      socket.send(this.#linesMessage(), goOn)
    }
    this.#isBlocked = true
  }

  #droppedMessage(): string {
    const counts = {
      dropped: this.#dropped,
      ...(this.#notFiltered > 0 && { not_filtered: this.#notFiltered }),
    }
    this.#dropped = 0
    this.#notFiltered = 0
    return JSON.stringify({ e: 'meta', p: counts })
  }

  #linesMessage(): string {
    let lines = 0
    let length = 0
    while (lines < this.#waiting.length && lines < LINES_PER_MESSAGE && length < MESSAGE_LENGTH)
      length += this.#waiting[lines++]?.length ?? 0
    this.#waitingLength -= length
    this.#counts.sent += lines
    return `{"e":"p","p":[${this.#waiting.splice(0, lines).join()}]}`
  }
}
