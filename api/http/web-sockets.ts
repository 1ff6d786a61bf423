import type { IncomingMessage } from 'node:http'
import websocket from '@fastify/websocket'
import type { FastifyInstance } from 'fastify'
import type { WebSocket } from 'ws'
import type { Clock } from '../../engine/clock/clock.ts'

/** Clients are not expected to send anything: their messages are ignored. */
const MAX_RECEIVED_BYTES = 4_096
/** Time that written data waits for a slow reader before the connection is closed. */
const LINGER_MS = 1_000

const PATHS = /^(\/v3\/pipeline\/[^/]+\/((source|transform)\/[^/]+\/tap|metrics\/live)|\/ws\/tail)\/?(\?|$)/

/** Whether a request may become a WebSocket; any other wish to upgrade is ignored (RFC 9110, section 7.8). */
export function isUpgrade({ method, url = '', headers }: IncomingMessage): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && PATHS.test(url)
}

/** Allows WebSockets on the routes of a scope. A refusal is always an HTTP answer. */
export async function acceptWebSockets(app: FastifyInstance): Promise<void> {
  const listeners: (() => void)[] = []
  app.decorate('beforeSocketsClose', (listener: () => void) => void listeners.push(listener))
  // Runs before the hook of the plugin, which closes connections without a reason.
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
  // Node does not manage a connection that asks for an upgrade: a refusal must close it.
  app.addHook('onSend', async (request, reply) => {
    if (isUpgrade(request.raw)) reply.header('connection', 'close')
  })
  app.addHook('onResponse', async ({ raw }) => {
    if (isUpgrade(raw)) raw.socket.end()
  })
}

/** RFC 6455, section 7.4.1. */
const TOO_LARGE = 1009

/** Closes with a reason when `ws` ends a connection because of a long message: by itself it sends none. */
function tellReason(socket: WebSocket): void {
  const close = socket.close.bind(socket)
  socket.close = (code, reason) =>
    close(code, code === TOO_LARGE ? `A message may have ${MAX_RECEIVED_BYTES} bytes` : reason)
}

/** Closes a connection after outstanding messages, in a bounded time. */
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
    /** Calls the listener when the server closes, while connections are still open. */
    beforeSocketsClose(listener: () => void): void
  }
}
