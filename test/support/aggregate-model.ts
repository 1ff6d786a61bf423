import type { JsonObject, JsonValue } from '../../schemas/json.ts'

/** An event as the model of aggregates sees it. */
export interface ModelEvent {
  readonly group: string
  readonly message: JsonObject
  readonly metadata: JsonObject
  /** Its own time, epoch ms; undefined: it has none. */
  readonly timeMs: number | undefined
}

export interface ModelRules {
  readonly type: 'tumbling' | 'sliding'
  readonly intervalMs: number
  readonly distanceMs: number
  readonly operation: string
  /** Condition on `.value.value`: `by` says what is compared with the operand. */
  readonly condition: { readonly by: 'value' | 'change' | 'percent'; readonly above: number } | undefined
  readonly maxGroups: number
  readonly maxGroupWindows: number
}

/** A window that leaves. */
export interface ModelResult {
  readonly message: JsonValue
  readonly metadata: JsonObject
  readonly timestampMs: number
}

/** Effect of an event: number of windows that it opened and joined, or the code of its failure. */
export interface ModelOutcome {
  readonly opened: number
  readonly joined: number
  readonly failed: string | undefined
  readonly reported: string[]
  readonly emitted: ModelResult[]
}

interface ModelWindow {
  readonly group: string
  readonly start: number
  readonly end: number
  readonly order: number
  readonly events: ModelEvent[]
}

type Metric = { kind: string; value: { type: string; value: JsonValue } } & JsonObject
interface Fields {
  readonly values?: string[]
  readonly samples?: JsonObject[]
  readonly quantiles?: JsonObject[]
  readonly buckets?: JsonObject[]
}

/**
 * Aggregates by brute force: each window is a list of events, which is combined from its beginning whenever its result is needed.
 * Rules: components, section 5.1.
 */
export class AggregateModel {
  readonly #rules: ModelRules
  #windows: ModelWindow[] = []
  /** Log time of the last event of each group. */
  readonly #lastMs = new Map<string, number>()
  /** `.value.value` of the last window of each group that left. */
  readonly #retained = new Map<string, JsonValue>()
  #opened = 0

  constructor(rules: ModelRules) {
    this.#rules = rules
  }

  get open(): number {
    return this.#windows.length
  }

  /** Emits windows that are due; a window that was opened after its end is due at once. */
  emitDue(untilMs: number, nowMs: number): ModelResult[] {
    return this.#emit(
      this.#windows.filter(({ end }) => end <= untilMs),
      nowMs,
    )
  }

  take(event: ModelEvent, nowMs: number): ModelOutcome {
    this.#forget(nowMs)
    const failure = (failed: string): ModelOutcome => ({
      opened: 0,
      joined: 0,
      failed,
      reported: [],
      emitted: [],
    })
    if (!this.#isTaken(event)) return failure('E_METRIC_BAD_TYPE')
    const own = this.#windows.filter(({ group }) => group === event.group)
    const isKnown = own.length > 0 || this.#retained.has(event.group)
    if (!isKnown && this.#groups().size >= this.#rules.maxGroups) return failure('E_CARDINALITY_LIMIT')
    const time =
      event.timeMs === undefined || event.timeMs > nowMs + this.#rules.intervalMs ? nowMs : event.timeMs
    const { joins, span } = this.#choose(own, time)
    const fitting = joins.filter(window => this.#fits(window, event))
    const misfits = joins.length > fitting.length
    if (fitting.length === 0 && span === undefined) return failure('E_METRIC_BAD_TYPE')
    for (const window of fitting) window.events.push(event)
    const touched = [...fitting]
    if (span !== undefined) {
      const opened = { ...span, group: event.group, order: this.#opened++, events: [event] }
      this.#windows.push(opened)
      touched.push(opened)
    }
    this.#lastMs.set(event.group, nowMs)
    const leaving = touched.filter(window => this.#meets(window))
    const staying = this.#windows.filter(window => window.group === event.group && !leaving.includes(window))
    staying.sort((one, other) => one.start - other.start)
    const surplus = staying.slice(0, Math.max(0, staying.length - this.#rules.maxGroupWindows))
    return {
      opened: span === undefined ? 0 : 1,
      joined: fitting.length,
      failed: undefined,
      reported: misfits ? ['E_METRIC_BAD_TYPE'] : [],
      emitted: this.#emit([...leaving, ...surplus], nowMs),
    }
  }

  #groups(): Set<string> {
    return new Set([...this.#windows.map(({ group }) => group), ...this.#retained.keys()])
  }

  #forget(nowMs: number): void {
    for (const group of this.#retained.keys()) {
      const isSilent = nowMs - (this.#lastMs.get(group) as number) >= 2 * this.#rules.intervalMs
      if (isSilent) this.#retained.delete(group)
    }
  }

  #choose(own: ModelWindow[], time: number): { joins: ModelWindow[]; span?: { start: number; end: number } } {
    const { type, intervalMs, distanceMs } = this.#rules
    const starts = own.map(({ start }) => start)
    if (own.length > 0 && time < Math.min(...starts)) {
      const first = Math.min(...starts)
      return { joins: own.filter(({ start }) => start === first).slice(0, 1) }
    }
    const joins = own.filter(({ start, end }) => start <= time && time < end)
    if (type === 'tumbling') {
      const start = time - (((time % intervalMs) + intervalMs) % intervalMs)
      return joins.length > 0 ? { joins } : { joins: [], span: { start, end: start + intervalMs } }
    }
    const opens = joins.length === 0 || time - Math.max(...starts) >= distanceMs
    return opens ? { joins, span: { start: time, end: time + intervalMs } } : { joins }
  }

  #isTaken({ message }: ModelEvent): boolean {
    const { operation } = this.#rules
    const type = classOf(message)
    if (type === undefined) return false
    if (operation === 'DEFAULT') return true
    if (operation === 'SET_INTERSECTION') return type === 'set'
    if (operation === 'DIST_CONCAT') return type === 'distribution'
    return type === 'counter' || type === 'gauge'
  }

  #fits(window: ModelWindow, event: ModelEvent): boolean {
    const [first] = window.events as [ModelEvent]
    const type = classOf(first.message)
    if (type !== classOf(event.message)) return false
    const isNumber = type === 'counter' || type === 'gauge'
    if (isNumber && this.#rules.operation === 'DEFAULT') return first.message.kind === event.message.kind
    if (type !== 'histogram') return true
    const limits = ({ message }: ModelEvent) =>
      JSON.stringify((valueIn(message) as Fields).buckets?.map(bucket => bucket.upper_limit))
    return limits(first) === limits(event)
  }

  #meets(window: ModelWindow): boolean {
    const { condition } = this.#rules
    const value = this.#combined(window)
    if (condition === undefined || typeof value !== 'number') return false
    if (condition.by === 'value') return value > condition.above
    const before = this.#retained.get(window.group)
    if (typeof before !== 'number') return false
    if (condition.by === 'change') return value - before > condition.above
    if (before === 0) return (value === 0 ? 0 : value * Number.POSITIVE_INFINITY) > condition.above
    return ((value - before) / Math.abs(before)) * 100 > condition.above
  }

  #emit(windows: readonly ModelWindow[], nowMs: number): ModelResult[] {
    const leaving = [...windows].sort((one, other) => one.end - other.end || one.order - other.order)
    const { condition } = this.#rules
    for (const window of leaving)
      if (condition !== undefined && condition.by !== 'value')
        this.#retained.set(window.group, this.#combined(window))
    this.#windows = this.#windows.filter(window => !leaving.includes(window))
    return leaving.map(window => this.#resultOf(window, nowMs))
  }

  #resultOf(window: ModelWindow, nowMs: number): ModelResult {
    const [first] = window.events as [ModelEvent]
    const value = { ...(first.message as Metric).value, value: this.#combined(window) }
    let metadata: JsonObject = {}
    for (const event of window.events) metadata = { ...event.metadata, ...metadata }
    return {
      message: { ...first.message, value },
      metadata: {
        ...metadata,
        aggregate: {
          start_timestamp: window.start,
          end_timestamp: window.end,
          event_count: window.events.length,
          flush_timestamp: nowMs,
        },
      },
      timestampMs: nowMs,
    }
  }

  #combined({ events }: ModelWindow): JsonValue {
    const values = events.map(({ message }) => valueIn(message))
    const type = classOf(events[0]?.message as JsonObject)
    const numbers = values as number[]
    const total = () => numbers.reduce((sum, each) => sum + each, 0)
    const [first] = values as [Fields & JsonObject]
    switch (this.#rules.operation) {
      case 'SUM':
        return total()
      case 'MIN':
        return Math.min(...numbers)
      case 'MAX':
        return Math.max(...numbers)
      case 'AVG':
        return total() / numbers.length
      case 'SET_INTERSECTION': {
        const sets = values as Fields[]
        return {
          ...first,
          values: first.values?.filter(each =>
            sets.every(({ values: in_ }) => in_?.includes(each)),
          ) as string[],
        }
      }
    }
    const fields = values as Fields[]
    const sums = (keys: readonly string[]) =>
      Object.fromEntries(keys.map(key => [key, numbersAt(values, key).reduce((sum, each) => sum + each, 0)]))
    switch (type) {
      case 'set':
        return values.length === 1
          ? first
          : { ...first, values: [...new Set(fields.flatMap(each => each.values ?? []))] }
      case 'distribution':
        return { ...first, samples: fields.flatMap(each => each.samples ?? []) }
      case 'summary':
        return {
          ...first,
          ...sums(['count', 'sum']),
          quantiles: fields.at(-1)?.quantiles as JsonObject[],
        }
      case 'histogram': {
        const buckets = first.buckets?.map((bucket, index) => ({
          ...bucket,
          count: fields.reduce((sum, each) => sum + Number(each.buckets?.[index]?.count), 0),
        }))
        return { ...first, ...sums(['count', 'sum']), buckets: buckets as JsonObject[] }
      }
      default:
        return events[0]?.message.kind === 'absolute' ? (numbers.at(-1) as number) : total()
    }
  }
}

function valueIn(message: JsonObject): JsonValue {
  return (message as Metric).value.value
}

/** The class of a metric; undefined: it is not one. */
function classOf(message: JsonObject): string | undefined {
  const type = (message as Partial<Metric>).value?.type
  return type === 'sum' ? 'counter' : type
}

function numbersAt(values: readonly JsonValue[], key: string): number[] {
  return values.map(value => Number((value as JsonObject)[key]))
}
