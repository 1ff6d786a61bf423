import type { AccessGroupCreate, AccessGroupRecord } from '../../../schemas/http/account/access-group.ts'
import type { AccountKeyRecord } from '../../../schemas/http/account/account-key.ts'
import type { MemberCreate, MemberRecord } from '../../../schemas/http/account/member.ts'
import type {
  IssuedToken,
  TokenChange,
  TokenCreate,
  TokenRecord,
} from '../../../schemas/http/account/token-api.ts'
import { read, send } from '../api/request.ts'

export type {
  AccessGroupCreate,
  AccessGroupRecord,
  AccountKeyRecord,
  IssuedToken,
  MemberCreate,
  MemberRecord,
  TokenChange,
  TokenCreate,
  TokenRecord,
}

const TOKENS = '/v1/config/tokens'
const KEYS = '/v1/config/keys'
const MEMBERS = '/v1/config/members'
const GROUPS = '/v1/config/groups'

const one = (list: string, id: string) => `${list}/${encodeURIComponent(id)}`

/** Removes an entry of a list. @throws Problem */
async function remove(list: string, id: string): Promise<void> {
  await send(one(list, id), { method: 'DELETE' })
}

/** Tokens of the account; for others than administrators those of the caller. */
export function readTokens(signal: AbortSignal): Promise<readonly TokenRecord[]> {
  return read(TOKENS, { signal })
}

/** @returns the token with its secret, which no other answer has */
export function createToken(body: TokenCreate): Promise<IssuedToken> {
  return read(TOKENS, { method: 'POST', body })
}

export function changeToken(id: string, body: TokenChange): Promise<TokenRecord> {
  return read(one(TOKENS, id), { method: 'PATCH', body })
}

/** @param graceS seconds for which the old secret works on */
export function rotateToken(id: string, graceS: number): Promise<IssuedToken> {
  return read(`${one(TOKENS, id)}/rotate`, { method: 'POST', body: { grace_s: graceS } })
}

export function removeToken(id: string): Promise<void> {
  return remove(TOKENS, id)
}

export function readKeys(signal: AbortSignal): Promise<readonly AccountKeyRecord[]> {
  return read(KEYS, { signal })
}

export function createIngestionKey(name: string): Promise<AccountKeyRecord> {
  return read(`${KEYS}?type=ingestion`, { method: 'POST', body: { name } })
}

export function renameKey(id: string, name: string): Promise<AccountKeyRecord> {
  return read(one(KEYS, id), { method: 'PUT', body: { name } })
}

export function removeKey(id: string): Promise<void> {
  return remove(KEYS, id)
}

export function readMembers(signal: AbortSignal): Promise<readonly MemberRecord[]> {
  return read(MEMBERS, { signal })
}

export function createMember(body: MemberCreate): Promise<MemberRecord> {
  return read(MEMBERS, { method: 'POST', body })
}

export function changeMember({ email, ...body }: MemberCreate): Promise<MemberRecord> {
  return read(one(MEMBERS, email), { method: 'PUT', body })
}

export function removeMember(email: string): Promise<void> {
  return remove(MEMBERS, email)
}

export function readGroups(signal: AbortSignal): Promise<readonly AccessGroupRecord[]> {
  return read(GROUPS, { signal })
}

export function createGroup(body: AccessGroupCreate): Promise<AccessGroupRecord> {
  return read(GROUPS, { method: 'POST', body })
}

export function changeGroup(id: string, body: AccessGroupCreate): Promise<AccessGroupRecord> {
  return read(one(GROUPS, id), { method: 'PATCH', body })
}

export function removeGroup(id: string): Promise<void> {
  return remove(GROUPS, id)
}
