import type { Static } from 'typebox'
import type {
  AccountChange,
  AccountCreate,
  AccountRecord,
  CreatedAccount as CreatedAccountSchema,
  EnterpriseRecord,
} from '../../../schemas/http/account/account-api.ts'
import { read, send } from '../api/request.ts'

/** A new account with its first ingestion key. */
export type CreatedAccount = Static<typeof CreatedAccountSchema>
export type { AccountChange, AccountCreate, AccountRecord, EnterpriseRecord }

const ENTERPRISE = '/v3/enterprise'
const ACCOUNTS = `${ENTERPRISE}/account`

const one = (account: string) => `${ACCOUNTS}/${encodeURIComponent(account)}`

/** The enterprise of the caller with all of its accounts. @throws Problem */
export async function readEnterprise(signal: AbortSignal): Promise<EnterpriseRecord> {
  return (await read<{ data: EnterpriseRecord }>(ENTERPRISE, { signal })).data
}

/** @throws Problem */
export async function createAccount(body: AccountCreate): Promise<CreatedAccount> {
  return (await read<{ data: CreatedAccount }>(ACCOUNTS, { method: 'POST', body })).data
}

/** Changes the given members alone. @throws Problem */
export async function changeAccount(account: string, body: AccountChange): Promise<void> {
  await send(one(account), { method: 'PUT', body })
}

/** Makes the credentials of an account invalid, or valid again. @throws Problem */
export async function setSuspended(account: string, isSuspended: boolean): Promise<void> {
  await send(`${one(account)}/${isSuspended ? 'suspend' : 'resume'}`, { method: 'POST' })
}
