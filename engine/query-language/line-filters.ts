/** Lists of exact names: one of each list that is not empty (filters, section 5). */
export interface LineFilters {
  readonly hosts: readonly string[]
  readonly apps: readonly string[]
  /** Without regard to case. */
  readonly levels: readonly string[]
  readonly tags: readonly string[]
}
