/** Results of a campaign, as they are printed. */
export interface AuditedCampaign {
  readonly findings: readonly { readonly kind: string; readonly host: string; readonly sentence: string }[]
  /** Its table. */
  lines(): string[]
}
