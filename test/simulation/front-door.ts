import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import fastify, { type FastifyInstance } from 'fastify'
import { RefusalLog } from '../../api/auth/refusal-log.ts'
import { sendError } from '../../api/error-reply.ts'
import { BodyRoom } from '../../api/http/bodies/body-room.ts'
import { ReceivedBodies } from '../../api/http/bodies/received-bodies.ts'
import type { IngestFront } from '../../api/ingest/ingest-front.ts'
import { serveFront } from '../../api/ingest/ingest-routes.ts'
import type { PushFront } from '../../api/ingest/push-front.ts'
import { servePushes } from '../../api/ingest/push-routes.ts'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { BODY_LIMIT_BYTES } from './simulated-process.ts'

/** Request handlers of a process. */
export interface Fronts {
  readonly ingest: IngestFront
  readonly push: PushFront
}

export interface SimulatedRequest {
  /** Path with its query. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface SimulatedAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
}

/**
 * The HTTP routes of ingestion and pushes, without a socket. Building a server takes longer than a world lives, so all
 * processes of all worlds share one. It hands each request to the front of its process, and keeps no state.
 */
export class FrontDoor {
  readonly #app: FastifyInstance

  private constructor(app: FastifyInstance) {
    this.#app = app
  }

  static async open(): Promise<FrontDoor> {
    const app = fastify({ genReqId: () => '' })
    const refusals = new RefusalLog(manualClock())
    app.setErrorHandler((error, request, reply) => sendError(error, request, reply, refusals))
    serveFront(app, {
      corsOrigins: [],
      bodies: new ReceivedBodies({
        clock: manualClock(),
        limitBytes: BODY_LIMIT_BYTES,
        room: new BodyRoom(Number.MAX_SAFE_INTEGER),
      }),
      front: {
        authenticateEarly: (request, reply) => frontsOf(request.raw).ingest.authenticateEarly(request, reply),
        ingest: (request, reply) => frontsOf(request.raw).ingest.ingest(request, reply),
      },
    })
    servePushes(app, {
      authenticateEarly: (request, reply) => frontsOf(request.raw).push.authenticateEarly(request, reply),
      take: (request, reply) => frontsOf(request.raw).push.take(request, reply),
    })
    await app.ready()
    return new FrontDoor(app)
  }

  /** @returns the answer; never resolves when the process dies first */
  send(fronts: Fronts, request: SimulatedRequest): Promise<SimulatedAnswer> {
    return new Promise(resolve => {
      const head = new RequestHead(fronts, request)
      const answer = new Answer(resolve)
      this.#app.routing(head as unknown as IncomingMessage, answer as unknown as ServerResponse)
      // Its route listens by now, unless it has refused the head.
      head.emit('data', Buffer.from(request.body))
      head.emit('end')
    })
  }
}

function frontsOf(raw: IncomingMessage): Fronts {
  return (raw as unknown as RequestHead).fronts
}

/**
 * The part of node's request that the routes use. The objects of fastify's `inject` are so large that they would take a
 * tenth of a world's time.
 */
class RequestHead extends EventEmitter {
  readonly method = 'POST'
  readonly url: string
  readonly headers: Record<string, string>
  readonly rawHeaders: readonly string[] = []
  readonly socket = { remoteAddress: '127.0.0.1' }
  readonly fronts: Fronts

  constructor(fronts: Fronts, { path, headers, body }: SimulatedRequest) {
    super()
    this.fronts = fronts
    this.url = path
    this.headers = { ...headers, 'content-length': String(Buffer.byteLength(body)) }
  }
}

/** The part of node's response that fastify uses. */
class Answer extends EventEmitter {
  statusCode = 200
  headersSent = false
  writableEnded = false
  readonly #done: (answer: SimulatedAnswer) => void

  constructor(done: (answer: SimulatedAnswer) => void) {
    super()
    this.#done = done
  }

  /** Headers come with `writeHead`: none is there before. */
  getHeader(): undefined {
    return undefined
  }

  writeHead(statusCode: number): void {
    this.statusCode = statusCode
    this.headersSent = true
  }

  end(text: string): void {
    this.writableEnded = true
    this.emit('finish')
    this.#done({ status: this.statusCode, body: JSON.parse(text) as SimulatedAnswer['body'] })
  }
}
