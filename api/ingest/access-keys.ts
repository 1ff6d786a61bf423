import { accessKeys, accounts, gatewayRoutes, secretHash } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import type { Caller } from '../auth/caller.ts'
import { notAuthorized, notFound } from '../http/errors.ts'

/** Where a sender may put the key of a gateway route. */
export interface KeyCarriers {
  readonly authorization: string | undefined
  readonly apikey: string | readonly string[] | undefined
}

/**
 * Says who sends to a gateway route. A key is looked up by its hash, so the time it takes tells nothing about it; a wrong
 * one at a route that exists, and a route that does not, cost the same.
 */
export class AccessKeys {
  readonly #configuration: ConfigurationView

  constructor(configuration: ConfigurationView) {
    this.#configuration = configuration
  }

  /** @throws ApiError 401, 404 */
  callerOf(routeId: string, carriers: KeyCarriers): Caller {
    const configuration = this.#configuration
    const key = configuration.find(accessKeys, 'hash', secretHash(presentedKey(carriers)))
    const route = configuration.get(gatewayRoutes, routeId)
    const account = configuration.get(accounts, route?.value.account ?? '')
    if (route === undefined) throw notFound('There is no gateway route at this address')
    if (key?.value.gatewayRoute !== routeId || account?.value.status !== 'active')
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

/** Empty: none, which is the key of nothing. */
function presentedKey({ authorization = '', apikey }: KeyCarriers): string {
  const inHeader = authorization.trim().replace(/^bearer\s+/i, '')
  return inHeader || [apikey ?? ''].flat()[0]?.trim() || ''
}
