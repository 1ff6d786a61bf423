import { type Explanation, explain } from '../../api/explanations.ts'
import { type LineText, shownJson } from '../../api/records.ts'
import { type Selection, search } from '../../api/searches.ts'
import { instantOf } from '../../times/time.ts'

/** Lines that can be chosen from. A narrower query finds others. */
export const MOST_LINES = 50

/** Conditions of the lines that become samples. */
export interface SampleSearch {
  readonly query: string
  /** Start of the range, relative to now, such as `1h`. */
  readonly from: string
}

export interface NewestLines {
  readonly lines: readonly LineText[]
  /** Whether the search finds older lines, too. */
  readonly hasMore: boolean
}

/** Reads the newest lines of a search, at most `MOST_LINES`. @throws Problem */
export async function newestLines(
  { query, from }: SampleSearch,
  nowMs: number,
  signal: AbortSignal,
): Promise<NewestLines> {
  const fromMs = instantOf(from, nowMs) ?? 0
  const lists = { hosts: [], apps: [], levels: [], tags: [] }
  const selection: Selection = { query, fromMs, toMs: nowMs, ...lists }
  const lines: LineText[] = []
  let hasMore = false
  for await (const piece of search(selection, { order: 'newest', limit: MOST_LINES }, signal)) {
    if ('lines' in piece) lines.push(...piece.lines)
    if ('next' in piece) hasMore = piece.next !== null
  }
  return { lines, hasMore }
}

/**
 * Events of lines as they were accepted, one JSON text per line of the result, the oldest first. A stored line is not such an
 * event: pipelines may have changed it, and its level is written in capital letters.
 *
 * @throws Problem 404 for a line that the log no longer has
 */
export async function samplesOf(lines: readonly LineText[], signal: AbortSignal): Promise<string> {
  const samples: string[] = []
  // The list has the newest line first. A simulation goes forward in time.
  for (const { id } of lines.toReversed())
    for (const each of await explain({ line_id: id }, signal)) samples.push(sampleText(each))
  return samples.join('\n')
}

/** An event with its times as a sample: JSON on one line, whose numbers keep their digits. */
export function sampleText({ line, message }: Pick<Explanation, 'line' | 'message'>): string {
  const { metadata, timestamp } = line.event
  const rest = JSON.stringify({ metadata, timestamp, at: line.handled_at })
  // Texts in JSON do not contain line ends: all of them are indentation.
  return `{"message": ${shownJson(message).replaceAll(/\n\s*/g, ' ')}, ${rest.slice(1)}`
}
