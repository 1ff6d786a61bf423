/** Records that a fault removed from the end of the log, and whose loss was accepted. */
export interface LostRecords {
  /** First lost place, and the first behind the lost ones. */
  readonly from: bigint
  readonly to: bigint
  /** Names of the requests in them. */
  readonly requests: ReadonlySet<string>
  /** Minutes whose counts of nodes may lack events of them. */
  readonly minutesMs: ReadonlySet<number>
}
