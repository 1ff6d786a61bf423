import fastify, { type FastifyInstance } from 'fastify'
import { sendError } from '../../api/error-reply.ts'
import { ByteBudget } from '../../api/ingest/byte-budget.ts'
import type { IngestFront } from '../../api/ingest/ingest-front.ts'
import { serveFront } from '../../api/ingest/ingest-routes.ts'
import { RefusalLog } from '../../api/refusal-log.ts'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { BODY_LIMIT_BYTES } from './simulated-process.ts'

export interface SimulatedRequest {
  readonly apikey: string
  readonly hostname: string
  readonly idempotencyKey: string | undefined
  readonly body: string
}

/**
 * The HTTP routes of ingestion, without a socket. Building a server takes longer than a world lives, so there is one
 * for all processes of all worlds: it hands each request to the front of the process that it is for, and keeps
 * nothing itself.
 */
export class FrontDoor {
  readonly #app: FastifyInstance
  readonly #fronts = new Map<string, IngestFront>()
  #requests = 0

  private constructor(app: FastifyInstance) {
    this.#app = app
  }

  static async open(): Promise<FrontDoor> {
    const app = fastify({ genReqId: () => '' })
    const door = new FrontDoor(app)
    const frontOf = (headers: Record<string, unknown>) =>
      door.#fronts.get(String(headers['x-front'])) as IngestFront
    const refusals = new RefusalLog(manualClock())
    app.setErrorHandler((error, request, reply) => sendError(error, request, reply, refusals))
    serveFront(app, {
      bodyLimitBytes: BODY_LIMIT_BYTES,
      corsOrigins: [],
      budget: new ByteBudget(Number.MAX_SAFE_INTEGER),
      front: {
        authenticateEarly: (request, reply) => frontOf(request.headers).authenticateEarly(request, reply),
        ingest: (request, reply) => frontOf(request.headers).ingest(request, reply),
      },
    })
    await app.ready()
    return door
  }

  /** @returns what is answered; never, when the process dies before */
  async send(
    front: IngestFront,
    { apikey, hostname, idempotencyKey, body }: SimulatedRequest,
  ): Promise<{ readonly status: number; readonly batchId: string }> {
    const name = String(++this.#requests)
    this.#fronts.set(name, front)
    try {
      const response = await this.#app.inject({
        method: 'POST',
        url: `/logs/ingest?hostname=${hostname}`,
        headers: {
          apikey,
          'x-front': name,
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        payload: body,
      })
      const { batchID = '' } = response.json<{ batchID?: string }>()
      return { status: response.statusCode, batchId: batchID }
    } finally {
      this.#fronts.delete(name)
    }
  }

  /** Forgets requests that will never be answered. */
  clear(): void {
    this.#fronts.clear()
  }
}
