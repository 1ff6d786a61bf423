import { defineKind } from '../kind.ts'

/** When an access token was last used, to within the hour. Key: that of the token. */
export interface TokenUse {
  /** Of the token; empty: it is one of an enterprise. */
  readonly account: string
  readonly atMs: number
}

export const tokenUses = defineKind<TokenUse>('token-use', {
  account: ({ account }) => account,
  audited: false,
})
