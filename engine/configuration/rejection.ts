/** Why an event of the configuration log is ignored by everyone. */
export interface Rejection {
  readonly code: RejectionCode
  /** For people. */
  readonly message: string
}

export type RejectionCode =
  /** Somebody else changed the entity first. */
  | 'CHANGED_MEANWHILE'
  /** A text that must be unique is taken. */
  | 'TAKEN'
  /** The plan of the account allows no more pipelines. */
  | 'PIPELINE_LIMIT'
  /** The plan of the account allows no more nodes in one pipeline. */
  | 'NODE_LIMIT'
  /** The account has as many keys of that type as it may. */
  | 'KEY_LIMIT'
  /** The account has as many exemptions as it may. */
  | 'EXEMPTION_LIMIT'
  /** The account has as many rules on lines as it may, or they are too long. */
  | 'RULE_LIMIT'
  /** There are as many access tokens as may be. */
  | 'TOKEN_LIMIT'
  /** The token that another one was to be made with was revoked. */
  | 'ISSUER_GONE'
  /** Members are limited by the group. */
  | 'GROUP_IN_USE'
  /** A member is given a group that the account does not have, or no longer has. */
  | 'UNKNOWN_GROUP'

/** A write that the configuration did not take. */
export class ConfigurationRejected extends Error {
  override readonly name = 'ConfigurationRejected'
  readonly code: RejectionCode

  constructor(rejection: Rejection) {
    super(rejection.message)
    this.code = rejection.code
  }
}
