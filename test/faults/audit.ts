import { MINUTE_MS } from '../../engine/times/duration.ts'
import type { Finding, FindingKind } from './finding.ts'
import type { LostRecords } from './lost-records.ts'
import { type Occurrence, occurrencesOf, placeOf } from './occurrence.ts'
import { PlainBudget } from './plain-budget.ts'
import { checkedSums, isSum, type PlacedLine, type PlainProcessors } from './plain-processors.ts'
import { PlainThrottle, type ThrottleRule } from './plain-throttle.ts'
import { requestName, type SentLine, type SentRequest } from './sent-request.ts'
import { countedBytes, type HostUsage, inLogOrder, type StoredRow } from './stored-row.ts'

/** Requests sent since the last audit, and the data that the program reports about them. */
export interface Facts {
  /** Undefined while no pipeline reads the lines: everything is stored. */
  readonly rule: ThrottleRule | undefined
  readonly sent: readonly SentRequest[]
  readonly stored: readonly StoredRow[]
  readonly usage: ReadonlyMap<string, HostUsage>
  /** Records that the log has lost meanwhile. */
  readonly lost?: readonly LostRecords[]
}

/** Lines that must have gone through the throttle, or through the default graph, in one minute of log time. */
export interface MinuteCounts {
  lines: number
  discarded: number
  /** Lines whose expressions cost more than the account had. */
  failed: number
}

/**
 * Compares acknowledged requests with stored and counted lines. It knows the specification and nothing of the program.
 * The place of a request on the log follows from its first line, which no throttle holds back, and from the positions in
 * the ids. From one audit to the next it remembers the throttle's pass times and the sums.
 */
export class Auditor {
  #throttle = new PlainThrottle()
  readonly #processors: PlainProcessors | undefined
  /** Memory of the throttle before the lost records whose rows are being read. */
  #beforeLoss: PlainThrottle | undefined
  readonly #budget = new PlainBudget()
  readonly #minutes = new Map<number, MinuteCounts>()
  #findings: Finding[] = []
  #lines = 0
  #bytes = 0
  #timeMs = 0
  #unanswered = 0

  /** @param processors those that the lines go through, besides a throttle */
  constructor(processors?: PlainProcessors) {
    this.#processors = processors
  }

  /** Lines and bytes that all audits so far have seen stored. */
  get seen(): HostUsage {
    return { lines: this.#lines, bytes: this.#bytes }
  }

  /** Times that requests are stored without an answer that said so: a measure of how well the faults have hit. */
  get unanswered(): number {
    return this.#unanswered
  }

  /** Lines so far whose expressions cost more than the account had. */
  get failed(): number {
    return [...this.#minutes.values()].reduce((sum, { failed }) => sum + failed, 0)
  }

  /** Counts by start of the minute. */
  get minutes(): ReadonlyMap<number, Readonly<MinuteCounts>> {
    return this.#minutes
  }

  audit({ rule, sent, stored, usage, lost = [] }: Facts): Finding[] {
    const all = inLogOrder(stored)
    const [rows, sums] =
      this.#processors === undefined ? [all, []] : [all.filter(row => !isSum(row)), all.filter(isSum)]
    const { occurrences, findings } = occurrencesOf(rows, sent)
    this.#findings = findings
    const accepted = this.#acceptedOf(occurrences, sent, lost)
    const answered = new Set(
      accepted.map(({ request }) => request).filter(({ outcome }) => outcome === 'acknowledged'),
    )
    this.#unanswered += accepted.length - answered.size
    for (const ofRecord of Map.groupBy(accepted, ({ offset }) => offset).values()) {
      this.#beginRecord(ofRecord, lost)
      for (const occurrence of ofRecord) this.#checkOccurrence(occurrence, rule)
    }
    this.#checkOrder(accepted)
    this.#checkUsage(all, usage)
    if (this.#processors !== undefined) this.#findings.push(...checkedSums(sums, accepted))
    return this.#findings
  }

  #report(kind: FindingKind, host: string, amount: number, sentence: string): void {
    this.#findings.push({ kind, host, amount, sentence })
  }

  /**
   * A request with a key is stored once, however often its sender repeats it. A request without a key is stored at most
   * once per attempt, and so is one whose key was lost. An acknowledged request must be there, unless its record was lost.
   */
  #acceptedOf(
    occurrences: readonly Occurrence[],
    sent: readonly SentRequest[],
    lost: readonly LostRecords[],
  ): Occurrence[] {
    const isLost = (request: SentRequest) => lost.some(({ requests }) => requests.has(requestName(request)))
    const counts = new Map<SentRequest, number>()
    const accepted: Occurrence[] = []
    for (const occurrence of occurrences) {
      const { request, rows } = occurrence
      const count = (counts.get(request) ?? 0) + 1
      counts.set(request, count)
      const most = request.idempotencyKey === undefined || isLost(request) ? request.attempts : 1
      if (count <= most) accepted.push(occurrence)
      else
        this.#report(
          'doubled',
          request.host,
          rows.size,
          `${requestName(request)} is stored ${count} times after ${request.attempts} attempts, key ${request.idempotencyKey}`,
        )
    }
    for (const request of sent) {
      if (request.outcome !== 'acknowledged' || counts.has(request) || isLost(request)) continue
      const { host, lines } = request
      this.#report('lost', host, lines.length, `${requestName(request)} was acknowledged and is not stored`)
    }
    return accepted
  }

  /** Takes back the effect of lost records on the memory of nodes, also where their lines are stored. */
  #beginRecord(occurrences: readonly Occurrence[], lost: readonly LostRecords[]): void {
    const [{ offset, timeMs }] = occurrences as [Occurrence]
    const isLost = lost.some(({ from, to }) => offset >= from && offset < to)
    if (isLost) this.#beforeLoss ??= this.#throttle.copy()
    else if (this.#beforeLoss !== undefined) {
      this.#throttle = this.#beforeLoss
      this.#beforeLoss = undefined
    }
    const lines = occurrences.flatMap(({ request }) => request.lines)
    this.#budget.begin(
      timeMs,
      lines.reduce((sum, line) => sum + countedBytes(line), 0),
    )
  }

  #checkOccurrence({ request, timeMs, rows }: Occurrence, rule: ThrottleRule | undefined): void {
    if (timeMs < this.#timeMs)
      this.#report('other', request.host, 1, `log time goes back by ${this.#timeMs - timeMs} ms`)
    this.#timeMs = Math.max(this.#timeMs, timeMs)
    const minute = this.#minuteOf(timeMs)
    for (const [place, line] of request.lines.entries()) {
      const isFailing = rule?.looks === true && line.level === 'limited' && !this.#budget.affords(line.text)
      const placed = { line, request, place, timeMs }
      const isLeftOut = this.#processors?.passes(placed) === false
      const isPassing = !isFailing && !isLeftOut && this.#lets(line, timeMs, rule)
      const row = rows.get(place)
      minute.lines++
      if (isFailing) minute.failed++
      else if (!isPassing && !isLeftOut) minute.discarded++
      const name = `line ${place} of ${requestName(request)} (${line.level}, app ${line.app})`
      if (isPassing && row === undefined)
        this.#report('lost', request.host, 1, `${name} is not stored, others of its request are`)
      if (isFailing && row !== undefined)
        this.#report(
          'other',
          request.host,
          1,
          `${name} passed at ${timeMs} and could not pay for its expression`,
        )
      if (isLeftOut && row !== undefined)
        this.#report('other', request.host, 1, `${name} is stored, and a processor should have left it out`)
      if (!isPassing && !isFailing && !isLeftOut && row !== undefined)
        this.#report('over limit', request.host, 1, `${name} passed at ${timeMs} beyond ${rule?.limit}`)
      if (row !== undefined) this.#checkRow(row, placed)
    }
  }

  #lets({ app, level }: SentLine, timeMs: number, rule: ThrottleRule | undefined): boolean {
    if (rule === undefined || level === 'kept') return true
    return this.#throttle.lets(app, timeMs, rule)
  }

  #minuteOf(timeMs: number): MinuteCounts {
    const startMs = Math.floor(timeMs / MINUTE_MS) * MINUTE_MS
    let minute = this.#minutes.get(startMs)
    if (minute === undefined) {
      minute = { lines: 0, discarded: 0, failed: 0 }
      this.#minutes.set(startMs, minute)
    }
    return minute
  }

  #checkRow(stored: StoredRow, placed: PlacedLine): void {
    const { host } = placed.request
    const row = this.#processors?.opened(stored) ?? stored
    const line = this.#processors?.changed(placed) ?? placed.line
    const bytes = differingBytes(row.text, line.text) + differingBytes(row.meta, line.meta)
    if (bytes > 0) this.#report('bytes off', host, bytes, `the line at ${placeOf(row)} is not as it was sent`)
    const expected = { host, app: line.app === '' ? 'unknown' : line.app, level: line.level.toUpperCase() }
    for (const member of ['host', 'app', 'level'] as const)
      if (row[member] !== expected[member])
        this.#report(
          'other',
          host,
          1,
          `${member} of ${placeOf(row)} is ${row[member]}, not ${expected[member]}`,
        )
  }

  /** A sender that waits for each answer must find its requests in that order, by their first occurrences. */
  #checkOrder(accepted: readonly Occurrence[]): void {
    const seen = new Set<SentRequest>()
    const last = new Map<number, SentRequest>()
    for (const { request } of accepted) {
      if (request.outcome !== 'acknowledged' || seen.has(request)) continue
      seen.add(request)
      const before = last.get(request.connection)
      if (before !== undefined && before.number > request.number)
        this.#report('other', request.host, 1, `${requestName(request)} lies behind ${requestName(before)}`)
      last.set(request.connection, request)
    }
  }

  #checkUsage(rows: readonly StoredRow[], usage: ReadonlyMap<string, HostUsage>): void {
    for (const [host, ofHost] of Map.groupBy(rows, row => row.host)) {
      const counted = usage.get(host) ?? { lines: 0, bytes: 0 }
      const bytes = ofHost.reduce((sum, row) => sum + countedBytes(row), 0)
      const ofRows = ofHost.reduce((sum, row) => sum + Math.abs(row.sizeBytes - countedBytes(row)), 0)
      const off = Math.max(Math.abs(counted.bytes - bytes), ofRows)
      if (off > 0)
        this.#report(
          'bytes off',
          host,
          off,
          `${host}: usage says ${counted.bytes} bytes, the stored lines have ${bytes}`,
        )
      if (counted.lines !== ofHost.length)
        this.#report(
          'other',
          host,
          1,
          `${host}: usage says ${counted.lines} lines, ${ofHost.length} are stored`,
        )
      this.#lines += ofHost.length
      this.#bytes += bytes
    }
  }
}

/** Number of bytes that differ, including those of the longer text beyond the other; 0 for equal texts. */
function differingBytes(a: string, b: string): number {
  if (a === b) return 0
  const [first, second] = [Buffer.from(a), Buffer.from(b)]
  let differing = Math.abs(first.length - second.length)
  for (let at = 0; at < Math.min(first.length, second.length); at++) if (first[at] !== second[at]) differing++
  return differing
}
