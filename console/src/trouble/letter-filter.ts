import { instantOf } from '../times/time.ts'

/** Conditions on failed events, as addresses hold them; an empty text restricts nothing. */
export interface LetterFilter {
  readonly code: string
  /** Id of the node that failed. */
  readonly node: string
  /** Id of the revision that failed. */
  readonly revision: string
  /** Start, such as `7d` for days ago or UNIX ms; inclusive. */
  readonly from: string
  /** End in the same form; empty: now. */
  readonly to: string
  /** `all` for those that were replayed, too. */
  readonly show: string
}

export const NO_LETTER_FILTER: LetterFilter = { code: '', node: '', revision: '', from: '', to: '', show: '' }

export function letterFilter(parameters: URLSearchParams): LetterFilter {
  const names = Object.keys(NO_LETTER_FILTER)
  return Object.fromEntries(names.map(name => [name, parameters.get(name) ?? ''])) as unknown as LetterFilter
}

/** Members of a filter as the API has them. */
export function filterMembers(
  { code, node, revision, from, to }: LetterFilter,
  nowMs: number,
): Readonly<Record<string, string>> {
  const members = { code, node, revision, from: timeOf(from, nowMs), to: timeOf(to, nowMs) }
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== ''))
}

/** A time for the API. One that is none is sent as it is: the server says so. */
function timeOf(text: string, nowMs: number): string {
  if (text === '' || text === 'now') return ''
  const ms = instantOf(text, nowMs)
  return ms === undefined ? text : new Date(ms).toISOString()
}
