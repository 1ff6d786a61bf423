import { type Change, create, remove, replace } from '../../engine/configuration/configuration-log.ts'
import type { Entity, Kind } from '../../engine/configuration/kind.ts'
import { newShortId } from '../../engine/configuration/mint.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'
import type { ConfigurationPorts } from './configuration-ports.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'entropy'>

/** Id and value of an entity that was read or written. */
export type Owned<Value> = Pick<Entity<Value>, 'id' | 'value'>

/**
 * Entities of one kind that belong to accounts and have a short id. Every method sees those of the caller's account only,
 * and throws ApiError 404 for others.
 */
export class OwnedEntities<Value extends { readonly account: string }> {
  readonly #kind: Kind<Value>
  readonly #ports: Ports

  constructor(kind: Kind<Value>, ports: Ports) {
    this.#kind = kind
    this.#ports = ports
  }

  /** Returns the entities of the caller's account, oldest first. */
  list(caller: Caller): Entity<Value>[] {
    return this.#ports.configuration.list(this.#kind, accountOf(caller).shortId)
  }

  get(caller: Caller, id: string): Entity<Value> {
    const entity = this.#ports.configuration.get(this.#kind, id)
    if (entity?.value.account !== accountOf(caller).shortId) throw notFound()
    return entity
  }

  /**
   * @param make called again, like the callbacks below, when another process changed the same entity in the meantime
   * @param beside changes that are written together with it, all or none
   */
  async create(
    caller: Caller,
    make: (account: string) => Value,
    beside: (account: string) => readonly Change[] = () => [],
  ): Promise<Owned<Value>> {
    const { configuration, entropy } = this.#ports
    const account = accountOf(caller).shortId
    return untilNotOvertaken(async () => {
      const id = newShortId(entropy)
      const value = make(account)
      const changes = [...beside(account), create(this.#kind, id, value)]
      await configuration.append(changes, { subjectId: caller.subjectId, account })
      return { id, value }
    })
  }

  async replace(caller: Caller, id: string, edit: (before: Value) => Value): Promise<Owned<Value>> {
    const { configuration } = this.#ports
    return untilNotOvertaken(async () => {
      const before = this.get(caller, id)
      const value = edit(before.value)
      const { account } = value
      await configuration.append([replace(this.#kind, before, value)], {
        subjectId: caller.subjectId,
        account,
      })
      return { id, value }
    })
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { configuration } = this.#ports
    await untilNotOvertaken(async () => {
      const entity = this.get(caller, id)
      const { account } = entity.value
      await configuration.append([remove(this.#kind, entity)], { subjectId: caller.subjectId, account })
    })
  }
}
