import type { Clock } from '../../engine/clock/clock.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { type AccessGroup, accessGroups } from '../../engine/configuration/kinds/members.ts'
import { parseQuery } from '../../engine/query-language/parse-query.ts'
import { QuerySyntaxError } from '../../engine/query-language/query-syntax-error.ts'
import { assertSearchable } from '../../engine/store/search/exact-condition.ts'
import type { AccessGroupChange, AccessGroupCreate } from '../../schemas/http/account/access-group.ts'
import type { Caller } from '../auth/caller.ts'
import type { ConfigurationPorts } from '../configuration/configuration-ports.ts'
import { type Owned, OwnedEntities } from '../configuration/owned-entities.ts'
import { badRequest } from '../http/errors.ts'

type Ports = Pick<ConfigurationPorts, 'configuration' | 'clock' | 'entropy'>

/** The groups of all accounts; every method sees those of the caller's account only, and throws ApiError 404 for others. */
export class Groups {
  readonly #groups: OwnedEntities<AccessGroup>
  readonly #clock: Clock

  constructor(ports: Ports) {
    this.#groups = new OwnedEntities(accessGroups, ports)
    this.#clock = ports.clock
  }

  /** Returns the groups of the caller's account, oldest first. */
  list(caller: Caller): Entity<AccessGroup>[] {
    return this.#groups.list(caller)
  }

  get(caller: Caller, id: string): Entity<AccessGroup> {
    return this.#groups.get(caller, id)
  }

  create(caller: Caller, { name, accessScopes = '' }: AccessGroupCreate): Promise<Owned<AccessGroup>> {
    assertScope(accessScopes)
    const createdAtMs = this.#clock.wallMs()
    return this.#groups.create(caller, account => ({ account, name, accessScopes, createdAtMs }))
  }

  /** Changes a group; omitted members stay as they are. */
  change(caller: Caller, id: string, change: AccessGroupChange): Promise<Owned<AccessGroup>> {
    if (change.accessScopes !== undefined) assertScope(change.accessScopes)
    return this.#groups.replace(caller, id, before => ({
      ...before,
      name: change.name ?? before.name,
      accessScopes: change.accessScopes ?? before.accessScopes,
    }))
  }

  /** @throws ConfigurationRejected GROUP_IN_USE while the group has members */
  delete(caller: Caller, id: string): Promise<void> {
    return this.#groups.remove(caller, id)
  }
}

/** Refuses a query that cannot be read, or is too long for a search. @throws ApiError 400 */
function assertScope(accessScopes: string): void {
  try {
    assertSearchable(parseQuery(accessScopes))
  } catch (error) {
    if (!(error instanceof QuerySyntaxError)) throw error
    throw badRequest([{ message: `"accessScopes" ${error.problem}`, key: 'accessScopes' }])
  }
}
