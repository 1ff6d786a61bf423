import type { WebSocket } from 'ws'
import type { Clock } from '../../engine/clock/clock.ts'
import type { LineFilters } from '../../engine/query-language/line-filters.ts'
import type { Query } from '../../engine/query-language/syntax-tree.ts'
import { type LineFilter, lineFilter } from '../../engine/replay/tail/line-filter.ts'
import type { TailListener } from '../../engine/replay/tail/tailed-partition.ts'
import type { LineIdParts } from '../../schemas/log/position.ts'
import { narrowed } from '../auth/access-scope.ts'
import type { LastingRights, PresentRights } from '../auth/lasting-rights.ts'
import { closeSocket } from '../http/web-sockets.ts'
import type { TailRoom } from './tail-rooms.ts'
import { type TailCounts, TailSender } from './tail-sender.ts'

const PING_MS = 30_000
/** Number of unanswered pings after which a reader is disconnected. */
const MAX_SILENT_PINGS = 2

export interface TailWishes {
  readonly filters: LineFilters
  readonly query: Query
  /** Lines per second at most; undefined: all of them. */
  readonly maxPerS: number | undefined
  /** Line behind which it begins; undefined: it begins now. */
  readonly after: LineIdParts | undefined
}

/** RFC 6455, section 7.4.1. */
const ENDINGS = {
  stopped: { code: 1001, sentence: 'The server stops' },
  refused: { code: 1008, sentence: 'The credential no longer allows this' },
  failed: { code: 1011, sentence: 'The log cannot be read on from here' },
} as const

export interface TailPorts {
  readonly clock: Clock
  readonly counts: TailCounts
  readonly room: TailRoom
  readonly rights: Pick<LastingRights, 'now' | 'keepReviewing'>
}

/** A reader of a live tail: live tail, section 7. */
export class Tail implements TailListener {
  readonly #wishes: TailWishes
  readonly #ports: TailPorts
  readonly #sender: TailSender
  readonly #ended = new AbortController()
  #scope: Query | undefined
  #filter: LineFilter
  #socket: WebSocket | undefined
  /** Reason for the end of the tail; it may be set before the connection is open. */
  #ending: keyof typeof ENDINGS | undefined

  /** @param rights present rights */
  constructor(wishes: TailWishes, rights: PresentRights, ports: TailPorts) {
    this.#wishes = wishes
    this.#ports = ports
    this.#sender = new TailSender(ports.clock, ports.counts, ports.room, this.signal, wishes.maxPerS)
    this.#scope = rights.scope
    this.#filter = lineFilter(wishes.filters, narrowed(wishes.query, rights.scope))
    void ports.rights.keepReviewing(() => this.#review(), this.signal)
  }

  get filter(): LineFilter {
    return this.#filter
  }

  /** Aborted when the tail has ended. */
  get signal(): AbortSignal {
    return this.#ended.signal
  }

  /** Sends waiting and future lines to a connection. */
  attach(socket: WebSocket): void {
    this.#socket = socket
    if (this.#ending !== undefined) {
      this.#close(this.#ending)
      return
    }
    socket.once('close', () => this.leave())
    this.#sender.attach(socket)
    void this.#ping(socket)
  }

  take(record: string): void {
    this.#sender.take(record)
  }

  miss(lines: number): void {
    this.#sender.miss(lines)
  }

  /** Drops the oldest waiting lines beyond the present room. */
  trim(): void {
    this.#sender.trim()
  }

  untilRoom(): Promise<void> {
    return this.#sender.untilRoom()
  }

  fail(): void {
    this.end('failed')
  }

  /** Updates the reader's access scope. */
  #review(): void {
    if (this.signal.aborted) return
    const rights = this.#ports.rights.now()
    if (rights === undefined) {
      this.end('refused')
      return
    }
    if (JSON.stringify(rights.scope) === JSON.stringify(this.#scope)) return
    this.#scope = rights.scope
    this.#filter = lineFilter(this.#wishes.filters, narrowed(this.#wishes.query, rights.scope))
    this.#sender.discard()
  }

  /** Ends the tail and informs the reader of the reason, once. */
  end(ending: keyof typeof ENDINGS): void {
    if (this.signal.aborted) return
    if (ending === 'stopped') this.#sender.flush()
    this.#ending = ending
    this.leave()
    this.#close(ending)
  }

  /** Called when the reader has disconnected. */
  leave(): void {
    this.#ended.abort()
  }

  #close(ending: keyof typeof ENDINGS): void {
    const { code, sentence } = ENDINGS[ending]
    if (this.#socket !== undefined) closeSocket(this.#socket, code, sentence, this.#ports.clock)
  }

  async #ping(socket: WebSocket): Promise<void> {
    let silentPings = 0
    for (const event of ['pong', 'message']) socket.on(event, () => (silentPings = 0))
    for (;;) {
      await this.#ports.clock.sleep(PING_MS, this.signal)
      if (this.signal.aborted) return
      if (silentPings >= MAX_SILENT_PINGS) {
        socket.terminate()
        return
      }
      silentPings++
      socket.ping()
    }
  }
}
