import type { Clock } from '../../../engine/clock/clock.ts'
import type { ConfigurationLog } from '../../../engine/configuration/configuration-log.ts'
import { revisions } from '../../../engine/configuration/entities.ts'
import {
  type CheckOutcome,
  DestinationChecks,
} from '../../../engine/delivery/destinations/destination-checks.ts'
import type { Catalogue } from '../../../engine/nodes/contract/catalogue.ts'
import type { KafkaOutbound } from '../../../engine/outbound/kafka-exchange.ts'
import type { Outbound } from '../../../engine/outbound/outbound.ts'
import type { DeliveryCheckRecord } from '../../../schemas/http/pipeline/delivery-api.ts'
import type { NodeDocument } from '../../../schemas/pipeline.ts'
import type { Caller } from '../../auth/caller.ts'
import { ApiError, notFound } from '../../http/errors.ts'
import { ProblemsError } from '../../http/problems-error.ts'
import { RateLimit } from '../../http/rate-limit.ts'
import type { Pipelines } from '../pipelines.ts'
import type { DestinationPath } from './deliveries.ts'

const MESSAGES: Readonly<Record<CheckOutcome['kind'], (status: string) => string>> = {
  accepted: status => `The server answered${status}: it accepts requests of this destination.`,
  answered: status => `The server answered${status} to an empty request: it is there.`,
  refused: status =>
    `The server answered${status}: it refuses the credentials, or does not allow the request.`,
  silent: () =>
    'No answer came: the server cannot be reached, does not speak the protocol, or connections to it are not allowed.',
}

export interface DeliveryCheckPorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly isOwnHost: (host: string) => boolean
  /** Carries the requests. */
  readonly outbound: Pick<Outbound, 'request'> & KafkaOutbound
}

/** Checks of destinations: an empty request, and what came back. */
export class DeliveryChecks {
  readonly #pipelines: Pipelines
  readonly #ports: DeliveryCheckPorts
  readonly #checks: DestinationChecks
  /** The rate of each account. */
  readonly #rate: RateLimit

  constructor(pipelines: Pipelines, ports: DeliveryCheckPorts) {
    this.#pipelines = pipelines
    this.#ports = ports
    this.#checks = new DestinationChecks(ports.outbound, ports.clock)
    this.#rate = new RateLimit({ perSecond: 1, burst: 1 }, ports.clock)
  }

  /**
   * Checks a destination with the options of the draft, or of the deployed revision.
   *
   * @throws ApiError 404 for an unknown node, 400 for one that sends no requests, 409 when it cannot be checked, 429 after a check
   *   of the account within a second; ProblemsError when its options cannot be published
   */
  async check(caller: Caller, path: DestinationPath, isDeployed: boolean): Promise<DeliveryCheckRecord> {
    const { catalogue, isOwnHost } = this.#ports
    const { node, account } = this.#nodeOf(caller, path, isDeployed)
    const type = catalogue.runningTypeOf(node, catalogue.goesElsewhere(node, this.#ports))
    const destination = catalogue.destinationOf(type)
    if (destination?.delivery !== 'requests' || !catalogue.sendsRequests({ ...node, type }, false))
      throw new ApiError(
        400,
        'BadRequest',
        `The destination is of type "${node.type}", which sends no requests`,
      )
    const site = { isOwnHost, isForeignKey: () => false, notPublished: '' }
    const problems = destination.publishProblems?.(node.user_config, site) ?? []
    if (problems.length > 0) throw new ProblemsError(problems)
    this.#rate.take(account)
    const outcome = await this.#checks.check(destination, node.user_config, account)
    if (outcome === undefined)
      throw new ApiError(409, 'ECONFLICT', 'The destination cannot be checked: its requests depend on events')
    const { kind, status, text } = outcome
    const message = MESSAGES[kind](status === null ? '' : ` ${status}`)
    return { outcome: kind, status, message, answer: text }
  }

  #nodeOf(
    caller: Caller,
    { pipeline, node }: DestinationPath,
    isDeployed: boolean,
  ): { readonly node: NodeDocument; readonly account: string } {
    const state = this.#pipelines.get(caller, pipeline)
    const { account } = state.pipeline.value
    const revision = this.#ports.configuration.get(revisions, state.deployedRevisionId ?? '')?.value
    const nodes = isDeployed ? (revision?.document.nodes ?? []) : state.draft.value.nodes
    const found = nodes.find(each => each.id === node && each.kind === 'sink')
    if (found === undefined) throw notFound('The destination does not exist')
    return { node: found, account }
  }
}
