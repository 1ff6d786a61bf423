import { BackOff } from '../../../engine/clock/back-off.ts'
import { parseExactJson } from '../../../engine/json/exact-json.ts'
import { MINUTE_MS } from '../../../engine/times/duration.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { type ApiClient, ApiRefusal } from '../api-client.ts'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'
import { recordTexts } from './record-texts.ts'

/** Largest answer of `/v3/search`, in lines. */
const PAGE_LINES = 10_000
/** A search that finds few lines reads long before it has found a page of them. */
const PAGE_TIMEOUT_MS = 15 * MINUTE_MS
/** Failures in a row after which an export ends; their pauses are together as long as a restart of the server. */
const MOST_FAILURES = 6
const PAUSES = { firstMs: 500, longestMs: 8_000 }

export interface LineQuery {
  /** Parameters of `/v3/search` that select lines. */
  readonly parameters: Readonly<Record<string, string | number | undefined>>
  /** Position of the line behind which the search begins. */
  readonly after: string | undefined
  /** Maximum number of lines. */
  readonly limit: number
}

/** Lines that follow each other. */
export interface FoundLines {
  /** JSON text of each line. */
  readonly records: readonly string[]
  /** Position of the last line: its time in UNIX ms, a hyphen, and its id. */
  readonly position: string
}

/**
 * All lines of a query, the oldest first. After a failure the search continues behind the last line.
 *
 * @throws CommandError when the first request fails, or several in a row do
 */
export async function* foundLines(
  api: ApiClient,
  query: LineQuery,
  world: World,
): AsyncGenerator<FoundLines> {
  const pauses = new BackOff(world.clock, PAUSES)
  let [position, left, failures, isFirst] = [query.after, query.limit, 0, true]
  while (left > 0) {
    try {
      const size = Math.min(PAGE_LINES, left)
      for await (const piece of pageOf(api, { ...query, after: position, limit: size })) {
        if (piece === 'end') return
        position = piece.position
        left -= piece.records.length
        ;[failures, isFirst] = [0, false]
        pauses.reset()
        yield piece
      }
    } catch (error) {
      failures++
      if (isFirst || failures === MOST_FAILURES || !mayPass(error)) throw error
      await pauses.pause(world.stop)
    }
  }
}

/** The lines of one answer, and `end` if no others follow. */
async function* pageOf(
  api: ApiClient,
  { parameters, after, limit }: LineQuery,
): AsyncGenerator<FoundLines | 'end'> {
  const query = { ...parameters, order: 'oldest', limit, after }
  let isComplete = false
  for await (const text of api.textLines('/v3/search', { query, timeoutMs: PAGE_TIMEOUT_MS })) {
    const records = recordTexts(text)
    const last = records?.at(-1)
    if (records !== undefined && last !== undefined) {
      yield { records, position: positionOf(last) }
      continue
    }
    const { end } = parseExactJson(text) as { end?: { next: string | null } }
    if (end === undefined) continue
    isComplete = true
    // The last lines may be ones that the caller must not see, so the position of the answer is used.
    if (end.next === null) yield 'end'
    else yield { records: [], position: end.next }
  }
  if (!isComplete) throw new CommandError(EXIT.unreachable, 'The server ended an answer before its end.')
}

/** Time of the last line of a query, UNIX ms; 0 if there is none. */
export async function lastLineMs(api: ApiClient, { parameters }: LineQuery): Promise<number> {
  const query = { ...parameters, order: 'newest', limit: 1 }
  for await (const text of api.textLines('/v3/search', { query, timeoutMs: PAGE_TIMEOUT_MS })) {
    const [record] = recordTexts(text) ?? []
    if (record !== undefined) return Number((JSON.parse(record) as JsonObject)._ts)
  }
  return 0
}

function positionOf(record: string): string {
  const { _ts, _id } = JSON.parse(record) as JsonObject
  return `${String(_ts)}-${String(_id)}`
}

function mayPass(error: unknown): boolean {
  if (error instanceof ApiRefusal) return error.status === 429 || error.status >= 500
  return error instanceof CommandError && error.exitCode === EXIT.unreachable
}
