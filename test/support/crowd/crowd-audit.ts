import { hash } from 'node:crypto'
import type { IngestRequest } from '../../../schemas/log/line-batch.ts'
import type { DrawnRequest } from './drawn-crowd.ts'
import type { DueResult } from './due-result.ts'

/** `none`: the sender has cut the connection. */
export type GivenAnswer = 'none' | { readonly status: number; readonly body: string }

export interface AnsweredRequest {
  readonly request: DrawnRequest
  readonly account: string
  readonly due: DueResult
  readonly answer: GivenAnswer
}

/** Lines that one request left in a record. */
export interface StoredRequest {
  readonly account: string
  readonly entrance: string
  /** Batch id of the place. */
  readonly place: string
  /** Name of the request; empty for a refusal of a push. */
  readonly name: string
  readonly facts: IngestRequest
  readonly rows: readonly string[]
  /** Beginnings of refused bodies. */
  readonly refusals: readonly string[]
}

export interface Crowd {
  readonly answers: readonly AnsweredRequest[]
  readonly stored: readonly StoredRequest[]
}

const REFUSED_LINE = 400
const CONFLICT = 409
const DIGEST_BYTES = 16

/** A promise of ingestion that does not hold. */
export class CrowdError extends Error {
  override readonly name = 'CrowdError'
}

/**
 * Every line of an accepted request is stored exactly once: under its own account, with its own members and facts. No line
 * of a refused request is stored, and a request without an answer leaves either all of its lines or none.
 *
 * @throws CrowdError
 */
export function auditCrowd({ answers, stored }: Crowd): void {
  const known = new Map(answers.map(answered => [answered.request.name, answered]))
  const places = new Map<string, StoredRequest[]>()
  for (const part of stored) {
    if (part.refusals.length > 0) {
      assertRefusal(part, answers)
      continue
    }
    if (!known.has(part.name)) throw new CrowdError(`nobody has sent what is stored as ${show(part)}`)
    places.set(part.name, [...(places.get(part.name) ?? []), part])
  }
  for (const answered of answers) {
    assertAnswer(answered, answers)
    assertStored(answered, places.get(answered.request.name) ?? [])
    if (isAccepted(answered)) assertPlace(answered, answers, places)
  }
}

function assertAnswer(answered: AnsweredRequest, answers: readonly AnsweredRequest[]): void {
  const { answer, due, request } = answered
  if (answer === 'none') return
  const isConflict = answer.status === CONFLICT && answers.some(other => isOtherBody(other, answered))
  if (!isConflict && answer.status !== due.status)
    throw new CrowdError(`${request.name} is due a ${due.status}, and got ${answer.status} ${answer.body}`)
  if (answer.status === 207) {
    const status = Array.from({ length: due.count }, (_, place) =>
      due.refused.includes(place) ? REFUSED_LINE : 200,
    )
    const given = (JSON.parse(answer.body) as { status: unknown }).status
    if (JSON.stringify(given) !== JSON.stringify(status))
      throw new CrowdError(`${request.name} got the results of other lines: ${answer.body}`)
  }
}

/** The parts of a request in the log are its lines, and these are there at most once. */
function assertStored(
  { request, account, due, answer }: AnsweredRequest,
  parts: readonly StoredRequest[],
): void {
  const [first] = parts
  if (first === undefined) return
  const wrong = (why: string) =>
    new CrowdError(`${request.name}: ${why}; stored: ${parts.map(show).join(' and ')}`)
  if (answer !== 'none' && answer.status > 207) throw wrong(`lines are stored after a ${answer.status}`)
  if (request.delivery === 'cut off') throw wrong('lines of a body without its end are stored')
  if (request.entrance === 'lines' && parts.length > 1) throw wrong('it is stored more than once')
  if (parts.some(part => part.account !== account)) throw wrong(`it is of account ${account}`)
  const rows = parts.flatMap(part => part.rows)
  const other = due.rows.findIndex((row, index) => row !== rows[index])
  if (other >= 0 || rows.length !== due.rows.length)
    throw wrong(
      `${due.rows.length} lines are due, and the first that differs is ${due.rows[other] ?? rows[due.rows.length]}`,
    )
  if (request.entrance === 'lines') assertFacts(request, due, first)
}

function assertFacts(request: DrawnRequest, { host }: DueResult, { facts }: StoredRequest): void {
  const key = request.idempotencyKey
  const digest =
    key === undefined ? '' : hash('sha256', request.body, 'buffer').subarray(0, DIGEST_BYTES).toString('hex')
  const due = { ...host, remoteAddress: '127.0.0.1', key, digest }
  const { mac, tags, remoteAddress, idempotency } = facts
  const found = {
    mac,
    tags,
    remoteAddress,
    key: idempotency?.key,
    digest: idempotency?.digest.toString('hex') ?? '',
  }
  if (JSON.stringify(due) !== JSON.stringify(found))
    throw new CrowdError(
      `${request.name} is stored with ${JSON.stringify(found)} and not ${JSON.stringify(due)}`,
    )
}

/** An accepted request is stored itself, or is the repeat of one that is; its answer names the place. */
function assertPlace(
  answered: AnsweredRequest,
  answers: readonly AnsweredRequest[],
  places: ReadonlyMap<string, readonly StoredRequest[]>,
): void {
  const { request, due, answer } = answered
  if (due.rows.length === 0) return
  const alike = answers.filter(other => other === answered || isRepeat(other, answered))
  const found = alike.flatMap(other => places.get(other.request.name) ?? [])
  if (request.entrance === 'lines' && found.length !== 1)
    throw new CrowdError(
      `${request.name} was accepted, and is stored ${found.length} times: ${found.map(show).join(' and ')}`,
    )
  if (found.length === 0) throw new CrowdError(`${request.name} was accepted, and is not stored`)
  if (request.entrance === 'push' || answer === 'none') return
  const { batchID } = JSON.parse(answer.body) as { batchID: string }
  if (batchID !== found[0]?.place)
    throw new CrowdError(`${request.name} was told ${batchID}, and is stored at ${found[0]?.place}`)
}

/** The beginning of a refused body is captured for the account that sent it. */
function assertRefusal({ account, refusals }: StoredRequest, answers: readonly AnsweredRequest[]): void {
  for (const refusal of refusals) {
    const text = JSON.parse(refusal) as string
    const isSent = answers.some(
      sent =>
        sent.account === account &&
        sent.due.status === REFUSED_LINE &&
        sent.request.body.toString().startsWith(text.slice(0, -1)),
    )
    if (!isSent)
      throw new CrowdError(`account ${account} has not sent the refused body ${refusal.slice(0, 200)}`)
  }
}

function isAccepted({ answer }: AnsweredRequest): boolean {
  return answer !== 'none' && answer.status <= 207
}

function isSameKey(one: AnsweredRequest, other: AnsweredRequest): boolean {
  return (
    one !== other &&
    one.account === other.account &&
    one.request.idempotencyKey !== undefined &&
    one.request.idempotencyKey === other.request.idempotencyKey
  )
}

function isRepeat(one: AnsweredRequest, other: AnsweredRequest): boolean {
  return isSameKey(one, other) && one.request.body.equals(other.request.body)
}

function isOtherBody(one: AnsweredRequest, other: AnsweredRequest): boolean {
  return isSameKey(one, other) && !one.request.body.equals(other.request.body)
}

function show({ account, place, name, rows }: StoredRequest): string {
  return `${rows.length} lines of ${name || 'a refusal'} at ${place} of ${account}, first ${rows[0]?.slice(0, 200)}`
}
