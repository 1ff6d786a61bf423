import type { DamagedPart } from './store-damage.ts'

export type StoreErrorCode =
  | 'FENCED'
  | 'OUTCOME_UNKNOWN'
  | 'UNAVAILABLE'
  | 'STORE_OF_ANOTHER_LOG'
  | 'STORE_NEWER'
  | 'ENGINE_TOO_OLD'
  | 'STORE_LOST'
  | 'STORE_DAMAGED'
  | 'LOGIN_REFUSED'
  | 'DATABASE_MISSING'
  | 'RIGHT_MISSING'
  | 'NOT_TRUSTED'
  | 'STATEMENT_FAILED'

export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode
  readonly retriable: boolean
  /** The unreadable part. */
  readonly damaged: DamagedPart | undefined

  constructor(
    code: StoreErrorCode,
    message: string,
    options: { retriable?: boolean; cause?: unknown; damaged?: DamagedPart | undefined } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.retriable = options.retriable ?? false
    this.damaged = options.damaged
  }
}
