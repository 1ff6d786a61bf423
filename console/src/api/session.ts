import type { Static } from 'typebox'
import type { SessionCreate } from '../../../schemas/http/account/session-api.ts'
import type { TokenDescription } from '../../../schemas/http/account/token-api.ts'
import { noteSession, read, send } from './request.ts'

export type Caller = Static<typeof TokenDescription>

const READERS: readonly string[] = ['readonly', 'ingest']

/** Whether a caller may change pipelines. The pages do not offer other actions; the server decides. */
export function canWrite({ role }: Caller): boolean {
  return !READERS.includes(role)
}

const SESSION = '/v3/auth/session'

export async function signIn(given: SessionCreate): Promise<Caller> {
  const { data } = await read<{ data: Caller }>(SESSION, { method: 'POST', body: given })
  noteSession()
  return data
}

/** Name by which a caller is shown. */
export function nameOf({ email, name, type }: Caller): string {
  return email ?? name ?? type
}

/** Whether a caller sees keys, quotas and other settings of the account. */
export function isAdministrator({ role }: Caller): boolean {
  return role === 'owner' || role === 'admin'
}

export async function signOut(): Promise<void> {
  await send(SESSION, { method: 'DELETE' })
}

export async function revoke(tokenId: string): Promise<void> {
  await send(`/v1/config/tokens/${encodeURIComponent(tokenId)}`, { method: 'DELETE' })
}

export async function readCaller(): Promise<Caller> {
  const { data } = await read<{ data: Caller }>('/v3/auth/token')
  return data
}

/** Accounts that an enterprise token may act for. */
export interface UsableAccount {
  /** Short id. */
  readonly account: string
  readonly company: string
}

export async function usableAccounts(): Promise<readonly UsableAccount[]> {
  const { data } = await read<{ data: readonly UsableAccount[] }>('/v3/auth/account')
  return data
}
