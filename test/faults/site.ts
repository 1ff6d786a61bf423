import { setTimeout as delay } from 'node:timers/promises'
import { DAY_MS } from '../../engine/times/duration.ts'
import { type ExportedLine, exportedLines } from '../support/exported-lines.ts'
import { lastingPort } from '../support/free-port.ts'
import { RunningWeir } from '../support/running-weir.ts'
import { ProcessorsPipeline } from './processors-pipeline.ts'
import { requestName, type SentRequest } from './sent-request.ts'
import type { ShippedPipeline } from './shipped-pipeline.ts'
import { Shipper } from './shipper.ts'
import { type HostUsage, positionOf, type StoredRow } from './stored-row.ts'
import { ThrottledPipeline } from './throttled-pipeline.ts'

/** Older than any line that a recovery waits for. */
const RECENT_MS = 600_000
const POLL_MS = 20
/** Time limit of one request of the test: a program that was stopped or killed in between does not answer. */
const ANSWER_WITHIN_MS = 5_000
/** Time after which a program that is not ready counts as one that does not recover. */
const READY_WITHIN_MS = 60_000
/** Time after which lines that a ready program has not stored count as lost. */
const STORED_WITHIN_MS = 20_000
/** Limit of the log, so small that a campaign sees new segments, checkpoints and trimming. */
const LOG_MAX_BYTES = '96MB'
/** Time for which a connection waits for an answer: less than most pauses. */
const CLIENT_PATIENCE_MS = 700

export interface SiteOptions {
  readonly seed: number
  /** The data folder; a temporary one when left out. */
  readonly directory?: string
  /** The lines go through the pipeline of ten processors. */
  readonly processors?: boolean
}

/** Times from a moment until the program was ready, and until its last acknowledged lines were stored. */
export interface Recovery {
  readonly readyMs: number
  readonly storedMs: number
}

/** The real program on its own data folder, with all its senders. */
export class Site {
  readonly weir: RunningWeir
  readonly shipper: Shipper
  readonly pipeline: ShippedPipeline

  private constructor(weir: RunningWeir, { seed, processors = false }: SiteOptions) {
    this.weir = weir
    const { ingestUrl, ingestionKey } = weir.credentials
    this.shipper = new Shipper({ seed, ingestUrl, ingestionKey, patienceMs: CLIENT_PATIENCE_MS })
    this.pipeline = processors ? new ProcessorsPipeline(weir) : new ThrottledPipeline(weir)
  }

  static async open(options: SiteOptions): Promise<Site> {
    const settings = { WEIR_PORT: String(await lastingPort()), WEIR_LOG_MAX_BYTES: LOG_MAX_BYTES }
    return new Site(await RunningWeir.start(settings, options.directory), options)
  }

  /**
   * Waits until the program is ready, and until these requests are stored. The next audit reports those that are not
   * stored in time as lost.
   *
   * @throws Error when the program does not come back
   */
  async recovery(sinceMs: number, newest: readonly SentRequest[]): Promise<Recovery> {
    // A refused start ends before the program can be ready.
    const isReady = async () => !this.weir.running || (await this.#fetch('/readyz')).ok
    const isAnswered = await reached(isReady, sinceMs + READY_WITHIN_MS)
    if (!isAnswered || !this.weir.running) throw new Error(`not ready:\n${this.weir.output.slice(-4_000)}`)
    const readyMs = performance.now() - sinceMs
    const untilMs = performance.now() + STORED_WITHIN_MS
    for (const request of newest) await reached(() => this.#isStored(request), untilMs)
    return { readyMs, storedMs: performance.now() - sinceMs }
  }

  /** Every line of these hosts that is stored, of requests that were received since a moment of the wall clock. */
  async stored(hosts: ReadonlySet<string>, sinceMs: number): Promise<StoredRow[]> {
    const lines = await exportedLines(this.weir, { from: String(sinceMs) })
    return lines.filter(({ _host }) => hosts.has(_host)).map(storedRowOf)
  }

  /** Usage of every host, over all time. */
  async usage(): Promise<Map<string, HostUsage>> {
    const [fromMs, toMs] = [Date.now() - 30 * DAY_MS, Date.now() + DAY_MS]
    const seconds = `from=${Math.floor(fromMs / 1000)}&to=${Math.floor(toMs / 1000)}`
    const days = `from=${new Date(fromMs).toISOString()}&to=${new Date(toMs).toISOString()}`
    const lines = await this.weir.get<{ name: string; current_total: number }[]>(`/v1/usage/hosts?${seconds}`)
    const bytes = await this.weir.get<{ results: { name: string; total_bytes: number }[] }>(
      `/v2/usage/hosts?${days}`,
    )
    const bytesOf = new Map(bytes.results.map(({ name, total_bytes }) => [name, total_bytes]))
    return new Map(
      lines.map(({ name, current_total }) => [name, { lines: current_total, bytes: bytesOf.get(name) ?? 0 }]),
    )
  }

  async metrics(): Promise<string> {
    return (await this.#fetch('/metrics')).text()
  }

  /** Ends the program, however it is, and, unless it is to be looked into, removes its folder. */
  async close({ keepsFolder }: { readonly keepsFolder: boolean }): Promise<void> {
    await this.weir.end('SIGKILL')
    this.shipper.close()
    if (!keepsFolder) await this.weir.dispose()
  }

  async #isStored({ host, ...name }: SentRequest): Promise<boolean> {
    const text = `${requestName(name)}/0`
    const [fromMs, toMs] = [Date.now() - RECENT_MS, Date.now() + RECENT_MS]
    const search = new URLSearchParams({
      from: String(fromMs),
      to: String(toMs),
      hosts: host,
      query: `"${text}"`,
      size: '1',
    })
    const { accessToken } = this.weir.credentials
    const answer = await this.#fetch(`/v2/export?${search}`, { authorization: `Token ${accessToken}` })
    return answer.ok && ((await answer.json()) as { lines: unknown[] }).lines.length > 0
  }

  #fetch(path: string, headers: Record<string, string> = {}): Promise<Response> {
    const signal = AbortSignal.timeout(ANSWER_WITHIN_MS)
    return fetch(`${this.weir.credentials.apiUrl}${path}`, { headers, signal })
  }
}

/** Polls a condition. @returns false when it is not fulfilled before that time, monotonic */
async function reached(condition: () => Promise<boolean>, untilMs: number): Promise<boolean> {
  while (!(await condition().catch(() => false))) {
    if (performance.now() > untilMs) return false
    await delay(POLL_MS)
  }
  return true
}

function storedRowOf(line: ExportedLine): StoredRow {
  return {
    ...positionOf(line._id),
    host: line._host,
    app: line._app,
    level: String(line.level),
    text: line._line,
    meta: line._meta === undefined ? '' : JSON.stringify(line._meta),
    sizeBytes: line._mezmo_line_size,
  }
}
