import type { Clock } from '../../engine/clock/clock.ts'
import { DEFAULT_PLAN } from '../../engine/configuration/bootstrap.ts'
import {
  type Change,
  type ConfigurationLog,
  create,
  replace,
} from '../../engine/configuration/configuration-log.ts'
import {
  type Account,
  accountKeys,
  accounts,
  INSTALLATION_KEY,
  installations,
  type Plan,
} from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { newKey, newShortId } from '../../engine/configuration/mint.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { AccountChange, AccountCreate } from '../../schemas/http/account/account-api.ts'
import { DEFAULT_RETENTION_DAYS } from '../../schemas/log/cuts.ts'
import type { Caller } from '../auth/caller.ts'
import { ApiError, forbidden, notFound } from '../http/errors.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'
import { enterpriseAuthor } from './enterprise-author.ts'
import { shownRetention } from './records.ts'

export interface ChildAccountPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
}

/** The accounts of the caller's enterprise. */
export class ChildAccounts {
  readonly #ports: ChildAccountPorts

  constructor(ports: ChildAccountPorts) {
    this.#ports = ports
  }

  list({ enterpriseId }: Caller): Entity<Account>[] {
    return this.#ports.configuration
      .list(accounts)
      .filter(({ value }) => enterpriseId !== undefined && value.enterprise === enterpriseId)
  }

  /** @throws ApiError 404 */
  get(caller: Caller, id: string): Entity<Account> {
    const account = this.list(caller).find(each => each.id === id)
    if (account === undefined) throw notFound('The account does not exist')
    return account
  }

  /** Creates an account with its owner and a first ingestion key, so that lines can be sent to it. */
  async create(
    caller: Caller,
    write: AccountCreate,
  ): Promise<{ account: Entity<Account>; ingestionKey: string }> {
    const { configuration, clock, entropy } = this.#ports
    const { enterpriseId } = writer(caller)
    const nowMs = clock.wallMs()
    const id = newShortId(entropy)
    const key = newKey(entropy)
    const account: Account = {
      id: entropy.uuid(),
      enterprise: enterpriseId,
      company: write.company,
      ownerEmail: write.owneremail,
      plan: planOf(DEFAULT_PLAN, write.plan),
      status: 'active',
      retentionDays: write.retention ?? this.#usualRetentionDays(enterpriseId),
      externalId: write.external_id ?? null,
      ingestionSuspended: false,
      ...(write.features && { features: write.features }),
      createdAtMs: nowMs,
    }
    const changes: Change[] = [
      create(accounts, id, account),
      ownerChange(id, write.owneremail, entropy, nowMs),
      create(accountKeys, newShortId(entropy), {
        account: id,
        type: 'ingestion',
        key,
        name: 'first key',
        createdAtMs: nowMs,
      }),
    ]
    await configuration.append(changes, enterpriseAuthor(caller, id))
    return { account: this.get(caller, id), ingestionKey: key }
  }

  /** Retention of the first account of the installation, in its own enterprise: the operator chose it. */
  #usualRetentionDays(enterprise: string): number {
    const { configuration } = this.#ports
    const first = configuration.get(installations, INSTALLATION_KEY)
    const account = first && configuration.get(accounts, first.value.account)
    return account?.value.enterprise === enterprise ? account.value.retentionDays : DEFAULT_RETENTION_DAYS
  }

  /** Changes an account; omitted members keep their values. */
  change(caller: Caller, id: string, write: AccountChange): Promise<Entity<Account>> {
    const { entropy, clock, configuration } = this.#ports
    return this.#changing(caller, id, account => {
      const { value } = account
      const ownerEmail = write.owneremail ?? value.ownerEmail
      const changed: Account = {
        ...value,
        company: write.company ?? value.company,
        ownerEmail,
        plan: planOf(value.plan, write.plan),
        retentionDays: retentionOf(value, write),
        externalId: write.external_id === undefined ? value.externalId : write.external_id,
        ...(write.features && { features: { ...value.features, ...write.features } }),
      }
      const owner = configuration.get(members, memberKey(id, ownerEmail))
      if (owner?.value.role === 'owner') return [replace(accounts, account, changed)]
      const ownership =
        owner === undefined
          ? ownerChange(id, ownerEmail, entropy, clock.wallMs())
          : replace(members, owner, { ...owner.value, role: 'owner' as const, groups: [] })
      // Members cannot change an owner: an owner left behind could never be removed.
      const former = configuration.list(members, id).filter(({ value: { role } }) => role === 'owner')
      return [
        replace(accounts, account, changed),
        ...former.map(each => replace(members, each, { ...each.value, role: 'admin' as const })),
        ownership,
      ]
    })
  }

  /** Suspends or resumes an account. A suspended account keeps all of its data, and its credentials are invalid. */
  setSuspended(caller: Caller, id: string, suspended: boolean): Promise<Entity<Account>> {
    const status = suspended ? 'deactivated' : 'active'
    return this.#changing(caller, id, account =>
      account.value.status === status ? [] : [replace(accounts, account, { ...account.value, status })],
    )
  }

  /** @throws ApiError 409 when the account belongs to an enterprise, even to this one */
  async attach(caller: Caller, id: string): Promise<Entity<Account>> {
    const { configuration } = this.#ports
    const { enterpriseId } = writer(caller)
    await untilNotOvertaken(() => {
      const account = configuration.get(accounts, id)
      if (account === undefined) throw notFound('The account does not exist')
      if (account.value.enterprise !== null)
        throw new ApiError(409, 'Conflict', 'The account belongs to an enterprise already')
      const attached: Account = { ...account.value, enterprise: enterpriseId }
      return configuration.append([replace(accounts, account, attached)], enterpriseAuthor(caller, id))
    })
    return this.get(caller, id)
  }

  /** Detaches an account, which continues unchanged on its own. @throws ApiError 404 */
  async detach(caller: Caller, id: string): Promise<void> {
    writer(caller)
    await untilNotOvertaken(() => {
      const account = this.get(caller, id)
      const alone: Account = { ...account.value, enterprise: null }
      return this.#ports.configuration.append(
        [replace(accounts, account, alone)],
        enterpriseAuthor(caller, id),
      )
    })
  }

  async #changing(
    caller: Caller,
    id: string,
    edit: (account: Entity<Account>) => Change[],
  ): Promise<Entity<Account>> {
    writer(caller)
    await untilNotOvertaken(async () => {
      const changes = edit(this.get(caller, id))
      if (changes.length === 0) return
      await this.#ports.configuration.append(changes, enterpriseAuthor(caller, id))
    })
    return this.get(caller, id)
  }
}

/** @throws ApiError 403 for a read-only token */
export function writer(caller: Caller): { enterpriseId: string } {
  const { enterpriseId } = caller
  if (enterpriseId === undefined || !mayWrite(caller))
    throw forbidden('An enterprise token with the role admin is required')
  return { enterpriseId }
}

export function mayWrite({ role }: Caller): boolean {
  return role === 'owner' || role === 'admin'
}

/**
 * A client that writes back the displayed value changes nothing, even if the retention is longer than the display allows.
 */
function retentionOf(before: Account, { retention }: AccountChange): number {
  return retention === undefined || retention === shownRetention(before) ? before.retentionDays : retention
}

function ownerChange(account: string, email: string, entropy: Entropy, createdAtMs: number): Change {
  return create(members, memberKey(account, email), {
    account,
    email: email.toLowerCase(),
    role: 'owner',
    groups: [],
    subjectId: entropy.uuid(),
    createdAtMs,
  })
}

function planOf(before: Plan, write: AccountCreate['plan'] = {}): Plan {
  return {
    ...before,
    type: write.type ?? before.type,
    maxPipelines: write.max_pipelines === undefined ? before.maxPipelines : write.max_pipelines,
    maxNodesPerPipeline:
      write.max_nodes_per_pipeline === undefined ? before.maxNodesPerPipeline : write.max_nodes_per_pipeline,
  }
}
