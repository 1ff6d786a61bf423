import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Server, Socket } from 'node:net'
import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import type { Clock } from '../../engine/clock/clock.ts'

/** Time for open requests once the server closes: the engine's stop, which follows, has its own limit. */
const FINISH_WITHIN_MS = 4_000

/**
 * Makes the server close in a bounded time, whatever its clients do. Node waits for every connection that has never sent
 * a request or is in the middle of one. Browsers keep such connections in reserve, and slow clients keep others.
 *
 * A connection without a complete request head is closed at once. Open requests are answered with `connection: close`;
 * those that take too long lose their connection.
 */
export function boundClosing(app: FastifyInstance, clock: Clock, logger: FastifyBaseLogger): void {
  const connections = new OpenConnections(app.server)
  let isClosing = false
  app.addHook('onSend', async (_request, reply) => {
    if (isClosing) reply.header('connection', 'close')
  })
  app.addHook('preClose', async () => {
    isClosing = true
    connections.closeWhenAnswered()
    if (connections.count === 0) return
    const closed = new AbortController()
    app.server.once('close', () => closed.abort())
    void clock.sleep(FINISH_WITHIN_MS, closed.signal).then(() => {
      if (closed.signal.aborted) return
      logger.warn(
        { connections: connections.count },
        `requests were not over ${FINISH_WITHIN_MS / 1000} s after the stop began: their connections are closed`,
      )
      connections.destroyAll()
    })
  })
}

/** The connections of a server, with the number of requests that are not completely answered yet. */
class OpenConnections {
  readonly #requests = new Map<Socket, number>()
  readonly #byPeer = new Map<string, Socket>()
  #isClosing = false

  constructor(server: Server) {
    server.on('connection', socket => this.#add(socket))
    // After the TLS handshake, requests arrive through another object for the same connection.
    server.on('secureConnection', (socket: Socket) => {
      const underlying = this.#byPeer.get(peerOf(socket))
      if (underlying !== undefined) this.#requests.delete(underlying)
      this.#add(socket)
    })
    server.on('request', (request: IncomingMessage, response: ServerResponse) =>
      this.#follow(request.socket, response),
    )
    // From then on the connection is one long request.
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      if (this.#requests.has(socket)) this.#requests.set(socket, 1)
    })
  }

  get count(): number {
    return this.#requests.size
  }

  /** Closes idle connections, and the others as soon as their last request is answered. */
  closeWhenAnswered(): void {
    this.#isClosing = true
    for (const [socket, requests] of this.#requests) if (requests === 0) socket.destroy()
  }

  destroyAll(): void {
    for (const socket of this.#requests.keys()) socket.destroy()
  }

  #add(socket: Socket): void {
    if (this.#isClosing) {
      socket.destroy()
      return
    }
    const peer = peerOf(socket)
    this.#requests.set(socket, 0)
    this.#byPeer.set(peer, socket)
    socket.once('close', () => {
      this.#requests.delete(socket)
      if (this.#byPeer.get(peer) === socket) this.#byPeer.delete(peer)
    })
  }

  #follow(socket: Socket, response: ServerResponse): void {
    const requests = this.#requests.get(socket)
    if (requests === undefined) return // it was closed in the meantime
    this.#requests.set(socket, requests + 1)
    response.once('close', () => {
      const open = this.#requests.get(socket)
      if (open === undefined) return
      const left = open - 1
      this.#requests.set(socket, left)
      // The head of the answer was sent earlier and has promised to keep the connection.
      if (this.#isClosing && left === 0) socket.end(() => socket.destroy())
    })
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}
