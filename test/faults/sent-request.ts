/** One line as a connection sends it. The text begins with where it belongs: connection, request, place. */
export interface SentLine {
  readonly text: string
  /** '' when the line names none. */
  readonly app: string
  /** Lines of the level `kept` are excluded from the throttle, those of `limited` are subject to it. */
  readonly level: 'kept' | 'limited'
  /** JSON text; '' when there is none. */
  readonly meta: string
}

/**
 * Outcome of a request. Acknowledged: some attempt got its 200. Abandoned: its sender gave up. Refused: the answer was an
 * unexpected one. An abandoned or refused request may be stored whole or not at all.
 */
export type RequestOutcome = 'open' | 'acknowledged' | 'abandoned' | 'refused'

/** One request with its attempts. Its first line is always `kept`: it shows the place of the request on the log. */
export interface SentRequest {
  readonly connection: number
  readonly number: number
  /** The fault during which it was first sent. */
  readonly host: string
  readonly idempotencyKey: string | undefined
  readonly lines: readonly SentLine[]
  /** Attempts that may have reached the program. */
  attempts: number
  outcome: RequestOutcome
}

export function requestName({ connection, number }: { connection: number; number: number }): string {
  return `c${connection}/${number}`
}

/** Identity of a line, by the beginning of its text. */
export interface LineName {
  readonly request: string
  readonly place: number
}

const LINE_NAME = /^(?:\{"id":")?(c\d+\/\d+)\/(\d+)[ "]/

/** @returns undefined for a text that none of our connections sends */
export function lineNameOf(text: string): LineName | undefined {
  const match = LINE_NAME.exec(text)
  return match === null ? undefined : { request: match[1] as string, place: Number(match[2]) }
}
