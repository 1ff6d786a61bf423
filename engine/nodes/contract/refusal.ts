import type { ErrorCode } from '../../event/errors.ts'

/** Reason why sent or fetched data cannot be decoded. */
export interface Refusal<Code extends ErrorCode = ErrorCode> {
  readonly code: Code
  /** Place in the data; null: all of it. */
  readonly field: string | null
  readonly message: string
}
