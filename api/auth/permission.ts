import type { Asker } from '../../engine/turns/asker.ts'
import { type ApiError, forbidden } from '../http/errors.ts'
import { DELEGATION_REQUIRED } from './authenticator.ts'
import type { Caller, CallerAccount } from './caller.ts'

/**
 * Requirement of a route on its caller; every route declares one (configuration and account API, section 2.4).
 *
 * - read, write, admin, owner: at least the role readonly, member, admin, owner in one account
 * - enterprise: an enterprise token
 * - caller: any credential except one that can only ingest
 * - token: as caller, but not a key
 * - administrator: at least the role admin, in one account or, with an enterprise token, in none
 * - ingest, access-key: the route itself checks the right to send lines, or the key of the gateway route
 * - public: nothing
 */
export type Needs =
  | 'public'
  | 'ingest'
  | 'access-key'
  | 'caller'
  | 'token'
  | 'administrator'
  | 'read'
  | 'write'
  | 'admin'
  | 'owner'
  | 'enterprise'

/** Requirements that the guard of all routes checks. */
export type GuardedNeeds = Exclude<Needs, 'public' | 'ingest' | 'access-key'>

const LEVEL: Readonly<Record<Caller['role'], number>> = {
  ingest: 0,
  readonly: 1,
  member: 2,
  admin: 3,
  owner: 4,
}
const LEVEL_NEEDED = {
  caller: 1,
  token: 1,
  administrator: 3,
  read: 1,
  write: 2,
  admin: 3,
  owner: 4,
} as const
const WITHOUT_ACCOUNT: readonly Needs[] = ['caller', 'token', 'administrator']

const TOKEN_REQUIRED = 'An access token is required; a service key does not do'
const NOT_ALLOWED = 'The credential does not have the permission that this needs'

export function isGuarded(needs: Needs): needs is GuardedNeeds {
  return needs !== 'public' && needs !== 'ingest' && needs !== 'access-key'
}

/** @returns the error of the answer, or undefined when the caller has the right */
export function refusalOf(needs: GuardedNeeds, caller: Caller): ApiError | undefined {
  if (needs === 'enterprise') {
    const may = caller.accessType === 'enterprise' && LEVEL[caller.role] >= LEVEL.readonly
    return may ? undefined : forbidden('An enterprise token is required')
  }
  if (LEVEL[caller.role] < LEVEL_NEEDED[needs]) return forbidden(NOT_ALLOWED)
  if (needs === 'token' && caller.accessType === 'servicekey') return forbidden(TOKEN_REQUIRED)
  if (!WITHOUT_ACCOUNT.includes(needs) && caller.account === undefined) return forbidden(DELEGATION_REQUIRED)
  // Acting for an account gives the rights of its owner, except for closing it.
  if (needs === 'owner' && caller.delegated) return forbidden(NOT_ALLOWED)
  return undefined
}

/** The account of a caller on a route that needs one. */
export function accountOf(caller: Caller): CallerAccount {
  if (caller.account === undefined) throw forbidden(DELEGATION_REQUIRED)
  return caller.account
}

/** Account and enterprise whose turn a request on such a route takes. */
export function askerOf(caller: Caller): Asker {
  const account = accountOf(caller).shortId
  return { account, enterprise: caller.enterpriseId ?? account }
}
