import { hash } from 'node:crypto'
import type { ChangeAction } from '../../engine/configuration/history.ts'
import { KINDS } from '../../engine/configuration/kinds.ts'
import { numberToMs } from '../../engine/times/sent-time.ts'
import { isoTimeMs } from '../http/iso-time.ts'
import { QueryParameters } from '../http/query-parameters.ts'

/** A kind with parts stands for all of its parts. */
export const AUDITED_KINDS = KINDS.filter(({ audited }) => audited).flatMap(({ name, parts }) => [
  name,
  ...Object.keys(parts),
])
export const ACTIONS: readonly ChangeAction[] = ['created', 'changed', 'removed']
export const MAX_EVENTS = 1_000
const USUAL_EVENTS = 100

/** Conditions on the requested changes; an undefined member does not restrict them. */
export interface AuditFilter {
  /** UNIX ms, inclusive. */
  readonly fromMs: number | undefined
  /** UNIX ms, exclusive. */
  readonly toMs: number | undefined
  /** Subject id, e-mail address, or name of a token or key. */
  readonly actor: string | undefined
  readonly kind: string | undefined
  readonly entity: string | undefined
  readonly action: ChangeAction | undefined
}

/** Position at which a page ended. */
export interface AuditPosition {
  readonly offset: bigint
  readonly index: number
}

export interface AuditRequest {
  readonly filter: AuditFilter
  readonly limit: number
  /** Returns older changes only. */
  readonly before: AuditPosition | undefined
}

/** @param place whose changes are requested: a cursor is only valid for the same place. @throws ApiError 400 */
export function readAuditRequest(query: unknown, place: string): AuditRequest {
  const parameters = new QueryParameters(query)
  const filter: AuditFilter = {
    fromMs: momentOf(parameters, 'from'),
    toMs: momentOf(parameters, 'to'),
    actor: parameters.text('actor'),
    kind: oneOf(parameters, 'kind', AUDITED_KINDS),
    entity: parameters.text('entity'),
    action: oneOf(parameters, 'action', ACTIONS),
  }
  parameters.inOrder(filter.fromMs, filter.toMs)
  const limit = parameters.integer('limit', { min: 1, max: MAX_EVENTS }) ?? USUAL_EVENTS
  const cursor = parameters.text('cursor')
  const before = cursor === undefined ? undefined : decodeCursor(cursor, filter, place)
  if (cursor !== undefined && before === undefined)
    parameters.refuse('cursor', 'must be the "next" of an answer to the same filters')
  parameters.check()
  return { filter, limit, before }
}

export function encodeCursor({ offset, index }: AuditPosition, filter: AuditFilter, place: string): string {
  return Buffer.from(`${offset}.${index}.${digestOf(filter, place)}`).toString('base64url')
}

function decodeCursor(cursor: string, filter: AuditFilter, place: string): AuditPosition | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, offset, index, digest] = /^(\d{1,18})\.(\d{1,9})\.([0-9a-f]{16})$/.exec(text) ?? []
  if (offset === undefined || digest !== digestOf(filter, place)) return undefined
  return { offset: BigInt(offset), index: Number(index) }
}

/** The digest need not be secret: a cursor can only name a position of the same answer. */
function digestOf(filter: AuditFilter, place: string): string {
  return hash('sha256', JSON.stringify([place, filter])).slice(0, 16)
}

function momentOf(parameters: QueryParameters, name: string): number | undefined {
  const text = parameters.text(name)
  if (text === undefined) return undefined
  const ms = /^\d{1,16}$/.test(text) ? numberToMs(text) : isoTimeMs(text)
  if (ms === undefined || ms === null) parameters.refuse(name, 'must be a valid ISO 8601 date or UNIX time')
  return ms ?? undefined
}

function oneOf<Value extends string>(
  parameters: QueryParameters,
  name: string,
  values: readonly Value[],
): Value | undefined {
  return parameters.has(name) ? parameters.oneOf(name, values, values[0] as Value) : undefined
}
