import { type Archiving, isHarmlessMember } from '../../../schemas/http/account/archiving.ts'
import { defineKind } from '../kind.ts'

/** Object store that receives copies of an account's lines. Key: the short id of the account. */
export interface ArchivingOfAccount {
  readonly account: string
  readonly archiving: Archiving
}

export const archivings = defineKind<ArchivingOfAccount>('archiving', {
  account: ({ account }) => account,
  isUserSized: true,
  // The names of keys and passwords differ between providers.
  sealed: ['archiving'],
  isHarmless: isHarmlessMember,
})
