import type { Clock } from '../../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../../engine/configuration/configuration-log.ts'
import { revisions, spreads } from '../../../engine/configuration/entities.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import { MemoryUnavailableError } from '../../../engine/replay/present-memory.ts'
import type { LaneStatus, PresentDeliveries } from '../../../engine/worker/outbox/present-deliveries.ts'
import type {
  DeliveryRecord,
  DestinationDeliveryRecord,
} from '../../../schemas/http/pipeline/delivery-api.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import type { Caller } from '../../auth/caller.ts'
import { accountOf } from '../../auth/permission.ts'
import { ApiError, notFound, unavailable } from '../../http/errors.ts'
import { isoTime } from '../../http/iso-time.ts'
import type { PipelineState, Pipelines } from '../pipelines.ts'

const NO_DESTINATION = 'The destination does not exist'

export interface DeliveryPorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly deliveries: PresentDeliveries
}

/** A destination as a request names it. */
export interface DestinationPath {
  readonly pipeline: string
  readonly node: string
}

/** Deliveries of destinations that send requests. */
export class Deliveries {
  readonly #pipelines: Pipelines
  readonly #ports: DeliveryPorts

  constructor(pipelines: Pipelines, ports: DeliveryPorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  /**
   * Shows the deliveries of a node.
   *
   * @throws ApiError 404 for a node of another account, or one that was removed and whose deliveries are forgotten, 400 for a
   *   destination that sends no requests, 409 when it is not deployed and never was, 503 when the log does not answer in time
   */
  async show(caller: Caller, { pipeline, node }: DestinationPath): Promise<DeliveryRecord> {
    const { configuration, clock, deliveries } = this.#ports
    const state = this.#pipelines.get(caller, pipeline)
    const { isDeployed, isDrafted } = this.#sendingIn(state, node)
    const { account } = state.pipeline.value
    const isSpread = configuration.get(spreads, account) !== undefined
    const lanes = await answered(() => deliveries.lanesOf({ account, pipeline, node }, isSpread))
    // A node that was removed is known by its lanes alone.
    if (lanes.length === 0 && !isDeployed) throw isDrafted ? notRunning() : notFound(NO_DESTINATION)
    return deliveryRecord(lanes, clock.wallMs())
  }

  /**
   * Lists the deliveries of all destinations of the caller's pipelines, also of removed ones while they are known. A destination
   * without a first event has none.
   *
   * @throws ApiError 503 when the log does not answer in time
   */
  async list(caller: Caller): Promise<DestinationDeliveryRecord[]> {
    const { configuration, clock, deliveries } = this.#ports
    const account = accountOf(caller).shortId
    const isSpread = configuration.get(spreads, account) !== undefined
    const own = new Set(this.#pipelines.list(caller).map(({ pipeline }) => pipeline.id))
    if (own.size === 0) return []
    const lanes = await answered(() => deliveries.lanesOfAccount(account, isSpread))
    const byNode = Map.groupBy(
      lanes.filter(({ pipeline }) => own.has(pipeline)),
      ({ pipeline, node }) => `${pipeline} ${node}`,
    )
    return [...byNode.values()].map(ofNode => {
      const { pipeline, node } = ofNode[0] as LaneStatus
      return { pipeline_id: pipeline, node_id: node, ...deliveryRecord(ofNode, clock.wallMs()) }
    })
  }

  /**
   * The place of a node.
   *
   * @throws ApiError 400 for one that sends no requests
   */
  #sendingIn({ draft, deployedRevisionId }: PipelineState, id: string) {
    const { catalogue, configuration } = this.#ports
    const isMeant = (node: NodeDocument) => node.id === id && node.kind === 'sink'
    const revision = configuration.get(revisions, deployedRevisionId ?? '')?.value
    const running = revision?.document.nodes.find(isMeant)
    const drafted = draft.value.nodes.find(isMeant)
    const node = running ?? drafted
    const isElsewhere = running !== undefined && revision?.elsewhere?.includes(id) === true
    if (node !== undefined && !catalogue.sendsRequests(node, isElsewhere))
      throw new ApiError(
        400,
        'BadRequest',
        `The destination is of type "${node.type}", which sends no requests`,
      )
    return { isDeployed: running !== undefined, isDrafted: drafted !== undefined }
  }
}

/** @throws ApiError 503 when the log does not answer in time */
async function answered<Answer>(read: () => Promise<Answer>): Promise<Answer> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof MemoryUnavailableError ? unavailable(error.message) : error
  }
}

/** Deliveries as the API shows them: of all partitions together. */
export function deliveryRecord(lanes: readonly LaneStatus[], nowMs: number): DeliveryRecord {
  const sum = (count: (lane: LaneStatus) => number) => lanes.reduce((total, lane) => total + count(lane), 0)
  const known = lanes.flatMap(({ sending }) => sending ?? [])
  const worst = (['resting', 'retrying'] as const).find(state => known.some(each => each.state === state))
  const isKnown = known.length === lanes.length
  const failingSinceMs = Math.min(...known.map(each => each.failingSinceMs ?? Number.POSITIVE_INFINITY))
  const oldestMs = Math.min(...lanes.map(lane => lane.oldestMs ?? Number.POSITIVE_INFINITY))
  const troubles = known.flatMap(({ trouble }) => trouble ?? [])
  const trouble = troubles.toSorted((one, other) => other.atMs - one.atMs)[0]
  return {
    at: isoTime(nowMs),
    state: worst ?? (isKnown ? 'delivering' : null),
    failing_since: Number.isFinite(failingSinceMs) ? isoTime(failingSinceMs) : null,
    lag_seconds: Number.isFinite(oldestMs) ? Math.max(0, nowMs - oldestMs) / 1_000 : 0,
    handed_over: sum(lane => lane.handedOver),
    delivered: sum(lane => lane.delivered),
    given_up: sum(lane => lane.givenUp),
    dropped: sum(lane => lane.dropped),
    waiting: sum(lane => lane.waiting),
    last_trouble:
      trouble === undefined
        ? null
        : {
            at: isoTime(trouble.atMs),
            code: trouble.code,
            status: trouble.status,
            message: trouble.message,
          },
  }
}

function notRunning(): ApiError {
  return new ApiError(409, 'ENOTPUBLISHED', 'The destination does not run: publish the pipeline first')
}
