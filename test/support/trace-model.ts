/** A span as the model of trace sampling sees it. */
export interface ModelSpan {
  readonly trace: string
  /** Number of the span, which distinguishes it from all others. */
  readonly n: number
  /** Whether it has no parent. */
  readonly isRoot: boolean
  /** Indexes of the rules whose condition it meets. */
  readonly meets: readonly number[]
  /** Its size in memory while it is held, in bytes. */
  readonly bytes: number
}

export interface ModelOptions {
  readonly type: 'head' | 'tail'
  /** Rates of the rules; head sampling has one. */
  readonly rates: readonly number[]
  readonly maxTraces: number
  readonly maxHeldSpans: number
  readonly maxHeldBytes: number
}

/** Numbers of the spans that leave, are left out or are the first of a trace that time ended, in order. */
export interface ModelStep {
  readonly fate: 'passed' | 'dropped' | 'held'
  readonly endedByTime: number[]
  readonly errors: number[]
  readonly released: number[]
  readonly leftOut: number[]
}

interface ModelTrace {
  readonly id: string
  kept: boolean | undefined
  readonly firstMs: number
  /** Log time of the decision, and of the last span of a decided trace. */
  decidedMs: number
  lastMs: number
  spans: ModelSpan[]
}

const MINUTE_MS = 60_000

/** Trace sampling by brute force: a list of traces that is searched as a whole for each span. Rules: components, section 5.24. */
export class TraceModel {
  readonly #options: ModelOptions
  readonly #counts: number[]
  #traces: ModelTrace[] = []

  constructor(options: ModelOptions) {
    this.#options = options
    this.#counts = options.rates.map(() => 0)
  }

  get held(): number {
    return this.#waiting().flatMap(({ spans }) => spans).length
  }

  /** Log times must rise from span to span. */
  take(span: ModelSpan, nowMs: number): ModelStep {
    const ended = this.endWaiting(nowMs)
    const isOver =
      this.#options.type === 'head'
        ? ({ lastMs }: ModelTrace) => nowMs - lastMs >= 15 * MINUTE_MS
        : ({ decidedMs }: ModelTrace) => nowMs - decidedMs >= 5 * MINUTE_MS
    this.#traces = this.#traces.filter(trace => trace.kept === undefined || !isOver(trace))
    const judged = this.#judge(span, nowMs)
    return { ...judged, ...ended }
  }

  /** Ends the wait of traces that began five minutes ago or earlier. */
  endWaiting(nowMs: number): { readonly endedByTime: number[]; readonly errors: number[] } {
    const due = this.#waiting().filter(({ firstMs }) => firstMs + 5 * MINUTE_MS <= nowMs)
    this.#traces = this.#traces.filter(trace => !due.includes(trace))
    return {
      endedByTime: due.flatMap(({ spans }) => spans.map(({ n }) => n)),
      errors: due.map(({ spans }) => spans[0]?.n as number),
    }
  }

  #waiting(): ModelTrace[] {
    return this.#traces
      .filter(({ kept }) => kept === undefined)
      .sort((one, other) => one.firstMs - other.firstMs)
  }

  #judge(span: ModelSpan, nowMs: number): Omit<ModelStep, 'endedByTime' | 'errors'> {
    const known = this.#traces.find(({ id }) => id === span.trace)
    if (known?.kept !== undefined) {
      known.lastMs = nowMs
      return { fate: known.kept ? 'passed' : 'dropped', released: [], leftOut: [] }
    }
    const times = { firstMs: nowMs, decidedMs: nowMs, lastMs: nowMs }
    const trace = known ?? { id: span.trace, kept: undefined, ...times, spans: [] }
    if (known === undefined) this.#traces.push(trace)
    if (this.#options.type === 'tail' && !span.isRoot) {
      trace.spans.push(span)
      const dropped = this.#dropBeyondBounds(trace, nowMs)
      const others = dropped.filter(n => n !== span.n)
      return { fate: dropped.includes(span.n) ? 'dropped' : 'held', released: [], leftOut: others }
    }
    trace.kept = this.#isChosen(span)
    trace.decidedMs = nowMs
    trace.lastMs = nowMs
    const waited = trace.spans.map(({ n }) => n)
    trace.spans = []
    const others = this.#dropBeyondBounds(trace, nowMs)
    if (trace.kept) return { fate: 'passed', released: waited, leftOut: others }
    return { fate: 'dropped', released: [], leftOut: [...waited, ...others] }
  }

  #isChosen(span: ModelSpan): boolean {
    const rule = this.#options.type === 'head' ? 0 : Math.min(...span.meets)
    if (!Number.isFinite(rule)) return false
    const count = this.#counts[rule] as number
    this.#counts[rule] = count + 1
    return count % (this.#options.rates[rule] as number) === 0
  }

  /** @returns numbers of the spans that were dropped */
  #dropBeyondBounds(trace: ModelTrace, nowMs: number): number[] {
    const { maxTraces, maxHeldSpans, maxHeldBytes } = this.#options
    const dropped: number[] = []
    const decide = (waiting: ModelTrace) => {
      dropped.push(...waiting.spans.map(({ n }) => n))
      waiting.spans = []
      waiting.kept = false
      waiting.decidedMs = nowMs
      waiting.lastMs = nowMs
    }
    if (trace.spans.length > maxHeldSpans) decide(trace)
    const bytes = () =>
      this.#waiting()
        .flatMap(({ spans }) => spans)
        .reduce((sum, span) => sum + span.bytes, 0)
    while (bytes() > maxHeldBytes) decide(this.#waiting()[0] as ModelTrace)
    while (this.#traces.length > maxTraces) {
      const endOf = ({ decidedMs, lastMs }: ModelTrace) =>
        this.#options.type === 'head' ? lastMs : decidedMs
      const oldest = this.#waiting()[0] ?? [...this.#traces].sort((a, b) => endOf(a) - endOf(b))[0]
      dropped.push(...(oldest?.spans ?? []).map(({ n }) => n))
      this.#traces = this.#traces.filter(each => each !== oldest)
    }
    return dropped
  }
}
