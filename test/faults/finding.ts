/**
 * Kinds of findings.
 *
 * - `lost`: acknowledged and not stored, or dropped by the throttle below its limit
 * - `doubled`: stored more often than it was sent
 * - `over limit`: passed by the throttle beyond its limit
 * - `bytes off`: different bytes of text or of usage
 * - `other`: any other fault
 */
export const FINDING_KINDS = ['lost', 'doubled', 'over limit', 'bytes off', 'other'] as const
export type FindingKind = (typeof FINDING_KINDS)[number]

export interface Finding {
  readonly kind: FindingKind
  /** The host whose lines it is about, which names the fault; '' when it is about all of them. */
  readonly host: string
  /** Lines, or bytes where the kind says so. */
  readonly amount: number
  readonly sentence: string
}
