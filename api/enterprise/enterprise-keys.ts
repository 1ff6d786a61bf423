import { create, remove } from '../../engine/configuration/configuration-log.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { type EnterpriseKey, enterpriseKeys } from '../../engine/configuration/kinds/enterprise-keys.ts'
import { newKey, newShortId } from '../../engine/configuration/mint.ts'
import type { Caller } from '../auth/caller.ts'
import { forbidden, notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'
import { type ChildAccountPorts, writer } from './child-accounts.ts'
import { enterpriseAuthor } from './enterprise-author.ts'

export interface EnterpriseKeySettings {
  /** Whether service keys can be created, like the option of the same name for accounts. */
  readonly allowServiceKeyCreation?: boolean | undefined
}

/** The service keys of the caller's enterprise; only callers who can write see them. */
export class EnterpriseKeys {
  readonly #ports: ChildAccountPorts
  readonly #settings: EnterpriseKeySettings

  constructor(ports: ChildAccountPorts, settings: EnterpriseKeySettings) {
    this.#ports = ports
    this.#settings = settings
  }

  /** Returns the keys of the caller's enterprise, oldest first. @throws ApiError 403 */
  list(caller: Caller): Entity<EnterpriseKey>[] {
    const { enterpriseId } = writer(caller)
    return this.#ports.configuration
      .list(enterpriseKeys)
      .filter(({ value }) => value.enterprise === enterpriseId)
  }

  /** @throws ApiError 403, 404 */
  get(caller: Caller, id: string): Entity<EnterpriseKey> {
    const key = this.#ports.configuration.get(enterpriseKeys, id)
    if (key?.value.enterprise !== writer(caller).enterpriseId) throw notFound()
    return key
  }

  /** @throws ApiError 403; ConfigurationRejected when the maximum number is reached */
  create(caller: Caller, name: string): Promise<Pick<Entity<EnterpriseKey>, 'id' | 'value'>> {
    const { configuration, clock, entropy } = this.#ports
    const { enterpriseId } = writer(caller)
    if (this.#settings.allowServiceKeyCreation !== true)
      throw forbidden('Service keys can no longer be created')
    const value: EnterpriseKey = {
      enterprise: enterpriseId,
      key: newKey(entropy),
      name,
      createdAtMs: clock.wallMs(),
    }
    return untilNotOvertaken(async () => {
      const id = newShortId(entropy)
      await configuration.append([create(enterpriseKeys, id, value)], enterpriseAuthor(caller))
      return { id, value }
    })
  }

  /** @throws ApiError 403, 404 */
  async delete(caller: Caller, id: string): Promise<void> {
    await untilNotOvertaken(() =>
      this.#ports.configuration.append(
        [remove(enterpriseKeys, this.get(caller, id))],
        enterpriseAuthor(caller),
      ),
    )
  }
}
