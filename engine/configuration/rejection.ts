/** Reason why every process ignores an event of the configuration log. */
export interface Rejection {
  readonly code: RejectionCode
  /** Message for people. */
  readonly message: string
}

export type RejectionCode =
  /** Another request changed the entity first. */
  | 'CHANGED_MEANWHILE'
  /** A unique text is already in use. */
  | 'TAKEN'
  /** The plan of the account does not allow more pipelines. */
  | 'PIPELINE_LIMIT'
  /** The plan of the account does not allow more nodes in a pipeline. */
  | 'NODE_LIMIT'
  /** The account has the maximum number of keys of that type. */
  | 'KEY_LIMIT'
  /** The account has the maximum number of exemptions. */
  | 'EXEMPTION_LIMIT'
  /** The account has the maximum number of rules on lines, or they are too long. */
  | 'RULE_LIMIT'
  /** There are already as many access tokens as allowed. */
  | 'TOKEN_LIMIT'
  /** The token that requested the new one was revoked. */
  | 'ISSUER_GONE'
  /** The group limits members. */
  | 'GROUP_IN_USE'
  /** An entity, or all entities of the account together, would be too large. */
  | 'SIZE_LIMIT'
  /** A member is given a group that the account does not have. */
  | 'UNKNOWN_GROUP'

/** The configuration refused a write. */
export class ConfigurationRejected extends Error {
  override readonly name = 'ConfigurationRejected'
  readonly code: RejectionCode

  constructor(rejection: Rejection) {
    super(rejection.message)
    this.code = rejection.code
  }
}

/** The account has used up its budget for changes: see `ChangeBudget`. Nothing was written. */
export class BudgetExhausted extends Error {
  override readonly name = 'BudgetExhausted'
  readonly retryAfterS: number

  constructor(message: string, retryAfterS: number) {
    super(message)
    this.retryAfterS = retryAfterS
  }
}
