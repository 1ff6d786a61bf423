import { suggestion } from '../../engine/nearest-word.ts'
import { DAY_MS, SECOND_MS } from '../../engine/times/duration.ts'
import { readPointInTime } from '../../engine/times/point-in-time.ts'
import { numberToMs } from '../../engine/times/sent-time.ts'
import { badRequest, type ValidationDetail } from './errors.ts'

/** Largest whole number of a parameter: the largest that a double counts exactly. */
const MAX_INTEGER = Number.MAX_SAFE_INTEGER
/** Fewer digits are seconds: ingestion, section 1.4. */
const MAX_DIGITS_OF_SECONDS = 11
const LAST_MS_OF_SECOND = 999
const NUMBER = /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i

/**
 * The query parameters of a search or usage request. Every reader collects errors and continues, so that an answer lists
 * all findings (configuration and account API, section 3). `check` then refuses the request.
 */
export class QueryParameters {
  readonly #values: Readonly<Record<string, string | string[] | undefined>>
  readonly #details: ValidationDetail[] = []

  constructor(query: unknown) {
    this.#values = query as Readonly<Record<string, string | string[] | undefined>>
  }

  has(name: string): boolean {
    return this.#values[name] !== undefined
  }

  /** Reports parameters with other names. */
  only(names: readonly string[]): void {
    for (const name of Object.keys(this.#values))
      if (!names.includes(name)) this.refuse(name, `is not allowed${suggestion(name, names)}`)
  }

  /** A whole number; undefined when absent. */
  integer(name: string, bounds: { readonly min?: number; readonly max?: number } = {}): number | undefined {
    const text = this.#number(name)
    if (text === undefined) return undefined
    const value = Number(text)
    const { min = -MAX_INTEGER, max = MAX_INTEGER } = bounds
    const problem = integerProblem(value, min, max)
    if (problem === undefined) return value
    this.refuse(name, problem)
    return undefined
  }

  /**
   * Whole seconds: a value that is not an integer "must be a number" (usage, section 8.1). Undefined when absent or
   * refused. A time in another form means the second in which it lies.
   *
   * @param edge millisecond of the day that a date means
   */
  requiredSeconds(name: string, nowMs: number, edge: 'start' | 'end'): number | undefined {
    if (!this.has(name)) this.refuse(name, 'is required')
    const writtenMs = this.#writtenTime(name, nowMs, edge)
    if (writtenMs !== undefined) return Math.floor(writtenMs / SECOND_MS)
    const text = this.#number(name)
    if (text === undefined) return undefined
    if (Number.isInteger(Number(text))) return this.integer(name)
    this.refuse(name, 'must be a number')
    return undefined
  }

  /**
   * A required time: a number whose magnitude determines its unit, or another form that `readPointInTime` reads, in UTC.
   *
   * @param end whether the last millisecond of the named unit is returned: a second or a date counts as a whole
   * @returns UNIX ms; undefined when refused. Times before 1970, which have no lines, give 0.
   */
  timeMs(name: string, end: 'first' | 'last', nowMs: number): number | undefined {
    if (!this.has(name)) this.refuse(name, 'is required')
    const writtenMs = this.#writtenTime(name, nowMs, end === 'first' ? 'start' : 'end')
    if (writtenMs !== undefined) return Math.max(0, writtenMs)
    const text = this.#number(name)
    if (text === undefined) return undefined
    if (!Number.isInteger(Number(text))) {
      this.refuse(name, 'must be an integer')
      return undefined
    }
    const ms = numberToMs(text) ?? 0
    const digits = /^0*(\d+)$/.exec(text)?.[1]
    const isSeconds = digits !== undefined && digits.length <= MAX_DIGITS_OF_SECONDS
    return end === 'last' && isSeconds ? ms + LAST_MS_OF_SECOND : ms
  }

  /** Value of a parameter; undefined when it is absent. */
  text(name: string): string | undefined {
    const value = this.#values[name]
    if (!Array.isArray(value)) return value
    this.refuse(name, 'must be a string')
    return undefined
  }

  /** Names separated by commas; empty ones are skipped. A repeated parameter adds to the list. */
  list(name: string): string[] {
    const value = this.#values[name] ?? ''
    const names = (Array.isArray(value) ? value.join(',') : value).split(',')
    return names.filter(entry => entry !== '')
  }

  oneOf<Value extends string>(name: string, values: readonly Value[], otherwise: Value): Value {
    const text = this.#values[name]
    if (text === undefined) return otherwise
    const value = values.find(candidate => candidate === text)
    if (value === undefined) this.refuse(name, `must be one of [${values.join(', ')}]`)
    return value ?? otherwise
  }

  /** Reports a first bound after the second. */
  inOrder(first: number | undefined, last: number | undefined): void {
    if (first !== undefined && last !== undefined && first > last)
      this.refuse('from', 'must be less than or equal to "to"')
  }

  /** Adds a finding. @param problem text after the quoted name */
  refuse(name: string, problem: string): void {
    this.refuseAs(name, `"${name}" ${problem}`)
  }

  /** Adds a finding with a complete message. */
  refuseAs(name: string, message: string): void {
    this.#details.push({ message, key: name })
  }

  /** @throws ApiError 400 with all findings */
  check(): void {
    if (this.#details.length > 0) throw badRequest(this.#details)
  }

  /** Whether a time is written in a form that refers to the time of the request, such as `-1h`. */
  isRelative(name: string): boolean {
    const at = (nowMs: number) => this.#writtenTime(name, nowMs, 'start')
    return at(0) !== at(DAY_MS)
  }

  /** A time that is not written as a number; undefined when absent or not readable. */
  #writtenTime(name: string, nowMs: number, edge: 'start' | 'end'): number | undefined {
    const value = this.#values[name]
    if (typeof value !== 'string' || NUMBER.test(value)) return undefined
    return readPointInTime(value, { nowMs, edge })
  }

  /** The text of a number, as it was sent; undefined when absent or refused. */
  #number(name: string): string | undefined {
    const value = this.#values[name]
    if (value === undefined) return undefined
    const isNumber = typeof value === 'string' && NUMBER.test(value)
    if (isNumber) return value
    this.refuse(name, 'must be a number')
    return undefined
  }
}

function integerProblem(value: number, min: number, max: number): string | undefined {
  if (!Number.isInteger(value)) return 'must be an integer'
  if (Math.abs(value) > MAX_INTEGER) return 'must be a safe number'
  if (value < min) return `must be greater than or equal to ${min}`
  return value > max ? `must be less than or equal to ${max}` : undefined
}
