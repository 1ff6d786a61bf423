import { defineKind } from '../kind.ts'

/** One-time token for suspending an account's ingestion. Key: the hash of the token, which is not stored. */
export interface SuspensionToken {
  readonly account: string
  readonly expiresAtMs: number
}

export const suspensionTokens = defineKind<SuspensionToken>('suspension-token', {
  account: ({ account }) => account,
  // The account shows that the token was used.
  audited: false,
})
