import { type Change, create, remove, replace } from '../../engine/configuration/configuration-log.ts'
import {
  type AccessKey,
  accessKeys,
  type GatewayRoute,
  gatewayRoutes,
  secretHash,
} from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { newKey } from '../../engine/configuration/mint.ts'
import type { Problem } from '../../engine/event/problem.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { AccessKeyWrite, GatewayRouteWrite } from '../../schemas/http/pipeline/gateway-route.ts'
import type { JsonValue } from '../../schemas/json.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { ApiError, notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'
import { ProblemsError } from '../http/problems-error.ts'
import type { PipelinePorts } from './pipeline-ports.ts'
import type { Pipelines } from './pipelines.ts'
import { membersOf, type SentBody } from './sent-body.ts'
import { gatewayRouteOfAccount, removing, touched, usedBy } from './source-gateway-route.ts'

const IN_USE = {
  draft: 'The gateway route is in use: sources are attached to it',
  deployment:
    'The gateway route is in use: a deployed pipeline still reads it. Publish that pipeline without it, or delete it, first',
} as const

export interface NewAccessKey {
  readonly accessKey: Entity<AccessKey>
  /** The key itself, which is not stored anywhere. */
  readonly key: string
}

/**
 * Gateway routes of all accounts and their access keys (pipeline API, sections 2.5 and 2.6). Every method sees only those
 * of the caller's account, and throws ApiError 404 for others.
 */
export class GatewayRouteService {
  readonly #pipelines: Pipelines
  readonly #ports: PipelinePorts

  constructor(pipelines: Pipelines, ports: PipelinePorts) {
    this.#pipelines = pipelines
    this.#ports = ports
  }

  /** Returns gateway routes oldest first, including those that sources created. */
  list(caller: Caller): Entity<GatewayRoute>[] {
    return this.#ports.configuration.list(gatewayRoutes, accountOf(caller).shortId)
  }

  get(caller: Caller, id: string): Entity<GatewayRoute> {
    const gatewayRoute = gatewayRouteOfAccount(this.#ports.configuration, accountOf(caller).shortId, id)
    if (gatewayRoute === undefined) throw notFound('The gateway route does not exist')
    return gatewayRoute
  }

  async create(caller: Caller, body: SentBody): Promise<Entity<GatewayRoute>> {
    const { configuration, clock, entropy } = this.#ports
    const account = accountOf(caller).shortId
    const id = entropy.uuid()
    const value: GatewayRoute = {
      ...written(this.#ports.catalogue, body),
      account,
      consumerId: entropy.uuid(),
      madeBySource: false,
      createdAtMs: clock.wallMs(),
    }
    await configuration.append([create(gatewayRoutes, id, value)], { subjectId: caller.subjectId, account })
    return this.get(caller, id)
  }

  async replace(caller: Caller, id: string, body: SentBody): Promise<Entity<GatewayRoute>> {
    await this.#changing(caller, id, gatewayRoute => [
      replace(gatewayRoutes, gatewayRoute, {
        ...gatewayRoute.value,
        ...written(this.#ports.catalogue, body, gatewayRoute.value),
      }),
    ])
    return this.get(caller, id)
  }

  /** Deletes a gateway route with its access keys. @throws ApiError 409 while sources use it */
  async delete(caller: Caller, id: string): Promise<void> {
    const { configuration } = this.#ports
    await this.#changing(caller, id, gatewayRoute => {
      const user = usedBy(configuration, gatewayRoute)
      if (user !== undefined) throw new ApiError(409, 'Conflict', IN_USE[user])
      return removing(configuration, gatewayRoute)
    })
  }

  /** Returns keys oldest first. */
  accessKeys(caller: Caller, id: string): Entity<AccessKey>[] {
    const gatewayRoute = this.get(caller, id)
    return this.#ports.configuration
      .list(accessKeys, gatewayRoute.value.account)
      .filter(({ value }) => value.gatewayRoute === id)
  }

  async createAccessKey(caller: Caller, id: string, body: SentBody): Promise<NewAccessKey> {
    const { configuration, clock, entropy } = this.#ports
    const key = newKey(entropy)
    const keyId = entropy.uuid()
    await this.#changing(caller, id, gatewayRoute => {
      const value: AccessKey = {
        account: gatewayRoute.value.account,
        gatewayRoute: id,
        title: accessKeyTitle(body, id),
        hash: secretHash(key),
        createdAtMs: clock.wallMs(),
      }
      return [create(accessKeys, keyId, value), touched(gatewayRoute)]
    })
    const accessKey = configuration.get(accessKeys, keyId)
    if (accessKey === undefined) throw notFound('The access key no longer exists')
    return { accessKey, key }
  }

  async deleteAccessKey(caller: Caller, id: string, keyId: string): Promise<void> {
    await this.#changing(caller, id, gatewayRoute => {
      const key = this.#ports.configuration.get(accessKeys, keyId)
      if (key?.value.gatewayRoute !== gatewayRoute.id) throw notFound('The access key does not exist')
      return [remove(accessKeys, key)]
    })
  }

  /** Changes a gateway route. `edit` may run several times, each time on the newest state. */
  async #changing(
    caller: Caller,
    id: string,
    edit: (gatewayRoute: Entity<GatewayRoute>) => Change[],
  ): Promise<void> {
    const author = { subjectId: caller.subjectId, account: accountOf(caller).shortId }
    await this.#pipelines.inTurnOfAccount(caller, () =>
      untilNotOvertaken(() => this.#ports.configuration.append(edit(this.get(caller, id)), author)),
    )
  }
}

/**
 * Returns the members that a body describes.
 *
 * @param stored the gateway route that is being replaced
 * @throws ProblemsError with every finding about the body
 */
function written(
  catalogue: Catalogue,
  body: SentBody,
  stored?: GatewayRoute,
): Pick<GatewayRoute, 'type' | 'title' | 'description'> {
  const { members, problems } = membersOf(body)
  problems.push(...typeProblems(catalogue, members.type, stored))
  if (problems.length > 0) throw new ProblemsError(problems)
  // Nothing was found, so the members have their types.
  const { type = stored?.type, title, description = null } = members as unknown as GatewayRouteWrite
  return { type: type as string, title, description }
}

function typeProblems(
  catalogue: Catalogue,
  type: JsonValue | undefined,
  stored: GatewayRoute | undefined,
): Problem[] {
  if (typeof type !== 'string') return [] // The schema has already reported it.
  const source = catalogue.sourceOf(type)
  if (stored === undefined) {
    if (source?.entrance === 'gateway') return []
    const pushTypes = catalogue.sources
      .filter(({ entrance }) => entrance === 'gateway')
      .map(each => each.type)
    return [
      {
        instancePath: '/type',
        message: `must be equal to one of the allowed values: ${pushTypes.join(', ')}`,
      },
    ]
  }
  if (source !== undefined && source === catalogue.sourceOf(stored.type)) return []
  return [
    {
      instancePath: '/type',
      message: `must stay "${stored.type}": the type of a gateway route does not change`,
    },
  ]
}

function accessKeyTitle(body: SentBody, gatewayRoute: string): string {
  const { members, problems } = membersOf(body)
  const { gateway_route_id: named } = members
  if (typeof named === 'string' && named !== '' && named !== gatewayRoute)
    problems.push({ instancePath: '/gateway_route_id', message: 'must be the same as in the path' })
  if (problems.length > 0) throw new ProblemsError(problems)
  // Nothing was found, so the members have their types.
  return (members as unknown as AccessKeyWrite).title
}
