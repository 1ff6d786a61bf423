import type { Clock } from '../../engine/clock/clock.ts'
import {
  type AccessToken,
  type Account,
  type AccountKey,
  accessTokens,
  accountKeys,
  accounts,
  secretHash,
} from '../../engine/configuration/entities.ts'
import type { ConfigurationView, Entity } from '../../engine/configuration/kind.ts'
import { enterpriseKeys } from '../../engine/configuration/kinds/enterprise-keys.ts'
import { memberKey, members } from '../../engine/configuration/kinds/members.ts'
import type {
  Authentication,
  AuthenticationFailure,
  Authenticator,
  Caller,
  CallerAccount,
  CallerCredential,
  IngestCredentials,
} from './caller.ts'
import { type ApiCarriers, type Presented, presentedTo, presentedToIngestion } from './carriers.ts'
import { narrowed } from './right.ts'
import type { SentSession } from './session.ts'
import type { TokenUses } from './token-uses.ts'

/** Credentials of a request to the API, except ingestion. */
export interface ApiCredentials extends ApiCarriers {
  /** Path without the query. */
  readonly path: string
  readonly delegateAccountId?: string | undefined
  /** Account that the address of a WebSocket names; it counts for sessions, since browsers cannot send headers there. */
  readonly delegateAccountIdOfSocket?: string | undefined
}

/** Texts of the hosted service, or similar ones. They do not depend on the reason for the refusal. */
const NO_CREDENTIAL = 'No credentials were given'
const BAD_TOKEN = 'Invalid or expired access token'
export const BAD_SERVICE_KEY = 'Service Key Validation Error: Invalid or deactivated servicekey'
const SESSION_ENDED = 'The session has ended: sign in again'
const BAD_INGESTION_KEY = 'Ingestion Key Validation Error: Invalid or deactivated apikey'

export const DELEGATION_REQUIRED = '"x-delegate-account-id" header is required'
const DELEGATION_REFUSED = 'Only enterprise tokens may act for an account by "x-delegate-account-id"'
const NOT_A_CHILD = 'The account named by "x-delegate-account-id" is not an account of the enterprise'
const SUSPENDED_CHILD = 'The account named by "x-delegate-account-id" is suspended'

/**
 * Identifies the caller of a request by the fold of the configuration log. Secrets are looked up by their hash, so the
 * duration reveals nothing about them. Expired, revoked and unknown secrets get the same answer (configuration and
 * account API, section 2).
 */
export class ConfigurationAuthenticator implements Authenticator {
  readonly #configuration: ConfigurationView
  readonly #clock: Clock
  readonly #uses: Pick<TokenUses, 'note'>

  constructor(configuration: ConfigurationView, clock: Clock, uses: Pick<TokenUses, 'note'>) {
    this.#configuration = configuration
    this.#clock = clock
    this.#uses = uses
  }

  ingest(credentials: IngestCredentials): Authentication {
    const presented = presentedToIngestion(credentials)
    const found = this.#find(presented, 'ingestion')
    if ('failure' in found) return found
    const caller = this.#delegated(found.caller, credentials.delegateAccountId)
    if ('failure' in caller) return caller
    if (caller.caller.account === undefined) return refused(403, DELEGATION_REQUIRED, caller.caller)
    return caller
  }

  /** Authenticates requests except ingestion. An enterprise token has no account unless the request names one. */
  authenticate(credentials: ApiCredentials): Authentication {
    const { path } = credentials
    const presented = presentedTo(credentials, isOlderEnterpriseApi(path))
    if (presented !== undefined && presented.kind === 'enterpriseKey')
      return this.#enterpriseOf(presented.secret, credentials)
    if (presented?.kind === 'session') return this.#callerOfSession(presented, credentials)
    const found = this.#find(presented, 'service', takesKeys(path))
    if ('failure' in found) return found
    return this.#delegated(found.caller, credentials.delegateAccountId)
  }

  /** Authenticates an access token that came in another way than a carrier. */
  authenticateToken(secret: string): Authentication {
    return this.#find({ kind: 'token', secret }, 'service')
  }

  #callerOfSession({ token, refusal }: SentSession, credentials: ApiCredentials): Authentication {
    if (refusal !== undefined) return refused(403, refusal)
    const found = token === undefined ? undefined : this.authenticateToken(token)
    if (found === undefined || 'failure' in found) return refused(401, SESSION_ENDED)
    const { delegateAccountId, delegateAccountIdOfSocket } = credentials
    const caller: Caller = { ...found.caller, isSession: true }
    return this.#delegated(caller, delegateAccountId ?? delegateAccountIdOfSocket)
  }

  /** The enterprise of a service key. The key cannot act for an account: delegation is for tokens. */
  #enterpriseOf(secret: string, { path, delegateAccountId }: ApiCredentials): Authentication {
    const key = this.#configuration.find(enterpriseKeys, 'hash', secretHash(secret))
    if (key === undefined || !isOlderEnterpriseApi(path)) return refused(401, BAD_SERVICE_KEY)
    const caller: Caller = {
      subjectId: key.id,
      credential: { id: key.id, scope: null, expiresAtMs: null },
      accessType: 'enterprise',
      role: 'admin',
      enterpriseId: key.value.enterprise,
      delegated: false,
    }
    return delegateAccountId === undefined ? { caller } : refused(403, DELEGATION_REFUSED, caller)
  }

  #find(presented: Presented | undefined, keyType: AccountKey['type'], takesKeys = true): Authentication {
    if (presented === undefined) return refused(401, NO_CREDENTIAL)
    if (presented.kind === 'unreadable') return refused(401, BAD_TOKEN)
    const badKey = keyType === 'service' ? BAD_SERVICE_KEY : BAD_INGESTION_KEY
    if (presented.kind === 'key' && !takesKeys) return refused(401, badKey)
    const hash = secretHash(presented.secret)
    const byKey = presented.kind === 'key' ? this.#callerOfKey(hash, keyType) : undefined
    const mayBeToken = presented.kind === 'token' || presented.mayBeToken
    const caller = byKey ?? (mayBeToken ? this.#callerOfToken(hash) : undefined)
    if (caller !== undefined) return { caller }
    return refused(401, presented.kind === 'key' ? badKey : BAD_TOKEN)
  }

  #callerOfKey(hash: string, type: AccountKey['type']): Caller | undefined {
    const key = this.#configuration.find(accountKeys, 'hash', hash)
    if (key === undefined || key.value.type !== type) return undefined
    const account = this.#activeAccount(key.value.account)
    if (account === undefined) return undefined
    return {
      subjectId: key.id,
      credential: { id: key.id, scope: null, expiresAtMs: null },
      accessType: type === 'service' ? 'servicekey' : 'ingestion',
      role: type === 'service' ? 'admin' : 'ingest',
      delegated: false,
      ...placeOf(account),
    }
  }

  #callerOfToken(hash: string): Caller | undefined {
    const nowMs = this.#clock.wallMs()
    const found = this.#tokenOf(hash, nowMs)
    if (found === undefined) return undefined
    const { value: token, id } = found.token
    const credential = { id, scope: token.scope, expiresAtMs: found.untilMs }
    const caller = this.#callerWith(token, credential)
    if (caller !== undefined) this.#uses.note(id, nowMs)
    return caller
  }

  /** @returns a valid token and the end of the secret's validity: a replaced secret may end before its token */
  #tokenOf(hash: string, nowMs: number): { token: Entity<AccessToken>; untilMs: number | null } | undefined {
    const present = this.#configuration.find(accessTokens, 'hash', hash)
    const token = present ?? this.#configuration.find(accessTokens, 'previousHash', hash)
    if (token === undefined || token.value.revoked) return undefined
    const { expiresAtMs, previous } = token.value
    const ends = [expiresAtMs, present === undefined ? (previous?.untilMs ?? 0) : null]
    const untilMs = Math.min(...ends.map(end => end ?? Number.POSITIVE_INFINITY))
    if (untilMs <= nowMs) return undefined
    return { token, untilMs: Number.isFinite(untilMs) ? untilMs : null }
  }

  #callerWith(token: AccessToken, credential: CallerCredential): Caller | undefined {
    if (token.kind === 'enterprise') return callerOfEnterprise(token, credential)
    const account = this.#activeAccount(token.account ?? '')
    if (account === undefined) return undefined
    return token.kind === 'user'
      ? this.#callerOfUser(token, credential, account)
      : callerOfService(token, credential, account)
  }

  /** A personal token has the present role of its user, or less. It ends with the membership. */
  #callerOfUser(
    token: AccessToken,
    credential: CallerCredential,
    account: Entity<Account>,
  ): Caller | undefined {
    const member = this.#configuration.get(members, memberKey(account.id, token.email ?? ''))?.value
    if (member === undefined || member.subjectId !== token.subjectId) return undefined
    const role = narrowed(member.role, token.scope)
    if (role === undefined) return undefined
    return {
      subjectId: token.subjectId,
      credential,
      accessType: 'user',
      role,
      subjectEmail: member.email,
      delegated: false,
      ...placeOf(account),
    }
  }

  #delegated(caller: Caller, accountId: string | undefined): Authentication {
    if (accountId === undefined) return { caller }
    if (caller.accessType !== 'enterprise') return refused(403, DELEGATION_REFUSED, caller)
    const account = this.#configuration.get(accounts, accountId)
    if (account === undefined || account.value.enterprise !== caller.enterpriseId)
      return refused(403, NOT_A_CHILD, caller)
    if (account.value.status === 'deactivated') return refused(403, SUSPENDED_CHILD, caller)
    if (account.value.status !== 'active') return refused(403, NOT_A_CHILD, caller)
    return { caller: { ...caller, ...placeOf(account), delegated: true } }
  }

  #activeAccount(shortId: string): Entity<Account> | undefined {
    const account = this.#configuration.get(accounts, shortId)
    return account?.value.status === 'active' ? account : undefined
  }
}

function callerOfService(token: AccessToken, credential: CallerCredential, account: Entity<Account>): Caller {
  return {
    subjectId: token.subjectId,
    credential,
    accessType: 'service',
    role: token.scope ?? 'admin',
    delegated: false,
    ...placeOf(account),
  }
}

function callerOfEnterprise(token: AccessToken, credential: CallerCredential): Caller {
  return {
    subjectId: token.subjectId,
    credential,
    accessType: 'enterprise',
    role: token.scope ?? 'owner',
    delegated: false,
    ...(token.enterprise === null ? {} : { enterpriseId: token.enterprise }),
  }
}

function placeOf({ id, value }: Entity<Account>): { account: CallerAccount; enterpriseId?: string } {
  return {
    account: {
      shortId: id,
      id: value.id,
      retentionDays: value.retentionDays,
      ingestionSuspended: value.ingestionSuspended,
    },
    ...(value.enterprise === null ? {} : { enterpriseId: value.enterprise }),
  }
}

/** Service keys work on the older paths (configuration and account API, section 2.1) and on the live tail (section 7). */
function takesKeys(path: string): boolean {
  return /^\/(v[12](\/|$)|ws\/tail\/?$)/i.test(path)
}

function isOlderEnterpriseApi(path: string): boolean {
  return /^\/v1\/enterprise(\/|$)/i.test(path)
}

function refused(status: AuthenticationFailure['status'], message: string, caller?: Caller): Authentication {
  return { failure: { status, message, ...(caller === undefined ? {} : { caller }) } }
}
