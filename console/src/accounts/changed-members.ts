import type { AccountChange, AccountRecord } from './requests.ts'

/** Days that the API shows at most; an account can keep its lines longer. */
export const MOST_SHOWN_DAYS = 90

/** Texts of the fields of an account. */
export interface TypedAccount {
  readonly company: string
  readonly owneremail: string
  /** Days as they were typed; the empty text stands for no change. */
  readonly retention: string
}

/** The members whose values differ from those of an account; all that are given, where there is none yet. */
export function changedMembers(
  { company, owneremail, retention }: TypedAccount,
  present: AccountRecord | undefined,
): AccountChange {
  const days = retention === '' ? present?.retention : Number(retention)
  return {
    ...(company !== present?.company && { company }),
    ...(owneremail !== present?.owneremail && { owneremail }),
    ...(days !== undefined && days !== present?.retention && { retention: days }),
  }
}
