import { accountInAddress } from './delegation.ts'
import { Problem, problemOf } from './problem.ts'

export interface RequestOptions {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly body?: unknown
  /** A body that is sent as it is; its content type stands among the headers. */
  readonly text?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

const UNREACHABLE = 'The server cannot be reached.'

let answeredMs: number | undefined

/** UNIX ms of the last answer that contained the requested data; undefined before the first one. */
export function lastAnswerMs(): number | undefined {
  return answeredMs
}

let onSessionEnd: () => void = () => {}
let sessions = 0

/** Notes that a session has begun: late answers to requests before it say nothing about it. */
export function noteSession(): void {
  sessions++
}

/** Sets the listener that is called when an answer says that the session has ended. */
export function listenToSessionEnd(listener: () => void): void {
  onSessionEnd = listener
}

/**
 * Sends a request to the server that served this page.
 *
 * @throws Problem
 */
export async function send(path: string, options: RequestOptions = {}): Promise<Response> {
  const { method = 'GET', body, text, headers: further, signal } = options
  const account = accountInAddress(window.location.pathname)
  const headers: Record<string, string> = { 'x-weir-console': '1', ...further }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (account !== undefined) headers['x-delegate-account-id'] = account
  const session = sessions
  let answer: Response
  try {
    answer = await fetch(path, {
      method,
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(text !== undefined && { body: text }),
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new Problem(0, UNREACHABLE, { isOfWrite: method !== 'GET' })
  }
  if (answer.ok) {
    answeredMs = Date.now()
    return answer
  }
  const problem = await problemOf(answer, method !== 'GET')
  if (problem.status === 401 && session === sessions) onSessionEnd()
  throw problem
}

/** @returns the parsed body of an answer @throws Problem */
export async function read<Body>(path: string, options: RequestOptions = {}): Promise<Body> {
  const answer = await send(path, options)
  return (await answer.json()) as Body
}
