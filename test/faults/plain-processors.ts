import { createDecipheriv } from 'node:crypto'
import { SECOND_MS } from '../../engine/times/duration.ts'
import { TraceModel } from '../support/trace-model.ts'
import type { Finding } from './finding.ts'
import type { Occurrence } from './occurrence.ts'
import {
  REDACTED,
  REMEMBERED_KEYS,
  REQUESTS_PER_TRACE,
  SAMPLE_RATE,
  SECRET_KEY,
  SUMS,
  TRACE_RATE,
  WINDOW_S,
} from './processors-pipeline.ts'
import { requestName, type SentLine, type SentRequest } from './sent-request.ts'
import type { StoredRow } from './stored-row.ts'

/** A line with its place in its request, and its log time. */
export interface PlacedLine {
  readonly line: SentLine
  readonly request: SentRequest
  readonly place: number
  readonly timeMs: number
}

/**
 * The pipeline of ten processors without its throttle, written again as plainly as possible. It must be given every line that
 * reaches the pipeline, in the order of the log.
 */
export class PlainProcessors {
  /** Keys of the dedupe, least recently used first. */
  #keys: string[] = []
  #sampled = 0
  readonly #traces = new TraceModel({
    type: 'tail',
    rates: [1, TRACE_RATE],
    maxTraces: 100_000,
    maxHeldSpans: 1_000,
    maxHeldBytes: 64 << 20,
  })
  #spans = 0

  /** Whether a line reaches the throttle. */
  passes(placed: PlacedLine): boolean {
    const isKept = placed.line.level === 'kept'
    if (this.#isRepeat(keyOf(placed))) return false
    if (!isKept && this.#sampled++ % SAMPLE_RATE !== 0) return false
    const span = { trace: traceOf(placed), n: this.#spans++, isRoot: true, bytes: 0 }
    return this.#traces.take({ ...span, meets: isKept ? [0, 1] : [1] }, placed.timeMs).fate === 'passed'
  }

  /** The line as the processors change it, with the clear text of its secret. */
  changed(placed: PlacedLine): SentLine {
    const { line } = placed
    const was = line.meta === '' ? undefined : (JSON.parse(line.meta) as unknown)
    const meta = { key: keyOf(placed), trace: traceOf(placed), secret: nameOf(placed), count: 1, was }
    const text = line.text.replaceAll(REDACTED.text, REDACTED.replacement)
    return { ...line, text, meta: JSON.stringify(meta) }
  }

  /** The row with its secret in clear; other bytes of it stay. */
  opened(row: StoredRow): StoredRow {
    const { iv, ...meta } = JSON.parse(row.meta) as { secret: string; iv: string }
    const decipher = createDecipheriv('aes-128-cfb', SECRET_KEY, Buffer.from(iv, 'base64'))
    const secret = Buffer.concat([decipher.update(meta.secret, 'base64'), decipher.final()])
    return { ...row, meta: JSON.stringify({ ...meta, secret: secret.toString() }) }
  }

  #isRepeat(key: string): boolean {
    const at = this.#keys.indexOf(key)
    if (at >= 0) this.#keys.splice(at, 1)
    this.#keys.push(key)
    if (this.#keys.length > REMEMBERED_KEYS) this.#keys.shift()
    return at >= 0
  }
}

/** Whether the aggregate made a row. */
export function isSum({ host }: { readonly host: string }): boolean {
  return host.endsWith(SUMS)
}

/** Number of lines in the windows that have left. */
export function linesInSums(rows: readonly StoredRow[]): number {
  return rows.filter(isSum).reduce((sum, { text }) => sum + Number(text.split(' ')[1]), 0)
}

/** Compares the rows of the aggregate: each line is in exactly one window of log time, and each window is stored once. */
export function checkedSums(rows: readonly StoredRow[], occurrences: readonly Occurrence[]): Finding[] {
  const windowMs = WINDOW_S * SECOND_MS
  const expected = new Map<string, number>()
  for (const { request, timeMs } of occurrences)
    for (const { app } of request.lines) {
      const start = Math.floor(timeMs / windowMs) * windowMs
      const window = `${request.host}${SUMS} ${app === '' ? 'unknown' : app} ${start}`
      expected.set(window, (expected.get(window) ?? 0) + 1)
    }
  const findings: Finding[] = []
  const report = (kind: Finding['kind'], host: string, sentence: string) =>
    findings.push({ kind, host, amount: 1, sentence })
  for (const { host, app, text } of rows) {
    const [start, events, count] = text.split(' ')
    const window = `${host} ${app} ${start}`
    const lines = expected.get(window)
    expected.delete(window)
    if (lines === undefined) report('doubled', host, `the window ${window} is stored twice, or has no lines`)
    else if (Number(events) !== lines || events !== count)
      report('other', host, `the window ${window} has ${events} events and counts ${count}, not ${lines}`)
  }
  for (const [window, lines] of expected)
    report('lost', window.split(' ', 1)[0] as string, `the window ${window} of ${lines} lines is not stored`)
  return findings
}

function nameOf({ request, place }: PlacedLine): string {
  return `${requestName(request)}/${place}`
}

function keyOf(placed: PlacedLine): string {
  const { line, place, timeMs } = placed
  return line.level === 'kept' ? `${nameOf(placed)} ${timeMs}` : `${line.app || 'none'}/${place}`
}

function traceOf({ line, request }: PlacedLine): string {
  const group = Math.floor(request.number / REQUESTS_PER_TRACE)
  return line.level === 'kept' ? 'kept' : `${line.app || 'none'}/c${request.connection}/${group}`
}
