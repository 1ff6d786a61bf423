import { type Archiving, isHarmlessMember } from '../../../schemas/http/archiving.ts'
import { defineKind } from '../kind.ts'

/** Where copies of an account's lines go. Key: the short id of the account. */
export interface ArchivingOfAccount {
  readonly account: string
  readonly archiving: Archiving
}

export const archivings = defineKind<ArchivingOfAccount>('archiving', {
  account: ({ account }) => account,
  // Keys and passwords have a different name at every provider.
  sealed: ['archiving'],
  isHarmless: isHarmlessMember,
})
