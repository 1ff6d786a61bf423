/**
 * Pattern of the grok library. Its expression may contain references to others, such as `%{INT}` or `%{INT:size}`, and groups that are
 * not captured.
 */
export interface LibraryPattern {
  readonly is: string
  /** Whole lines that it must match, and lines that it must not match as a whole: they run as tests. */
  readonly lines: readonly string[]
  readonly others: readonly string[]
}

export type LibraryPatterns = Readonly<Record<string, LibraryPattern>>
