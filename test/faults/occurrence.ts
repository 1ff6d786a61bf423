import type { Finding } from './finding.ts'
import { lineNameOf, requestName, type SentRequest } from './sent-request.ts'
import { isSamePosition, type StoredRow } from './stored-row.ts'

/** One occurrence of a request on the log, found by its stored rows. */
export interface Occurrence {
  readonly request: SentRequest
  readonly timeMs: number
  readonly offset: bigint
  /** Rows by place of the line in the request. */
  readonly rows: Map<number, StoredRow>
}

/**
 * Divides the stored rows into occurrences of requests. The lines of a request lie together and in order. A new
 * occurrence begins where the request or the record changes, or where places are not consecutive.
 *
 * @param rows in log order
 */
export function occurrencesOf(
  rows: readonly StoredRow[],
  sent: readonly SentRequest[],
): { occurrences: Occurrence[]; findings: Finding[] } {
  const requests = new Map(sent.map(request => [requestName(request), request]))
  const occurrences: Occurrence[] = []
  const findings: Finding[] = []
  let before: StoredRow | undefined
  let lastPlace = -1
  for (const row of rows) {
    const name = lineNameOf(row.text)
    const request = requests.get(name?.request ?? '')
    if (before !== undefined && isSamePosition(before, row)) {
      findings.push(finding('doubled', row, `the row at ${placeOf(row)} is stored twice`))
      continue
    }
    before = row
    if (name === undefined || request?.lines[name.place] === undefined) {
      findings.push(
        finding('other', row, `nobody sent the line at ${placeOf(row)}: ${row.text.slice(0, 80)}`),
      )
      continue
    }
    let current = occurrences.at(-1)
    if (current?.request !== request || current.offset !== row.offset || name.place <= lastPlace) {
      current = { request, timeMs: row.timeMs, offset: row.offset, rows: new Map() }
      occurrences.push(current)
    }
    current.rows.set(name.place, row)
    lastPlace = name.place
  }
  return { occurrences, findings }
}

function finding(kind: Finding['kind'], { host }: StoredRow, sentence: string): Finding {
  return { kind, host, amount: 1, sentence }
}

export function placeOf({ partition, offset, row }: StoredRow): string {
  return `${partition}/${offset}/${row}`
}
