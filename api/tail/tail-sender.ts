import type { WebSocket } from 'ws'
import type { Clock } from '../../engine/clock/clock.ts'
import { SECOND_MS } from '../../engine/times/duration.ts'
import type { TailRoom } from './tail-rooms.ts'

/** Maximum time that lines wait, so that a message has many of them. */
const GATHER_MS = 100
/** Interval at which lines of the past look for room. */
const ROOM_MS = 20
/** Live tail, section 7. */
const LINES_PER_MESSAGE = 100
/** A message ends with the line that exceeds this size, or the part of the room for a message. */
const MESSAGE_BYTES = 128 * 1024
/** Parts of a tail's room: for lines that wait, for unsent data in the connection, and for one message. */
const WAITING_PART = 2 / 3
const UNSENT_PART = 1 / 3
const MESSAGE_PART = 1 / 12

export type TailSocket = Pick<WebSocket, 'send' | 'bufferedAmount'>

/** Counts of the selected lines. */
export interface TailCounts {
  sent: number
  dropped: number
}

interface WaitingLine {
  /** The record as text. */
  readonly text: string
  readonly bytes: number
}

/**
 * Lines on their way to the reader of a tail; their bytes are bounded by the tail's room. A slow reader loses the oldest
 * waiting lines, and receives their number before the next line.
 */
export class TailSender {
  readonly #clock: Clock
  readonly #counts: TailCounts
  readonly #ended: AbortSignal
  readonly #room: TailRoom
  #socket: TailSocket | undefined
  /** Oldest first. */
  readonly #waiting: WaitingLine[] = []
  #waitingBytes = 0
  /** Number of lost lines that the reader was not informed of yet. */
  #dropped = 0
  #notFiltered = 0
  /** Number of lines beyond the wanted rate that the reader was not informed of yet. */
  #thinned = 0
  readonly #maxPerS: number
  /** Second of the newest line, and the lines of that second. */
  #second = 0
  #inSecond = 0
  #isSendingDue = false
  /** Whether the connection has the maximum of unsent data. */
  #isBlocked = false

  /**
   * @param counts of all tails together
   * @param ended from then on nothing is sent
   * @param maxPerS lines per second that the reader wants at most
   */
  constructor(
    clock: Clock,
    counts: TailCounts,
    room: TailRoom,
    ended: AbortSignal,
    maxPerS = Number.POSITIVE_INFINITY,
  ) {
    this.#clock = clock
    this.#counts = counts
    this.#room = room
    this.#ended = ended
    this.#maxPerS = maxPerS
  }

  /** Connects the sender to a reader. */
  attach(socket: TailSocket): void {
    this.#socket = socket
    this.#send()
  }

  take(record: string): void {
    if (this.#isBeyondRate()) {
      this.#thinned++
      this.#planSending()
      return
    }
    const bytes = Buffer.byteLength(record)
    this.#waiting.push({ text: record, bytes })
    this.#waitingBytes += bytes
    this.trim()
    if (this.#waiting.length >= LINES_PER_MESSAGE) this.#send()
    else this.#planSending()
  }

  /** Drops the oldest lines beyond the tail's room. The newest one is kept, however large it is. */
  trim(): void {
    const most = this.#room.bytes * WAITING_PART
    while (this.#waitingBytes > most && this.#waiting.length > 1) this.#dropOldest()
  }

  #isBeyondRate(): boolean {
    if (this.#maxPerS === Number.POSITIVE_INFINITY) return false
    const second = Math.floor(this.#clock.monotonicMs() / SECOND_MS)
    if (second !== this.#second) this.#inSecond = 0
    this.#second = second
    return ++this.#inSecond > this.#maxPerS
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

  /** Waits until half of the room for waiting lines is free, or the tail has ended. */
  async untilRoom(): Promise<void> {
    while (this.#waitingBytes > (this.#room.bytes * WAITING_PART) / 2 && !this.#ended.aborted) {
      this.#send()
      await this.#clock.sleep(ROOM_MS, this.#ended)
    }
  }

  /** Sends as much as the connection accepts. */
  flush(): void {
    this.#send()
  }

  #dropOldest(): void {
    this.#waitingBytes -= this.#waiting.shift()?.bytes ?? 0
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
    while (socket.bufferedAmount < this.#room.bytes * UNSENT_PART) {
      if (this.#dropped > 0 || this.#thinned > 0) socket.send(this.#droppedMessage(), goOn)
      if (this.#waiting.length === 0) return
      socket.send(this.#linesMessage(), goOn)
    }
    this.#isBlocked = true
  }

  #droppedMessage(): string {
    const counts = {
      dropped: this.#dropped,
      ...(this.#notFiltered > 0 && { not_filtered: this.#notFiltered }),
      ...(this.#thinned > 0 && { thinned: this.#thinned }),
    }
    this.#dropped = 0
    this.#notFiltered = 0
    this.#thinned = 0
    return JSON.stringify({ e: 'meta', p: counts })
  }

  #linesMessage(): string {
    const most = Math.min(MESSAGE_BYTES, this.#room.bytes * MESSAGE_PART)
    let lines = 0
    let bytes = 0
    while (lines < this.#waiting.length && lines < LINES_PER_MESSAGE && bytes < most)
      bytes += this.#waiting[lines++]?.bytes ?? 0
    this.#waitingBytes -= bytes
    this.#counts.sent += lines
    const sent = this.#waiting.splice(0, lines)
    return `{"e":"p","p":[${sent.map(({ text }) => text).join()}]}`
  }
}
