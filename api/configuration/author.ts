import type { Author } from '../../engine/configuration/configuration-log.ts'
import type { Caller } from '../auth/caller.ts'
import { accountOf } from '../auth/permission.ts'

/** The author of a write, and the account. */
export function authorOf(caller: Caller): Author {
  return { subjectId: caller.subjectId, account: accountOf(caller).shortId }
}
