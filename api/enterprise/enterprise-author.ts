import type { Author } from '../../engine/configuration/configuration-log.ts'
import type { Caller } from '../auth/caller.ts'

/** The author of a write to an account, or to none, which the budget of the enterprise counts. */
export function enterpriseAuthor({ subjectId, enterpriseId: enterprise }: Caller, account = ''): Author {
  return { subjectId, account, enterprise }
}
