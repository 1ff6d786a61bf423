import { defineKind } from '../kind.ts'

/** Lets somebody suspend an account's ingestion, once. Key: the hash of the token, which itself is nowhere. */
export interface SuspensionToken {
  readonly account: string
  readonly expiresAtMs: number
}

export const suspensionTokens = defineKind<SuspensionToken>('suspension-token', {
  account: ({ account }) => account,
  // That it was used shows in the account.
  audited: false,
})
