import { type AccountKey, accountKeys } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { newKey } from '../../engine/configuration/mint.ts'
import type { AccountKeyWrite, KeyType } from '../../schemas/http/account/account-key.ts'
import type { Caller } from '../auth/caller.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { type Owned, OwnedEntities } from '../configuration/owned-entities.ts'
import { planChanges } from '../configuration/plan-limits.ts'
import { forbidden } from '../http/errors.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy' | 'settings'>

/** The keys of all accounts; every method sees those of the caller's account only, and throws ApiError 404 for others. */
export class Keys {
  readonly #ports: Ports
  readonly #keys: OwnedEntities<AccountKey>

  constructor(ports: Ports) {
    this.#ports = ports
    this.#keys = new OwnedEntities(accountKeys, ports)
  }

  /** Returns the keys of the caller's account, oldest first. @param type default: all types */
  list(caller: Caller, type?: KeyType): Entity<AccountKey>[] {
    const keys = this.#keys.list(caller)
    return type === undefined ? keys : keys.filter(({ value }) => value.type === type)
  }

  get(caller: Caller, id: string): Entity<AccountKey> {
    return this.#keys.get(caller, id)
  }

  /** @throws ApiError 403; ConfigurationRejected when the account has its maximum number of keys */
  create(caller: Caller, type: KeyType, write: AccountKeyWrite): Promise<Owned<AccountKey>> {
    const { configuration, settings, clock, entropy } = this.#ports
    if (type === 'service' && settings.allowServiceKeyCreation !== true)
      throw forbidden('Service keys can no longer be created')
    const made = { type, key: newKey(entropy), name: write?.name ?? '', createdAtMs: clock.wallMs() }
    return this.#keys.create(
      caller,
      account => ({ account, ...made }),
      account => planChanges(configuration, account, settings),
    )
  }

  rename(caller: Caller, id: string, write: AccountKeyWrite): Promise<Owned<AccountKey>> {
    return this.#keys.replace(caller, id, before => ({ ...before, name: write?.name ?? before.name }))
  }

  delete(caller: Caller, id: string): Promise<void> {
    return this.#keys.remove(caller, id)
  }
}
