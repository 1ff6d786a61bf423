import type { RemoteAnswer } from './remote.ts'

/** Kind of the answer with an HTTP status, for remotes that judge all events of a request together. */
export type JudgedStatus = Exclude<RemoteAnswer['kind'], 'each'> | 'divides'

const REQUEST_TIMEOUT = 408
const TOO_LARGE = 413
const TOO_MANY = 429
const NOT_IMPLEMENTED = 501
const BAD_REQUEST = 400
/** The credentials are refused: an operator renews them, and the events are as good as before. */
const RESTING: readonly number[] = [401, 403, 407]

/**
 * Judges a status by the table of components, section 7.1, as the decisions of the specification change it.
 *
 * @param takesAllOrNothing whether one bad event makes the remote refuse all of a request
 */
export function judgedStatus(status: number, takesAllOrNothing: boolean): JudgedStatus {
  if (status >= 200 && status < 300) return 'delivered'
  if (RESTING.includes(status)) return 'rest'
  if (status === TOO_LARGE || (takesAllOrNothing && status === BAD_REQUEST)) return 'divides'
  if (status === REQUEST_TIMEOUT || status === TOO_MANY) return 'again'
  return status >= 500 && status !== NOT_IMPLEMENTED ? 'again' : 'refused'
}
