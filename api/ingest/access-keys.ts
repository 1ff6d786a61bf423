import { accessKeys, accounts, gatewayRoutes, secretHash } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import type { SourceDeclaration } from '../../engine/nodes/contract/source-declaration.ts'
import type { Caller } from '../auth/caller.ts'
import { notAuthorized, notFound } from '../http/errors.ts'

/**
 * Identifies the sender to a gateway route. A key is looked up by its hash, so the time of the lookup reveals nothing
 * about it. A wrong key for an existing route costs the same time as a route that does not exist.
 */
export class AccessKeys {
  readonly #catalogue: Catalogue
  readonly #configuration: ConfigurationView

  constructor(catalogue: Catalogue, configuration: ConfigurationView) {
    this.#catalogue = catalogue
    this.#configuration = configuration
  }

  /** Type of the sources of a gateway route; undefined for an unknown one. */
  sourceOf(gatewayRouteId: string): SourceDeclaration | undefined {
    return this.#catalogue.sourceOf(this.#configuration.get(gatewayRoutes, gatewayRouteId)?.value.type ?? '')
  }

  /**
   * @param presented key of the request; empty: none
   * @throws ApiError 401, 404
   */
  callerOf(gatewayRouteId: string, presented: string): Caller {
    const configuration = this.#configuration
    const gatewayRoute = configuration.get(gatewayRoutes, gatewayRouteId)
    const key = configuration.find(accessKeys, 'hash', secretHash(presented))
    const account = configuration.get(accounts, gatewayRoute?.value.account ?? '')
    if (gatewayRoute === undefined) throw notFound('There is no gateway route at this address')
    if (key?.value.gatewayRoute !== gatewayRouteId || account?.value.status !== 'active')
      throw notAuthorized('An access key of this gateway route is required')
    const { id, retentionDays, ingestionSuspended, enterprise } = account.value
    return {
      subjectId: key.id,
      credential: { id: key.id, scope: null, expiresAtMs: null },
      accessType: 'ingestion',
      role: 'ingest',
      account: { shortId: account.id, id, retentionDays, ingestionSuspended },
      ...(enterprise === null ? {} : { enterpriseId: enterprise }),
      delegated: false,
    }
  }
}
