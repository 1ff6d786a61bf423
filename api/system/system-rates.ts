import type { Registry } from '@prometheus-io/client'
import type { Clock } from '../../engine/clock/clock.ts'
import { SECOND_MS } from '../../engine/times/duration.ts'
import { KEPT_S, SAMPLE_S, type SystemRates } from '../../schemas/http/system-api.ts'

type Name = SystemRates['series'][number]['name']
/** Labels of a value of a metric. */
type Labels = Readonly<Record<string, string | number>>

interface Counted {
  readonly metric: string
  /** Absent: all values of the metric are added up. */
  readonly counts?: (labels: Labels) => boolean
}

const INGESTION = /^\/(logs\/(ingest|agent)|v1\/:routeId(\/\*)?)$/

/** Counters of each series: an absent metric means that this process does not do that work. */
const COUNTED: Readonly<Record<Name, readonly Counted[]>> = {
  lines: [{ metric: 'weir_ingest_lines_total' }],
  bytes: [{ metric: 'weir_ingest_bytes_total' }, { metric: 'weir_push_bytes_total' }],
  events: [{ metric: 'weir_push_events_total' }],
  stored_rows: [{ metric: 'weir_rows_stored_total' }],
  refused_lines: [{ metric: 'weir_ingest_refused_lines_total' }],
  refused_requests: [
    {
      metric: 'weir_http_requests_total',
      counts: ({ route, status }) => INGESTION.test(String(route)) && Number(status) >= 400,
    },
  ],
}
const NAMES = Object.keys(COUNTED) as Name[]

const SAMPLE_MS = SAMPLE_S * SECOND_MS
const MAX_SAMPLES = KEPT_S / SAMPLE_S

/** Growth of the counters between two samples. */
interface Sample {
  /** UNIX ms. */
  readonly atMs: number
  readonly tookMs: number
  /** Null: no counter exists. */
  readonly grown: ReadonlyMap<Name, number | null>
}

/** Rates of the last hour of a process, from samples of its counters. */
export class RecentRates {
  readonly #registry: Registry
  readonly #clock: Clock
  /** Oldest first. */
  readonly #samples: Sample[] = []
  #last: { readonly atMs: number; readonly values: ReadonlyMap<Name, number | null> } | undefined

  constructor(ports: { readonly registry: Registry; readonly clock: Clock }) {
    this.#registry = ports.registry
    this.#clock = ports.clock
  }

  /** Takes samples until the signal. */
  async follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.sample()
      await this.#clock.sleep(SAMPLE_MS, signal)
    }
  }

  async sample(): Promise<void> {
    const values = new Map<Name, number | null>()
    for (const name of NAMES) values.set(name, await this.#sumOf(COUNTED[name]))
    const atMs = this.#clock.wallMs()
    const last = this.#last
    this.#last = { atMs, values }
    // The clock of the machine may have been set back.
    if (last === undefined || atMs <= last.atMs) return
    const grown = NAMES.map(name => [name, growth(last.values.get(name), values.get(name))] as const)
    this.#samples.push({ atMs, tookMs: atMs - last.atMs, grown: new Map(grown) })
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift()
  }

  /** @param fromMs UNIX ms; the first interval begins at or before it */
  rates(fromMs: number, intervalMs: number): SystemRates {
    const toMs = this.#clock.wallMs()
    const earliestMs = Math.max(fromMs, toMs - KEPT_S * SECOND_MS)
    const firstMs = Math.floor(Math.min(earliestMs, toMs) / intervalMs) * intervalMs
    const starts: number[] = []
    for (let startMs = firstMs; startMs < toMs; startMs += intervalMs) starts.push(startMs)
    const within = starts.map(startMs =>
      this.#samples.filter(({ atMs }) => atMs > startMs && atMs <= startMs + intervalMs),
    )
    const [oldest] = this.#samples
    return {
      from: firstMs,
      to: toMs,
      interval_ms: intervalMs,
      starts,
      series: NAMES.map(name => ({ name, values: within.map(samples => rateOf(name, samples)) })),
      covered_from: oldest === undefined ? null : oldest.atMs - oldest.tookMs,
    }
  }

  async #sumOf(counters: readonly Counted[]): Promise<number | null> {
    let sum: number | null = null
    for (const { metric, counts = () => true } of counters) {
      const found = await this.#registry.getSingleMetric(metric)?.get()
      if (found === undefined) continue
      for (const { value, labels } of found.values) if (counts(labels as Labels)) sum = (sum ?? 0) + value
      sum ??= 0
    }
    return sum
  }
}

/** A worker that started again counts from 0. */
function growth(before: number | null | undefined, after: number | null | undefined): number | null {
  if (after == null) return null
  const from = before ?? 0
  return after < from ? after : after - from
}

/** Rate per second; null if nothing is known. */
function rateOf(name: Name, samples: readonly Sample[]): number | null {
  let [sum, tookMs] = [0, 0]
  for (const sample of samples) {
    const grown = sample.grown.get(name) ?? null
    if (grown === null) continue
    sum += grown
    tookMs += sample.tookMs
  }
  return tookMs === 0 ? null : (sum * SECOND_MS) / tookMs
}
