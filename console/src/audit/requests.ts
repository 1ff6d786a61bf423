import type { AuditEvent, AuditPage } from '../../../schemas/http/account/audit-api.ts'
import { read } from '../api/request.ts'
import { instantOf } from '../times/time.ts'

export type { AuditEvent }

/** Conditions on changes; an empty text restricts nothing. */
export interface AuditFilter {
  /** Start as addresses hold it, such as `7d` for days ago or UNIX ms; inclusive. */
  readonly from: string
  /** End in the same form; exclusive. */
  readonly to: string
  /** Subject id, e-mail address, or name of a token or key. */
  readonly actor: string
  readonly action: string
  readonly kind: string
  /** Id of the changed entity. */
  readonly entity: string
}

const NOW = 'now'
/** The filter that all changes match. */
export const NO_FILTER: AuditFilter = { from: '', to: NOW, actor: '', action: '', kind: '', entity: '' }

/** Start of a page behind the first one. The range stays that of the first page, since a cursor holds for one range. */
export interface PageStart {
  readonly cursor: string
  readonly range: URLSearchParams
}

/** A page of changes, newest first. */
export interface ReadPage {
  readonly events: readonly AuditEvent[]
  /** Start of the next page; undefined on the last one. */
  readonly next: PageStart | undefined
}

/** @param start undefined for the newest changes @throws Problem */
export async function readAudit(
  { from, to, ...others }: AuditFilter,
  start: PageStart | undefined,
  signal: AbortSignal,
): Promise<ReadPage> {
  const range = start?.range ?? rangeOf(from, to, Date.now())
  const query = new URLSearchParams([
    ...Object.entries(others).filter(([, value]) => value !== ''),
    ...range.entries(),
    ...(start === undefined ? [] : [['cursor', start.cursor]]),
  ])
  const { events, next } = await read<AuditPage>(`/v1/config/audit?${query}`, { signal })
  return { events, next: next === null ? undefined : { cursor: next, range } }
}

/** Ends of a range in UNIX ms, as the API has them. An end that is not a time is sent unchanged, and the server refuses it. */
export function rangeOf(from: string, to: string, nowMs: number): URLSearchParams {
  const range = new URLSearchParams()
  if (from !== '') range.set('from', String(instantOf(from, nowMs) ?? from))
  if (to !== NOW) range.set('to', String(instantOf(to, nowMs) ?? to))
  return range
}
