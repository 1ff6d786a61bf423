import { type Account, accounts } from './entities.ts'
import type { ConfigurationView } from './kind.ts'
import type { StoredChange } from './size-bounds.ts'

/** Key of the enterprise that an account belongs to; undefined: none, or the account does not exist. */
export function enterpriseOfAccount(
  configuration: Pick<ConfigurationView, 'get'>,
  account: string,
): string | undefined {
  return configuration.get(accounts, account)?.value.enterprise ?? undefined
}

/** Number of accounts by which changes shift what an enterprise shares. */
export interface EnterpriseShift {
  /** New accounts. */
  readonly created: number
  /** Accounts that belong to no enterprise from now on. */
  readonly detached: number
}

/** Counts the accounts that changes create or detach. */
export function enterpriseShiftOf(
  changes: readonly StoredChange[],
  configuration: Pick<ConfigurationView, 'get'>,
): EnterpriseShift {
  const shift = { created: 0, detached: 0 }
  for (const { kind, id, value } of changes) {
    if (kind !== (accounts as unknown) || value === undefined) continue
    const before = configuration.get(accounts, id)?.value
    if (before === undefined) shift.created++
    else if (before.enterprise !== null && (value as Account).enterprise === null) shift.detached++
  }
  return shift
}

/** A configuration that reports its changes. */
export type FollowedConfiguration = Pick<ConfigurationView, 'get' | 'list'> & {
  subscribe(listener: (changed: readonly { readonly kind: string; readonly id: string }[]) => void): unknown
}

interface EnterpriseFollower {
  /** An account of an enterprise that exists already. */
  present(account: string, enterprise: string): void
  /** The present enterprise of a changed account; undefined: none, or the account is gone. */
  changed(account: string, enterprise: string | undefined): void
}

/** Reports which accounts belong to which enterprise, now and after every later change. */
export function followEnterprises(configuration: FollowedConfiguration, follower: EnterpriseFollower): void {
  for (const { id, value } of configuration.list(accounts))
    if (value.enterprise !== null) follower.present(id, value.enterprise)
  configuration.subscribe(changed => {
    for (const { kind, id } of changed)
      if (kind === accounts.name) follower.changed(id, enterpriseOfAccount(configuration, id))
  })
}
