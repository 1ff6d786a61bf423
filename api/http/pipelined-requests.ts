import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of requests of a connection that have no answer yet. Usual clients send one at a time. (Our choice.) */
export const MAX_UNANSWERED = 16

/**
 * Closes connections that send many requests without reading the answers. Node hands all requests of one read to the server in the
 * same turn, so thousands of them would keep all other connections waiting.
 */
export function limitPipelining(server: Server): void {
  const [handle] = server.listeners('request') as [RequestListener]
  const unanswered = new WeakMap<Socket, number>()
  const change = (socket: Socket, by: number) => unanswered.set(socket, (unanswered.get(socket) ?? 0) + by)
  server.off('request', handle)
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const { socket } = request
    if (socket.destroyed) return
    if ((unanswered.get(socket) ?? 0) >= MAX_UNANSWERED) {
      socket.destroy()
      return
    }
    change(socket, 1)
    response.once('close', () => change(socket, -1))
    handle(request, response)
  })
}
