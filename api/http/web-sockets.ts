import type { IncomingMessage } from 'node:http'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import type { WebSocket } from 'ws'
import type { Clock } from '../../engine/clock/clock.ts'

/** Nothing is expected of those who are connected: what they send is not looked at. */
const MAX_RECEIVED_BYTES = 4_096
/** What has been written stays for that long for a reader that does not take it, then the connection is closed. */
const LINGER_MS = 1_000

const PATHS = /^(\/v3\/pipeline\/[^/]+\/(source|transform)\/[^/]+\/tap|\/ws\/tail)\/?(\?|$)/

/** Whether a request may become a WebSocket; a wish for it anywhere else is passed over (RFC 9110, section 7.8). */
export function isUpgrade({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && PATHS.test(url)
}

/** Lets routes of a scope have WebSockets. A refusal is an HTTP answer, whatever was asked for. */
export async function acceptWebSockets(app: FastifyInstance): Promise<void> {
  const listeners: (() => void)[] = []
  app.decorate('beforeSocketsClose', (listener: () => void) => void listeners.push(listener))
  // Before the plugin's own, which closes connections without a word.
  app.addHook('preClose', async () => {
    for (const listener of listeners) listener()
  })
  await app.register(websocket, {
    options: { maxPayload: MAX_RECEIVED_BYTES },
    errorHandler: (error, socket, request) => {
      request.log.debug({ err: error }, 'a WebSocket failed')
      socket.close(1011)
    },
  })
  app.websocketServer.on('connection', tellReason)
  // Node lets go of a connection that asks to become another one: whoever refuses has to close it.
  app.addHook('onSend', async (request, reply) => {
    if (isUpgrade(request.raw)) reply.header('connection', 'close')
  })
  app.addHook('onResponse', async ({ raw }) => {
    if (isUpgrade(raw)) raw.socket.end()
  })
}

/** RFC 6455, section 7.4.1. */
const TOO_LARGE = 1009

/** Of the end that `ws` decides on as soon as it sees how long a message is: it tells no reason by itself. */
function tellReason(socket: WebSocket): void {
  const close = socket.close.bind(socket)
  socket.close = (code, reason) =>
    close(code, code === TOO_LARGE ? `A message may have ${MAX_RECEIVED_BYTES} bytes` : reason)
}

/** Closes a connection after what was sent, in a bounded time. */
export function closeSocket(socket: WebSocket, code: number, reason: string, clock: Clock): void {
  const gone = new AbortController()
  socket.once('close', () => gone.abort())
  socket.close(code, reason)
  void clock.sleep(LINGER_MS, gone.signal).then(() => {
    if (!gone.signal.aborted) socket.terminate()
  })
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Calls it when the server closes, while connections are still there. */
    beforeSocketsClose(listener: () => void): void
  }
}
