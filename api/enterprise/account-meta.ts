import Type from 'typebox'
import { AccountRecord } from '../../schemas/http/account/account-api.ts'
import { EnvelopeOf } from '../../schemas/http/envelope.ts'
import { V3_ERROR_REPLIES } from '../../schemas/http/error-replies.ts'
import type { Meta } from '../http/envelope.ts'

export const AccountPath = Type.Object({ accountId: Type.String() })
export const ManyAccounts = { 200: EnvelopeOf(Type.Array(AccountRecord)), ...V3_ERROR_REPLIES }
export const OneAccount = { 200: EnvelopeOf(AccountRecord), ...V3_ERROR_REPLIES }
export const ONE_ACCOUNT: Meta = { pk: 'account', type: 'account', links: { self: {} } }
export const ALL_ACCOUNTS: Meta = { ...ONE_ACCOUNT, page: null }
