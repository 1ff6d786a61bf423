import { hash } from 'node:crypto'
import type { ChangeAction } from '../../engine/configuration/history.ts'
import { KINDS } from '../../engine/configuration/kinds.ts'
import { readPointInTime } from '../../engine/times/point-in-time.ts'
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
  /** Everything that determines the answer, for the cursor of the next page. */
  readonly condition: string
}

/** @param place whose changes are requested: a cursor is only valid for the same place. @throws ApiError 400 */
export function readAuditRequest(query: unknown, place: string, nowMs: number): AuditRequest {
  const parameters = new QueryParameters(query)
  const filter: AuditFilter = {
    fromMs: momentOf(parameters, 'from', nowMs),
    toMs: momentOf(parameters, 'to', nowMs),
    actor: parameters.text('actor'),
    kind: oneOf(parameters, 'kind', AUDITED_KINDS),
    entity: parameters.text('entity'),
    action: oneOf(parameters, 'action', ACTIONS),
  }
  parameters.inOrder(filter.fromMs, filter.toMs)
  const limit = parameters.integer('limit', { min: 1, max: MAX_EVENTS }) ?? USUAL_EVENTS
  const cursor = parameters.text('cursor')
  const condition = JSON.stringify([place, asWritten(filter, parameters)])
  const before = cursor === undefined ? undefined : decodeCursor(cursor, condition)
  if (cursor !== undefined && before === undefined)
    parameters.refuse('cursor', 'must be the "next" of an answer to the same filters')
  parameters.check()
  return { filter, limit, before, condition }
}

/** @param condition of the request: a cursor is only valid for the same one */
export function encodeCursor({ offset, index }: AuditPosition, condition: string): string {
  return Buffer.from(`${offset}.${index}.${digestOf(condition)}`).toString('base64url')
}

function decodeCursor(cursor: string, condition: string): AuditPosition | undefined {
  const text = Buffer.from(cursor, 'base64url').toString()
  const [, offset, index, digest] = /^(\d{1,18})\.(\d{1,9})\.([0-9a-f]{16})$/.exec(text) ?? []
  if (offset === undefined || digest !== digestOf(condition)) return undefined
  return { offset: BigInt(offset), index: Number(index) }
}

/** The digest need not be secret: a cursor can only name a position of the same answer. */
function digestOf(condition: string): string {
  return hash('sha256', condition).slice(0, 16)
}

/** A date means its first instant at both ends, because the end is exclusive. */
function momentOf(parameters: QueryParameters, name: string, nowMs: number): number | undefined {
  const text = parameters.text(name)
  if (text === undefined) return undefined
  const ms = readPointInTime(text, { nowMs, edge: 'start' })
  if (ms === undefined) parameters.refuse(name, 'must be a valid ISO 8601 date or UNIX time')
  return ms
}

/** The filter with relative times as they are written: their values differ between the pages of an answer. */
function asWritten(filter: AuditFilter, parameters: QueryParameters): object {
  return {
    ...filter,
    ...(parameters.isRelative('from') && { fromMs: parameters.text('from') }),
    ...(parameters.isRelative('to') && { toMs: parameters.text('to') }),
  }
}

function oneOf<Value extends string>(
  parameters: QueryParameters,
  name: string,
  values: readonly Value[],
): Value | undefined {
  return parameters.has(name) ? parameters.oneOf(name, values, values[0] as Value) : undefined
}
