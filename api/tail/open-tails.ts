import type { FastifyRequest } from 'fastify'
import { LogError } from '../../engine/log/log.ts'
import { LineGoneError, type LiveTails } from '../../engine/replay/tail/live-tails.ts'
import type { Asker } from '../../engine/turns/asker.ts'
import type { LineIdParts } from '../../schemas/log/position.ts'
import { accessScopeOf } from '../auth/access-scope.ts'
import { LastingRights, type LastingRightsPorts } from '../auth/lasting-rights.ts'
import { askerOf } from '../auth/permission.ts'
import { ConnectionPlaces, type PlaceLimits } from '../http/connection-places.ts'
import { notFound, unavailable } from '../http/errors.ts'
import { Tail } from './tail.ts'
import { readTail } from './tail-request.ts'
import { type TailRoom, TailRooms } from './tail-rooms.ts'

export interface OpenTailsPorts extends LastingRightsPorts {
  readonly tails: LiveTails
  readonly limits: PlaceLimits
}

/** The open tails of this process. */
export class OpenTails {
  /** Lines since the start. */
  readonly counts = { sent: 0, dropped: 0 }
  readonly #ports: OpenTailsPorts
  readonly #open = new Set<Tail>()
  readonly #places: ConnectionPlaces
  readonly #rooms = new TailRooms()

  constructor(ports: OpenTailsPorts) {
    this.#ports = ports
    this.#places = new ConnectionPlaces('tail', ports.limits)
  }

  /** Number of open tails. */
  get count(): number {
    return this.#open.size
  }

  /**
   * Opens a tail for a request that wants to become a WebSocket. From then on it collects lines.
   *
   * @throws ApiError 400, 404 when the log does not have the line behind which it begins, 429, 503
   */
  async admit(request: FastifyRequest): Promise<Tail> {
    const wishes = readTail(request)
    const asker = askerOf(request.caller)
    this.#places.assertFree(asker)
    const { configuration, clock } = this.#ports
    const scope = accessScopeOf(configuration, request.caller)
    const rights = new LastingRights(request, this.#ports)
    const tail = this.#newTail(asker, room => {
      const ports = { clock, rights, counts: this.counts, room }
      return new Tail(wishes, { scope }, ports)
    })
    request.raw.socket.once('close', () => tail.leave())
    await this.#listen(asker.account, tail, wishes.after)
    return tail
  }

  /** Ends all tails, because the process stops. */
  stop(): void {
    for (const tail of [...this.#open]) tail.end('stopped')
  }

  /** The other tails have less room from now on. */
  #newTail(asker: Asker, open: (room: TailRoom) => Tail): Tail {
    const room = this.#rooms.open(asker)
    const leave = this.#places.take(asker)
    const tail = open(room)
    for (const other of this.#open) other.trim()
    this.#open.add(tail)
    const close = () => {
      this.#open.delete(tail)
      this.#rooms.close(room)
      leave()
    }
    tail.signal.addEventListener('abort', close, { once: true })
    return tail
  }

  async #listen(account: string, tail: Tail, after: LineIdParts | undefined): Promise<void> {
    try {
      await this.#ports.tails.open(account, tail, tail.signal, after)
    } catch (error) {
      tail.leave()
      if (error instanceof LineGoneError) throw notFound('The log no longer has the line in "after"')
      if (!(error instanceof LogError)) throw error
      throw unavailable('The log cannot be read at the moment')
    }
  }
}
