import type { JsonObject, JsonValue } from '../../schemas/json.ts'
import type { ErrorDetail } from '../event/errors.ts'
import { isMetric } from '../event/metric.ts'
import { type Combination, type CombinationName, combinationNamed } from './combination.ts'

/** Operation of an aggregate, as its options name it. */
export type Operation =
  | 'DEFAULT'
  | 'SUM'
  | 'MIN'
  | 'MAX'
  | 'AVG'
  | 'SET_INTERSECTION'
  | 'DIST_CONCAT'
  | 'CUSTOM'

/**
 * Class of metrics that can be combined with each other, and the way to combine them. Windows merge only events of their own form:
 * two forms are equal if they are the same object.
 */
export interface MetricForm {
  /** Name in snapshots. */
  readonly name: string
  /** Number in memory, at most 255. */
  readonly number: number
  readonly combination: Combination
}

/** Detail of the failure of a metric that the operation cannot combine. */
export const OTHER_CLASS: ErrorDetail = {
  field: '.value.type',
  found: 'string',
  cause: 'the operation does not take metrics of this class',
}
/** Detail of the failure of a metric that does not fit into a window of its group. */
export const MISFIT: ErrorDetail = {
  field: '.value',
  found: 'object',
  cause: 'the metric does not fit the window, whose first event has another class or kind, or other buckets',
}

const FORMS = new Map<string, MetricForm>()
const NUMBERED: MetricForm[] = []

function form(combination: CombinationName, metricClass: string): MetricForm {
  const name = `${combination} ${metricClass}`
  let known = FORMS.get(name)
  if (known === undefined) {
    known = { name, number: NUMBERED.length, combination: combinationNamed(combination) }
    FORMS.set(name, known)
    NUMBERED.push(known)
  }
  return known
}

/** Form of the events that a script merges. */
export const SCRIPT_FORM = form('script', '')

/** Classes whose value is a number. `sum` is handled like `counter`: components, section 2. */
const NUMERIC = { counter: 'counter', sum: 'counter', gauge: 'gauge' } as const
/** Combinations of numbers. By default they depend on the kind, and events of different kinds do not fit. */
const NUMERIC_COMBINATIONS: Readonly<Partial<Record<Operation, Readonly<Record<string, CombinationName>>>>> =
  {
    DEFAULT: { incremental: 'sum', absolute: 'last' },
    SUM: { incremental: 'sum', absolute: 'sum' },
    MIN: { incremental: 'min', absolute: 'min' },
    MAX: { incremental: 'max', absolute: 'max' },
    AVG: { incremental: 'mean', absolute: 'mean' },
  }
/** Combinations of the other classes, under either kind. */
const OTHER_COMBINATIONS: Readonly<Partial<Record<Operation, Readonly<Record<string, CombinationName>>>>> = {
  DEFAULT: { set: 'union', histogram: 'histogram', distribution: 'samples', summary: 'summary' },
  SET_INTERSECTION: { set: 'intersection' },
  DIST_CONCAT: { distribution: 'samples' },
}

type FormsOfKinds = Readonly<Record<string, MetricForm>>

/** Forms by class and kind of metrics under an operation. */
function formsUnder(operation: Operation): ReadonlyMap<string, FormsOfKinds> {
  const forms = new Map<string, FormsOfKinds>()
  const kinds = NUMERIC_COMBINATIONS[operation]
  if (kinds !== undefined)
    for (const [type, metricClass] of Object.entries(NUMERIC))
      forms.set(
        type,
        Object.fromEntries(Object.entries(kinds).map(([kind, name]) => [kind, form(name, metricClass)])),
      )
  for (const [type, name] of Object.entries(OTHER_COMBINATIONS[operation] ?? {}))
    forms.set(type, { incremental: form(name, type), absolute: form(name, type) })
  return forms
}

const OPERATIONS: readonly Operation[] = [
  'DEFAULT',
  'SUM',
  'MIN',
  'MAX',
  'AVG',
  'SET_INTERSECTION',
  'DIST_CONCAT',
]
const FORMS_OF_OPERATIONS = new Map(OPERATIONS.map(operation => [operation, formsUnder(operation)]))

/** Prepares the form of a message under an operation; undefined: it is not a metric, or not of a class that the operation takes. */
export function formOf(operation: Operation): (message: JsonValue) => MetricForm | undefined {
  const forms = FORMS_OF_OPERATIONS.get(operation)
  return message => {
    if (!isMetric(message)) return undefined
    const { kind, value } = message as { kind: string; value: JsonObject }
    return forms?.get(value.type as string)?.[kind]
  }
}

/** @throws RangeError for an unknown name */
export function formNamed(name: string): MetricForm {
  const known = FORMS.get(name)
  if (known === undefined) throw new RangeError(`a window of an unknown form: ${name}`)
  return known
}

/** @param number of a form of this program */
export function formNumbered(number: number): MetricForm {
  return NUMBERED[number] as MetricForm
}
