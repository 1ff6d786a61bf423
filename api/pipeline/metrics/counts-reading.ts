import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CountsOfNode, NodeMetricsQuery } from '../../../engine/store/node-metrics.ts'
import type { Store } from '../../../engine/store/store.ts'
import { askerOf } from '../../auth/permission.ts'
import { unavailable } from '../../http/errors.ts'
import { AccountQueue, whileConnected } from '../account-queue.ts'
import { MAX_ROWS } from './answer-size.ts'

/** Counts that a request reads. */
export type ReadCounts = Omit<NodeMetricsQuery, 'limit'>

/** Reads counts for requests, in turn with those of other accounts. */
export class CountsReading {
  readonly #store: Pick<Store, 'nodeMetrics'>
  readonly #queue = new AccountQueue('readings of counts')

  constructor(store: Pick<Store, 'nodeMetrics'>) {
    this.#store = store
  }

  /**
   * Answers a request with counts.
   *
   * @throws ApiError 503 when more nodes had events than one answer can count; 429 when too many readings wait
   */
  answer<Answer>(
    { caller }: FastifyRequest,
    reply: FastifyReply,
    query: ReadCounts,
    answerOf: (found: readonly CountsOfNode[]) => Answer,
  ): Promise<Answer> {
    return whileConnected(reply, gone =>
      this.#queue.run(askerOf(caller), gone, async () => answerOf(await this.#countsOf(query, gone))),
    )
  }

  async #countsOf(query: ReadCounts, gone: AbortSignal): Promise<readonly CountsOfNode[]> {
    const found = await this.#store.nodeMetrics({ ...query, limit: MAX_ROWS + 1 }, gone)
    if (found.length > MAX_ROWS)
      throw unavailable(`More than ${MAX_ROWS} counts are in this period: ask for a shorter one`)
    return found
  }
}
