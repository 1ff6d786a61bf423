/** Source texts (JSON) of a line's rare members; the order here is the order in the record. */
export interface RareSources {
  readonly timestamp?: string | undefined
  readonly clamped?: boolean
  readonly tags?: readonly string[]
  readonly label?: string | undefined
  readonly annotation?: string | undefined
  readonly truncated?: boolean
  readonly metaCut?: boolean
  /** Names and source texts of the members without a meaning of their own. */
  readonly other?: ReadonlyMap<string, string>
}

/** The JSON text of `RareMembers`, with all digits as sent; empty without such members. */
export function restText(rare: RareSources): string {
  const members: string[] = []
  if (rare.timestamp !== undefined) members.push(`"timestamp":${rare.timestamp}`)
  if (rare.clamped) members.push('"clamped":true')
  if (rare.tags !== undefined && rare.tags.length > 0) members.push(`"tags":${JSON.stringify(rare.tags)}`)
  if (rare.label !== undefined) members.push(`"label":${rare.label}`)
  if (rare.annotation !== undefined) members.push(`"annotation":${rare.annotation}`)
  if (rare.truncated) members.push('"truncated":true')
  if (rare.metaCut) members.push('"metaCut":true')
  if (rare.other !== undefined && rare.other.size > 0) members.push(`"other":${objectText(rare.other)}`)
  return members.length === 0 ? '' : `{${members.join(',')}}`
}

function objectText(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([key, source]) => `${JSON.stringify(key)}:${source}`).join(',')}}`
}
