import type { Clock } from '../../engine/clock/clock.ts'
import {
  type Change,
  type ConfigurationLog,
  create,
  remove,
  replace,
} from '../../engine/configuration/configuration-log.ts'
import { type AccessToken, accessTokens, secretHash } from '../../engine/configuration/entities.ts'
import type { Entity } from '../../engine/configuration/kind.ts'
import { type Member, memberKey, members } from '../../engine/configuration/kinds/members.ts'
import { tokenUses } from '../../engine/configuration/kinds/token-uses.ts'
import { newToken } from '../../engine/configuration/mint.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { TokenChange, TokenCreate } from '../../schemas/http/account/token-api.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'
import { covers, narrowed, type Right } from '../auth/right.ts'
import { type PlanLimits, planChanges } from '../configuration/plan-limits.ts'
import { badRequest, forbidden, notFound } from '../http/errors.ts'
import { givenTimeMs, isoTime } from '../http/iso-time.ts'
import { untilNotOvertaken } from '../http/overtaken.ts'

export interface AccessTokenPorts {
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly settings: PlanLimits
}

/** A token with a secret that only its receiver knows. */
export interface Issued {
  readonly token: Entity<AccessToken>
  readonly secret: string
}

/** Expired tokens are removed when others are created, but only after this time, because people look for them. */
const FORGET_AFTER_MS = 7 * DAY_MS

const PREFIX = { user: 'sta', service: 'sts', enterprise: 'ste' } as const

/**
 * Creates, changes and revokes access tokens. Callers cannot use them to exceed the right or the lifetime of their own
 * token, not even by rotating, narrowing or prolonging another one. The fold settles concurrent revocations (see
 * `accessTokens`).
 */
export class AccessTokens {
  readonly #ports: AccessTokenPorts

  constructor(ports: AccessTokenPorts) {
    this.#ports = ports
  }

  /** Tokens that the caller can see, oldest first: their own; for an admin, all of the account or the enterprise. */
  list(caller: Caller): Entity<AccessToken>[] {
    const { configuration } = this.#ports
    return configuration
      .list(accessTokens, caller.account?.shortId ?? '')
      .filter(({ value }) => !value.revoked)
      .filter(({ value }) => caller.account !== undefined || value.enterprise === caller.enterpriseId)
      .filter(({ value }) => isAdmin(caller) || value.subjectId === caller.subjectId)
  }

  /** @throws ApiError 404 */
  get(caller: Caller, id: string): Entity<AccessToken> {
    const token = this.list(caller).find(each => each.id === id)
    if (token === undefined) throw notFound('The token does not exist')
    return token
  }

  /** Present right of a token; undefined: none. */
  rightOf({ value }: Entity<AccessToken>): Right | undefined {
    if (value.expiresAtMs !== null && value.expiresAtMs <= this.#ports.clock.wallMs()) return undefined
    return this.#rightWhileItLives(value)
  }

  /** @throws ApiError 400, 403 */
  async create(caller: Caller, write: TokenCreate): Promise<Issued> {
    const { configuration, clock, entropy, settings } = this.#ports
    const nowMs = clock.wallMs()
    const owned = this.#ownerAndScope(caller, write)
    const endMs = expiryMs(write.expires, nowMs)
    const expiresAtMs = endMs === undefined ? caller.credential.expiresAtMs : endMs
    // The account already has its owner: a further token of theirs does not create an owner.
    const held = owned.kind === 'user' ? caller.role : heldBy(caller)
    assertWithin(caller, owned.right, expiresAtMs, held)
    const secret = newToken(PREFIX[owned.kind], entropy)
    const id = entropy.uuid()
    const { right: _, ...ownership } = owned
    const token: AccessToken = {
      account: null,
      enterprise: null,
      email: null,
      ...ownership,
      name: write.name,
      hash: secretHash(secret),
      expiresAtMs,
      revoked: false,
      createdAtMs: nowMs,
      issuedBy: caller.credential.id,
    }
    await untilNotOvertaken(() =>
      configuration.append(
        [
          ...planChanges(configuration, token.account ?? '', settings),
          create(accessTokens, id, token),
          ...this.#forgotten(caller, nowMs),
        ],
        tokenAuthor(caller),
      ),
    )
    return { token: this.get(caller, id), secret }
  }

  /** @throws ApiError 403, 404 */
  async rotate(caller: Caller, id: string, graceMs: number): Promise<Issued> {
    const { configuration, clock, entropy } = this.#ports
    const secret = newToken(PREFIX[this.get(caller, id).value.kind], entropy)
    await untilNotOvertaken(async () => {
      const token = this.get(caller, id)
      const { previous: _, ...value } = token.value
      if (value.kind === 'user' && value.subjectId !== caller.subjectId)
        throw forbidden('Only its user may rotate a personal token; an admin can make another one')
      assertWithin(caller, this.#rightWhileItLives(value), value.expiresAtMs)
      // The present role may hide the full right: it grows with the role of its user, as far as its scope allows.
      if (value.kind === 'user' && !covers(caller.credential.scope ?? 'owner', value.scope ?? 'owner'))
        throw tooWide()
      const rotated: AccessToken = {
        ...value,
        hash: secretHash(secret),
        issuedBy: caller.credential.id,
        ...(graceMs > 0 && { previous: { hash: value.hash, untilMs: clock.wallMs() + graceMs } }),
      }
      await configuration.append([replace(accessTokens, token, rotated)], tokenAuthor(caller))
    })
    return { token: this.get(caller, id), secret }
  }

  /** @throws ApiError 400, 403, 404 */
  async change(caller: Caller, id: string, write: TokenChange): Promise<Entity<AccessToken>> {
    const { configuration, clock } = this.#ports
    await untilNotOvertaken(async () => {
      const token = this.get(caller, id)
      const { value } = token
      const right = this.#rightWhileItLives(value)
      assertManages(caller, token, right)
      const endMs = expiryMs(write.expires, clock.wallMs())
      if (endMs !== undefined && isLater(endMs, value.expiresAtMs)) assertProlongs(caller, endMs)
      if (write.scope !== undefined && (right === undefined || !covers(right, write.scope)))
        throw badRequest([
          {
            message: `"scope" can only be narrowed; the token has the right ${right ?? 'to nothing'}`,
            key: 'scope',
          },
        ])
      const changed: AccessToken = {
        ...value,
        name: write.name ?? value.name,
        scope: write.scope ?? value.scope,
        expiresAtMs: endMs === undefined ? value.expiresAtMs : endMs,
      }
      await configuration.append([replace(accessTokens, token, changed)], tokenAuthor(caller))
    })
    return this.get(caller, id)
  }

  /** Admins can revoke every token that they see. @throws ApiError 403, 404 */
  async revoke(caller: Caller, id: string): Promise<void> {
    await untilNotOvertaken(async () => {
      const token = this.get(caller, id)
      if (!isAdmin(caller)) assertManages(caller, token, this.#rightWhileItLives(token.value))
      await this.#ports.configuration.append(removals(token), tokenAuthor(caller))
    })
  }

  #ownerAndScope(caller: Caller, write: TokenCreate) {
    const kind = write.kind ?? usualKind(caller)
    if (kind !== 'user' && write.email !== undefined)
      throw badRequest([{ message: '"email" is only for tokens of the kind user', key: 'email' }])
    const subjectId = this.#ports.entropy.uuid()
    switch (kind) {
      case 'user':
        return this.#ownerOfPersonal(caller, write)
      case 'service': {
        assertAdmin(caller)
        const scope = write.scope ?? scopeOfDefault(caller, 'admin')
        return { kind, account: accountOf(caller).shortId, subjectId, scope, right: scope ?? 'admin' }
      }
      case 'enterprise': {
        const { enterpriseId } = caller
        if (caller.accessType !== 'enterprise' || enterpriseId === undefined || caller.delegated)
          throw forbidden('Tokens of the enterprise need one, without "x-delegate-account-id"')
        assertAdmin(caller)
        const scope = write.scope ?? scopeOfDefault(caller, 'owner')
        return { kind, enterprise: enterpriseId, subjectId, scope, right: scope ?? 'owner' }
      }
    }
  }

  #ownerOfPersonal(caller: Caller, write: TokenCreate) {
    const account = accountOf(caller).shortId
    const member = this.#memberOf(caller, account, write.email)
    const isOwn = member.subjectId === caller.subjectId
    if (!isOwn) assertAdmin(caller)
    // A further token of the caller grows with the caller's role up to the right of the requesting token; tokens for
    // others do not.
    const scope = write.scope ?? (isOwn ? caller.credential.scope : heldBy(caller))
    const right = write.scope ?? narrowed(member.role, scope) ?? member.role
    return { kind: 'user' as const, account, subjectId: member.subjectId, email: member.email, scope, right }
  }

  #memberOf(caller: Caller, account: string, email: string | undefined): Member {
    const wanted = email ?? caller.subjectEmail
    if (wanted === undefined) throw badRequest([{ message: '"email" is required', key: 'email' }])
    const member = this.#ports.configuration.get(members, memberKey(account, wanted))
    if (member === undefined)
      throw badRequest([{ message: '"email" must be that of a member of the account', key: 'email' }])
    return member.value
  }

  #rightWhileItLives(token: AccessToken): Right | undefined {
    const { kind, scope } = token
    if (kind === 'enterprise') return scope ?? 'owner'
    if (kind === 'service') return scope ?? 'admin'
    const user = this.#userOf(token)
    return user && narrowed(user.role, scope)
  }

  /** Removes obsolete tokens, so that an account does not accumulate them. */
  #forgotten(caller: Caller, nowMs: number): Change[] {
    const isOver = ({ expiresAtMs }: AccessToken) =>
      expiresAtMs !== null && expiresAtMs + FORGET_AFTER_MS <= nowMs
    return this.#ports.configuration
      .list(accessTokens, caller.account?.shortId ?? '')
      .filter(({ value }) => caller.account !== undefined || value.enterprise === caller.enterpriseId)
      .filter(({ value }) => isOver(value) || (value.kind === 'user' && !this.#userOf(value)))
      .flatMap(removals)
  }

  /** @returns undefined when the member has left; a later member with the same address is another person */
  #userOf({ account, email, subjectId }: AccessToken): Member | undefined {
    const member = this.#ports.configuration.get(members, memberKey(account ?? '', email ?? ''))?.value
    return member?.subjectId === subjectId ? member : undefined
  }
}

function removals(token: Entity<AccessToken>): Change[] {
  const use: Change = { kind: tokenUses, id: token.id, expectedVersion: -1, value: undefined }
  return [remove(accessTokens, token), use]
}

/** The author of a write to a token, which belongs to an account or to an enterprise. */
function tokenAuthor({ subjectId, account, enterpriseId: enterprise }: Caller) {
  return { subjectId, account: account?.shortId ?? '', enterprise }
}

function usualKind({ accessType, account }: Caller): AccessToken['kind'] {
  if (accessType === 'user') return 'user'
  return account === undefined ? 'enterprise' : 'service'
}

/** Highest right that a caller can grant: acting for an account gives the rights of its owner, except for closing it. */
function heldBy({ role, delegated }: Caller): Right {
  return delegated && role === 'owner' ? 'admin' : role
}

function isAdmin({ role }: Caller): boolean {
  return covers(role, 'admin')
}

/** @returns null for a caller who has all that such a token can have */
function scopeOfDefault(caller: Caller, all: Right): Right | null {
  const held = heldBy(caller)
  return covers(held, all) ? null : held
}

function assertAdmin(caller: Caller): void {
  if (!isAdmin(caller)) throw forbidden('The credential does not have the permission that this needs')
}

function tooWide() {
  return forbidden('A credential cannot give a right that it does not have itself')
}

/** @param right of the token whose secret the caller will get */
function assertWithin(
  caller: Caller,
  right: Right | undefined,
  expiresAtMs: number | null,
  held = heldBy(caller),
): void {
  if (right !== undefined && !covers(held, right)) throw tooWide()
  const ownEndMs = caller.credential.expiresAtMs
  if (ownEndMs !== null && isLater(expiresAtMs, ownEndMs))
    throw forbidden(
      `The token would outlive the credential that asks for it, which ends at ${isoTime(ownEndMs)}`,
    )
}

/** A narrowed token of a person cannot manage the wider ones of the same person. */
function assertManages(caller: Caller, token: Entity<AccessToken>, right: Right | undefined): void {
  if (token.id !== caller.credential.id && right !== undefined && !covers(heldBy(caller), right))
    throw forbidden('A credential cannot change one that may do more')
}

function assertProlongs(caller: Caller, endMs: number | null): void {
  if (!isAdmin(caller)) throw forbidden('Only admins may let a token end later')
  assertWithin(caller, undefined, endMs)
}

function isLater(endMs: number | null, thanMs: number | null): boolean {
  return (endMs ?? Number.POSITIVE_INFINITY) > (thanMs ?? Number.POSITIVE_INFINITY)
}

/** @returns UNIX ms; null: never; undefined if it is not given */
function expiryMs(expires: TokenCreate['expires'], nowMs: number): number | null | undefined {
  if (expires === undefined || expires === null) return expires
  const endMs =
    typeof expires === 'number' ? nowMs + Math.round(expires * 1000) : givenTimeMs(expires, nowMs, 'future')
  if (endMs > nowMs) return endMs
  throw badRequest([{ message: '"expires" must be in the future', key: 'expires' }])
}
