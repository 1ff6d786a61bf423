import type { JsonValue } from '../../schemas/json.ts'
import {
  type Condition,
  type ConditionCode,
  changeFields,
  compileCondition,
  type Predicate,
} from '../conditions/condition.ts'
import type { Report } from '../event/errors.ts'
import type { Event } from '../event/event.ts'
import { type Field, fieldAt } from '../event/field-path.ts'
import { releasedEvents } from '../event/held-event.ts'
import { isMetric, unfitDetail } from '../event/metric.ts'
import { Failed, fail } from '../event/outcome.ts'
import { SUSPENDED } from '../expressions/cost-meter.ts'
import type { CostMeter } from '../nodes/contract/define-processor.ts'
import { ENTRY_UNITS, UNCOUNTED_ENTRIES } from '../nodes/contract/option-work.ts'
import { valuesKey } from '../nodes/contract/values-key.ts'
import { SECOND_MS } from '../times/duration.ts'
import { type AggregateWindow, byEnd, detachedEvent, numberOf, surplusOf } from './aggregate-window.ts'
import { type Aggregated, type Emission, MERGED_ONCE } from './aggregated.ts'
import { eventTime } from './event-time.ts'
import { NO_GROUP, type Retained } from './group-table.ts'
import { formOf, type MetricForm, MISFIT, type Operation, OTHER_CLASS, SCRIPT_FORM } from './metric-form.ts'
import { newWindow } from './new-window.ts'
import type { OpenAggregates } from './open-aggregates.ts'
import { type WindowOptions, windowChoice } from './window-choice.ts'
import type { NewWindow } from './window-columns.ts'

/** Fields that make a group by default: those that identify a metric. */
export const METRIC_FIELDS: readonly string[] = ['.name', '.namespace', '.tags']
const OWN_TIME = 'timestamp'
/** Retained numbers are forgotten after so many lengths of a window without an event. */
const SILENT_LENGTHS = 2
/** Units of judging a condition on one window. */
const CONDITION_UNITS = 128
/** Binary logarithm of the bytes of an event that are merged per unit: 8. */
const MERGED_AT_ONCE_BITS = 3
const NONE_MET: Met = { windows: new Set(), isFirst: false }
/** Number of ending windows whose first events are read together. */
const READ_TOGETHER = 64

export interface AggregationOptions {
  readonly window: WindowOptions
  readonly operation: Operation
  readonly group_by?: readonly string[]
  readonly conditional?: Condition
  readonly event_timestamp?: string
}

export type AggregationCode = 'E_METRIC_BAD_TYPE' | 'E_CARDINALITY_LIMIT' | 'E_SCRIPT_FAILED'

/** Merges an event by a script. @returns the next value of the window; null: it stays */
export type MergeScript = (
  accumulated: JsonValue,
  event: Event,
  nowMs: number,
) => JsonValue | Failed<'E_SCRIPT_FAILED'>

interface Surroundings {
  readonly report: Report<AggregationCode | ConditionCode>
  readonly meter: CostMeter
  /** Present for the operation `CUSTOM`. */
  readonly script?: MergeScript | undefined
}

/** A merge that is prepared: nothing changes before everything is judged. */
interface Merge {
  readonly window: AggregateWindow
  readonly prepared: unknown
}

interface Prepared {
  readonly merges: readonly Merge[]
  /** The first failure, if the event does not fit into every window. */
  readonly failure: Failed<AggregationCode> | undefined
}

/** Windows whose condition holds. */
interface Met {
  /** Numbers of open windows. */
  readonly windows: ReadonlySet<number>
  /** Whether the condition holds on the window that the event opens. */
  readonly isFirst: boolean
}

/** An event after its judgement. */
interface Judged {
  readonly event: Event
  readonly key: string
  /** Its group; `NO_GROUP`: the event opens the first window of its group. */
  readonly group: number
  readonly merges: readonly Merge[]
  readonly first: NewWindow | undefined
  readonly met: Met
}

/** The rules by which events are aggregated: components, section 5.1. The windows are elsewhere. */
export class Aggregation {
  readonly #meter: CostMeter
  readonly #report: Surroundings['report']
  readonly #script: MergeScript | undefined
  readonly #formOf: (message: JsonValue) => MetricForm | undefined
  readonly #groupOf: (event: Event) => string
  readonly #timeOf: (event: Event, nowMs: number) => number
  readonly #choose: ReturnType<typeof windowChoice>
  readonly #meets: Predicate | undefined
  readonly #changeFields: readonly Field[]
  /** Time without events after which a group is forgotten. */
  readonly #silentMs: number
  readonly #unitsPerWindow: number
  /** Numbers that change operators compare with at present. */
  #before: Retained | undefined
  /** Merges by a script for an event whose judgement was suspended: the script must not run twice. */
  #suspended: { readonly event: Event; readonly prepared: Prepared } | undefined

  constructor(options: AggregationOptions, { report, meter, script }: Surroundings) {
    const { window, operation, conditional, group_by: groupBy = METRIC_FIELDS } = options
    const lengthMs = window.interval * SECOND_MS
    this.#report = report
    this.#meter = meter
    this.#script = script
    this.#formOf = script === undefined ? formOf(operation) : () => SCRIPT_FORM
    this.#groupOf = valuesKey(groupBy, meter)
    this.#timeOf = eventTime(options.event_timestamp ?? OWN_TIME, lengthMs)
    this.#choose = windowChoice(window)
    this.#silentMs = SILENT_LENGTHS * lengthMs
    this.#meets =
      conditional && compileCondition(conditional, report, meter, field => this.#before?.get(field))
    this.#changeFields = conditional === undefined ? [] : changeFields(conditional).map(fieldAt)
    this.#unitsPerWindow = ENTRY_UNITS + (conditional === undefined ? 0 : CONDITION_UNITS)
  }

  /**
   * Merges an event into the windows of its group that contain its time, or opens one.
   *
   * @throws BEYOND_BUDGET, SUSPENDED from its meter; nothing has changed then
   */
  add(windows: OpenAggregates, event: Event, nowMs: number): Aggregated | Failed<AggregationCode> {
    const form = this.#formOf(event.message)
    if (form === undefined)
      return fail('E_METRIC_BAD_TYPE', isMetric(event.message) ? OTHER_CLASS : unfitDetail(event.message))
    const key = this.#groupOf(event)
    const group = windows.find(key)
    if (group === NO_GROUP && windows.groups >= windows.bounds.maxGroups) return fail('E_CARDINALITY_LIMIT')
    const { open, opened } = this.#choose(windows.windowsOf(group), this.#timeOf(event, nowMs))
    if (open.length > UNCOUNTED_ENTRIES)
      this.#meter.work(open.length * (this.#unitsPerWindow + (event.bytes >> MERGED_AT_ONCE_BITS)))
    const prepared = this.#prepared(open, event, form, nowMs)
    const { merges, failure } = prepared
    if (failure !== undefined) {
      if (merges.length === 0 && opened === undefined) return failure
      this.#report(failure.code, failure.detail)
    }
    try {
      if (this.#meets !== undefined) this.#before = windows.retainedOf(group, nowMs, this.#silentMs)
      const met = this.#metBy(merges, opened && event)
      const first = opened && newWindow(opened, form, event)
      return this.#commit(windows, { event, key, group, merges, first, met }, nowMs)
    } catch (error) {
      if (error === SUSPENDED && this.#script !== undefined) this.#suspended = { event, prepared }
      throw error
    }
  }

  /** Prepares the merges into the open windows that the event fits into. */
  #prepared(open: readonly AggregateWindow[], event: Event, form: MetricForm, nowMs: number): Prepared {
    const suspended = this.#suspended
    this.#suspended = undefined
    if (suspended?.event === event) return suspended.prepared
    const merges: Merge[] = []
    let failure: Failed<AggregationCode> | undefined
    for (const window of open) {
      const prepared = this.#preparedFor(window, event, form, nowMs)
      if (prepared instanceof Failed) failure ??= prepared
      else merges.push({ window, prepared })
    }
    return { merges, failure }
  }

  #preparedFor(window: AggregateWindow, event: Event, form: MetricForm, nowMs: number): unknown {
    if (this.#script !== undefined) return this.#script(window.value, event, nowMs) ?? window.value
    const fits = window.form === form
    const prepared = fits ? window.prepare(numberOf(event.message), this.#meter.keepsRepeats) : undefined
    return prepared ?? fail('E_METRIC_BAD_TYPE', MISFIT)
  }

  /** Windows whose condition holds after the event. @param first the event, if it opens a window */
  #metBy(merges: readonly Merge[], first: Event | undefined): Met {
    const meets = this.#meets
    if (meets === undefined) return NONE_MET
    const windows = new Set<number>()
    for (const { window, prepared } of merges) if (meets(window.shown(prepared))) windows.add(window.number)
    return { windows, isFirst: first !== undefined && meets(detachedEvent(first)) }
  }

  #commit(windows: OpenAggregates, judged: Judged, nowMs: number): Aggregated {
    const { event, merges, first, met } = judged
    const { maxWindowBytes, maxBytes } = windows.bounds
    let grownBytes = 0
    let isOneTooLarge = false
    for (const { window, prepared } of merges) {
      grownBytes += window.merge(event, prepared)
      if (window.bytes > maxWindowBytes) isOneTooLarge = true
    }
    const opened = first && windows.open(judged.key, first, nowMs)
    const group = opened === undefined ? judged.group : windows.groupOf(opened)
    windows.note(group, grownBytes, nowMs)
    // Nearly all events end nothing.
    if (opened === undefined && !isOneTooLarge && met.windows.size === 0 && windows.bytes <= maxBytes)
      return merges.length === 1 ? MERGED_ONCE : { ...MERGED_ONCE, merged: merges.length }
    const touched = merges.map(({ window }) => window)
    if (opened !== undefined) touched.push(opened)
    const isMet = (window: AggregateWindow) =>
      window === opened ? met.isFirst : met.windows.has(window.number)
    return {
      isFirst: opened !== undefined,
      merged: merges.length,
      ...this.#ended(windows, windows.windowsOf(group), touched, isMet, nowMs),
    }
  }

  /** Ends windows early. @param touched windows that took the present event, of those of their group */
  #ended(
    windows: OpenAggregates,
    ofGroup: readonly AggregateWindow[],
    touched: readonly AggregateWindow[],
    isMet: (window: AggregateWindow) => boolean,
    nowMs: number,
  ): Pick<Aggregated, 'emitted' | 'own'> {
    const { maxGroupWindows, maxWindowBytes, maxBytes } = windows.bounds
    const causes = new Map<AggregateWindow, Emission['cause']>()
    for (const window of touched)
      if (isMet(window)) causes.set(window, 'condition')
      else if (window.bytes > maxWindowBytes) causes.set(window, 'bound')
    for (const window of surplusOf(ofGroup, [...causes.keys()], maxGroupWindows)) causes.set(window, 'bound')
    const emitted: Emission[] = []
    let own: Event | undefined
    const numbers = touched.map(({ number }) => number)
    const end = (window: AggregateWindow, cause: Emission['cause']) => {
      const emission = this.#end(windows, window, { event: window.emitted(nowMs), cause })
      emitted.push(emission)
      if (numbers.includes(window.number)) own ??= emission.event
    }
    for (const [window, cause] of [...causes].sort(([one], [other]) => byEnd(one, other))) end(window, cause)
    while (windows.bytes > maxBytes) end(windows.oldest, 'bound')
    return { emitted, own }
  }

  /** Emits the windows that are due at a time, each when it is asked for. @param nowMs log time, UNIX ms */
  *emitDue(windows: OpenAggregates, untilMs: number, nowMs: number): Iterable<Emission> {
    const due = windows.dueBy(untilMs)
    for (let from = 0; from < due.length; from += READ_TOGETHER) {
      const together = due.slice(from, from + READ_TOGETHER)
      const firsts = releasedEvents(together.map(({ first }) => first))
      for (const [index, window] of together.entries())
        yield this.#end(windows, window, { event: window.emitted(nowMs, firsts[index]), cause: 'end' })
    }
  }

  /** Closes a window. */
  #end(
    windows: OpenAggregates,
    window: AggregateWindow,
    result: Pick<Emission, 'event' | 'cause'>,
  ): Emission {
    const group = windows.keyOf(windows.groupOf(window))
    const { startMs, merged } = window
    windows.close(window, this.#retainedOf(window), this.#silentMs)
    return { group, startMs, merged, ...result }
  }

  /** Numbers of a window that change operators compare with later. */
  #retainedOf(window: AggregateWindow): Retained | undefined {
    if (this.#changeFields.length === 0) return undefined
    const shown = window.shown()
    const numbers = new Map<string, number>()
    for (const field of this.#changeFields) {
      const value = field.read(shown)
      if (typeof value === 'number' || typeof value === 'bigint') numbers.set(field.text, Number(value))
    }
    return numbers
  }
}
