/** Lists of exact names; a line must match one entry of each non-empty list (filters, section 5). */
export interface LineFilters {
  readonly hosts: readonly string[]
  readonly apps: readonly string[]
  /** Case-insensitive. */
  readonly levels: readonly string[]
  readonly tags: readonly string[]
}
