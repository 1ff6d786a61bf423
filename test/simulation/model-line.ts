/** A line as the model reads it from the log. */
export interface ModelLine {
  readonly account: string
  readonly offset: bigint
  readonly timeMs: number
  readonly text: string
  readonly app: string
  readonly level: string
  /** Host as stored. */
  readonly host: string
  /** Size of the text; these lines have no other bytes. */
  readonly bytes: number
  /** Size as counted by nodes: that of the pushed message, otherwise of the text. */
  readonly eventBytes: number
  /** Days that its account's lines are kept. */
  readonly retentionDays: number
}
