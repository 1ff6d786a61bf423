import { defineKind } from '../kind.ts'

/** Time of an access token's last use, to within an hour. Key: that of the token. */
export interface TokenUse {
  /** Account of the token; empty: a token of an enterprise. */
  readonly account: string
  readonly atMs: number
}

export const tokenUses = defineKind<TokenUse>('token-use', {
  account: ({ account }) => account,
  audited: false,
})
