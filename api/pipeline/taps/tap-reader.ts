import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Clock } from '../../../engine/clock/clock.ts'
import type { TapEnd, TapMessage } from '../../../engine/replay/taps/tap.ts'
import { closeSocket } from '../../http/web-sockets.ts'
import { endSentence, tapText } from './tap-messages.ts'

/** Time that written data waits for a slow client before the connection is closed. */
const LINGER_MS = 1_000

/** A client that reads a tap. */
export interface TapReader {
  send(message: TapMessage): void
  /** Proves that the connection is alive. */
  beat(): void
  /** Bytes that wait in this process for the client. */
  readonly unsentBytes: number
  /** Closes the connection after the last message. */
  close(reason: TapEnd): void
  /** Calls the listener once the connection is closed. */
  whenGone(listener: () => void): void
}

/** Reader by server-sent events: the answer to a request. */
export class EventStreamReader implements TapReader {
  /** The body of the answer. */
  readonly stream = new Readable({ read() {} })
  readonly #node: string
  readonly #response: ServerResponse
  readonly #clock: Clock

  constructor(node: string, response: ServerResponse, clock: Clock) {
    this.#node = node
    this.#response = response
    this.#clock = clock
  }

  get unsentBytes(): number {
    return this.stream.readableLength + this.#response.writableLength
  }

  send(message: TapMessage): void {
    this.#write(`event: ${message.type}\ndata: ${tapText(this.#node, message)}\n\n`)
  }

  beat(): void {
    this.#write(': still here\n\n')
  }

  close(): void {
    if (this.stream.destroyed) return
    this.stream.push(null)
    const gone = new AbortController()
    this.whenGone(() => gone.abort())
    void this.#clock.sleep(LINGER_MS, gone.signal).then(() => {
      if (!gone.signal.aborted) this.#response.destroy()
    })
  }

  whenGone(listener: () => void): void {
    this.#response.once('close', listener)
  }

  #write(text: string): void {
    if (!this.stream.destroyed) this.stream.push(text)
  }
}

/** Close codes of RFC 6455, section 7.4.1. */
const CLOSE_CODES: Readonly<Record<TapEnd, number>> = {
  limit: 1000,
  time: 1000,
  withdrawn: 1000,
  rights: 1008,
  closed: 1000,
  slow: 1008,
  stopped: 1001,
  failed: 1011,
}

/** Reader by WebSocket. Its messages to the server are ignored. */
export class WebSocketReader implements TapReader {
  readonly #node: string
  readonly #socket: WebSocket
  readonly #clock: Clock

  constructor(node: string, socket: WebSocket, clock: Clock) {
    this.#node = node
    this.#socket = socket
    this.#clock = clock
  }

  get unsentBytes(): number {
    return this.#socket.bufferedAmount
  }

  send(message: TapMessage): void {
    if (this.#isOpen) this.#socket.send(tapText(this.#node, message))
  }

  beat(): void {
    if (this.#isOpen) this.#socket.ping()
  }

  close(reason: TapEnd): void {
    closeSocket(this.#socket, CLOSE_CODES[reason], endSentence(reason), this.#clock)
  }

  whenGone(listener: () => void): void {
    this.#socket.once('close', listener)
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }
}
