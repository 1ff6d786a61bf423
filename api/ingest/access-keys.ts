import { accessKeys, accounts, gatewayRoutes, secretHash } from '../../engine/configuration/entities.ts'
import type { ConfigurationView } from '../../engine/configuration/kind.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { COMMON_KEY_HEADERS, type KeyHeader } from '../../engine/nodes/contract/define-source.ts'
import type { Caller } from '../auth/caller.ts'
import { notAuthorized, notFound } from '../http/errors.ts'

/** Headers of a request, including those that can carry a key. */
export type KeyCarriers = Readonly<Record<string, string | readonly string[] | undefined>>

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

  /** @throws ApiError 401, 404 */
  callerOf(routeId: string, carriers: KeyCarriers): Caller {
    const configuration = this.#configuration
    const gatewayRoute = configuration.get(gatewayRoutes, routeId)
    const source = this.#catalogue.runningSourceOf(gatewayRoute?.value.type ?? '')
    const headers = source?.entrance === 'gateway' ? source.keyHeaders : COMMON_KEY_HEADERS
    const key = configuration.find(accessKeys, 'hash', secretHash(presentedKey(carriers, headers)))
    const account = configuration.get(accounts, gatewayRoute?.value.account ?? '')
    if (gatewayRoute === undefined) throw notFound('There is no gateway route at this address')
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

/** Returns the key of a request; an empty text does not match any key. */
function presentedKey(carriers: KeyCarriers, headers: readonly KeyHeader[]): string {
  for (const name of headers) {
    const text = [carriers[name] ?? ''].flat()[0]?.trim() ?? ''
    const key = name === 'authorization' ? text.replace(/^bearer\s+/i, '') : text
    if (key !== '') return key
  }
  return ''
}
