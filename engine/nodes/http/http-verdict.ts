import type { JsonValue } from '../../../schemas/json.ts'
import type { HttpOutcome, HttpRequest } from '../../outbound/http-exchange.ts'
import type { EncodedRequest, Verdict } from '../contract/define-destination.ts'

/** The server does not accept the credentials: decisions of an operator or a user change that. */
const RESTING: ReadonlySet<number> = new Set([401, 403, 407])
/** Statuses below 500 after which the request is repeated. */
const REPEATED: ReadonlySet<number> = new Set([408, 429])
const BAD_REQUEST = 400
const TOO_LARGE = 413
const NOT_IMPLEMENTED = 501

type HttpVerdict = Verdict<'E_DELIVERY_FAILED'>

export interface StatusRules {
  /** Whether the server stores all events of a request or none, so that 400 may concern one of them. */
  readonly takesAllOrNothing?: boolean
  /** Reason within an answer with status 400, without the content of an event. A failure shows it. */
  readonly reason?: RegExp
}

/** Judges a whole request by the status of its answer: components, section 7.1. */
export function statusVerdict(
  answer: HttpOutcome,
  { request, events }: EncodedRequest<HttpRequest>,
  { takesAllOrNothing = false, reason }: StatusRules = {},
): HttpVerdict {
  if ('failure' in answer) {
    if (answer.failure === 'DENIED')
      return deliveryFailed(`Connections to ${new URL(request.url).hostname} are not allowed`)
    if (answer.failure === 'INVALID') return deliveryFailed('The request cannot be written as HTTP')
    return 'again'
  }
  const { status } = answer
  if (status >= 200 && status < 300) return 'delivered'
  if (RESTING.has(status)) return 'rest'
  if (events > 1 && (status === TOO_LARGE || (status === BAD_REQUEST && takesAllOrNothing))) return 'halve'
  if (isRepeated(status)) return 'again'
  const found = status === BAD_REQUEST ? reason?.exec(answer.body)?.[0] : undefined
  return deliveryFailed(`The server answered ${status}${inBrackets(found)}`)
}

/** Whether a request with this status, or an item of it, is sent again. */
function isRepeated(status: number): boolean {
  return REPEATED.has(status) || (status >= 500 && status !== NOT_IMPLEMENTED)
}

/**
 * Judges one event by the status that an answer gives it.
 *
 * @param status of the answer; not a number: the server did not say it
 * @param reason name of an error, without the content of an event
 */
export function itemStatusVerdict(status: JsonValue | undefined, reason?: string): HttpVerdict {
  if (typeof status !== 'number') return 'again'
  if (status >= 200 && status < 300) return 'delivered'
  if (isRepeated(status)) return 'again'
  return deliveryFailed(`The server answered ${status}${inBrackets(reason)} for the event`)
}

function inBrackets(reason: string | undefined): string {
  return reason === undefined ? '' : ` (${reason})`
}

/** @param message one sentence without the content of an event, and without its dot */
export function deliveryFailed(message: string): Exclude<HttpVerdict, string> {
  return { code: 'E_DELIVERY_FAILED', field: null, message }
}
