import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import { type CostMeter, UNMETERED } from '../expressions/cost-meter.ts'
import { READ_AT_ONCE_BITS, SoughtText } from '../expressions/sought-text.ts'
import { jsonText } from '../json/json-text.ts'
import { fieldPaths } from './field-paths.ts'
import { bigIntegerText, readNumber } from './number-text.ts'
import {
  type Comparison,
  type FieldTest,
  isCaseSensitive,
  isOrderOperator,
  type MatchOperator,
  type OrderOperator,
  type Query,
  type TextTerm,
} from './syntax-tree.ts'
import { textMatches, valueMatches } from './token-match.ts'
import { probe } from './token-pattern.ts'

/** Members of a record that a term does not search: query language, section 4.2. */
const UNSEARCHED = new Set([
  '_id',
  '_lid',
  '_account',
  '_mac',
  '_ip',
  '_ipremote',
  '_logtype',
  '_timestamp',
  '_truncated',
])
/** Objects whose members form the first level, in place of the objects themselves. */
const OWN_OBJECTS = new Set(['_meta', '_label', '_annotation', '_other'])
const NO_NAMES: ReadonlySet<string> = new Set()
/** Objects below the third level count as one value, their JSON text: ingestion, section 1.3. */
const MAX_FIELD_DEPTH = 3

/**
 * Whether a query matches a record (the stored line, section 2). A second, direct and slow implementation of the query language;
 * tests compare the store's statements with it.
 */
export function evaluate(query: Query, record: JsonObject): boolean {
  return matches(query, new SearchedRecord(record), UNMETERED)
}

/** Approximate cost in units of a term, or of a tested value, in addition to the text that is read. */
const TERM_UNITS = 32

/**
 * Like `evaluate`, for a record to which several queries are applied.
 *
 * @param meter counts the cost
 * @throws BEYOND_BUDGET from the meter
 */
export function matches(query: Query, record: SearchedRecord, meter: CostMeter): boolean {
  switch (query.kind) {
    case 'all':
      return true
    case 'and':
      return query.operands.every(operand => matches(operand, record, meter))
    case 'or':
      return query.operands.some(operand => matches(operand, record, meter))
    case 'not':
      return !matches(query.operand, record, meter)
    case 'text':
      return textTermMatches(query, record, meter)
    case 'field':
      return fieldMatches(query.test, record.field(query.name, meter), meter)
  }
}

function textTermMatches(term: TextTerm, record: SearchedRecord, meter: CostMeter): boolean {
  const { operator, text } = term
  return (
    record.mayHold(needlesOf(term)[0] as Needle, meter) &&
    record.texts().some(searched => textMatches(operator, text, searched, meter))
  )
}

function fieldMatches(test: FieldTest, field: Field, meter: CostMeter): boolean {
  switch (test.kind) {
    case 'and':
      return test.operands.every(operand => fieldMatches(operand, field, meter))
    case 'or':
      return test.operands.some(operand => fieldMatches(operand, field, meter))
    case 'not':
      return !fieldMatches(test.operand, field, meter)
    case 'present':
      return field.present
    case 'comparison':
      return test.texts.some((text, index) =>
        compares(test, needlesOf(test)[index] as Needle, { text, field, meter }),
      )
  }
}

/** Values of a record at one path; several when arrays are on the path. */
export interface Field {
  readonly present: boolean
  readonly texts: readonly string[]
  readonly numbers: readonly number[]
  /** Digits of integers that a double cannot represent; `numbers` contains their nearest doubles. */
  readonly bigIntegers: readonly string[]
}

const NO_VALUES = { texts: [], numbers: [], bigIntegers: [] }

/** Operand of a comparison with a field. */
interface Compared {
  readonly text: string
  readonly field: Field
  readonly meter: CostMeter
}

function compares({ operator }: Comparison, needle: Needle, { text, field, meter }: Compared): boolean {
  const { texts, numbers, bigIntegers } = field
  meter.spend(TERM_UNITS * (1 + texts.length + numbers.length + bigIntegers.length))
  const wanted = readNumber(text)
  if (isOrderOperator(operator)) {
    if (wanted === undefined) return false
    meter.spend(charactersIn(texts) >> READ_AT_ONCE_BITS)
    const values = [...texts.map(readNumber), ...numbers]
    return values.some(value => value !== undefined && inOrder(operator, value, wanted))
  }
  const isMet = (value: string) => isHeld(needle, value, meter) && valueMatches(operator, text, value, meter)
  if (texts.some(isMet)) return true
  const digits = bigIntegerText(text)
  if (digits === undefined) return numbers.some(value => value === wanted)
  if (bigIntegers.includes(digits)) return true
  // Neighbouring integers share a double, so the number only counts when the digits are unknown.
  const hasDigits = texts.length + bigIntegers.length > 0
  return !hasDigits && numbers.some(value => value === wanted)
}

function inOrder(operator: OrderOperator, value: number, bound: number): boolean {
  switch (operator) {
    case '>':
      return value > bound
    case '>=':
      return value >= bound
    case '<':
      return value < bound
    case '<=':
      return value <= bound
  }
}

/** A text that every match of a term contains: a cheap test before the exact one. */
interface Needle {
  readonly text: SoughtText
  /** false: compared with the lower-cased text. */
  readonly isExact: boolean
}

/** A query is applied to many lines, so the data derived from its terms is cached. */
const knownNeedles = new WeakMap<TextTerm | Comparison, readonly Needle[]>()

/** One needle for each text of a term. */
function needlesOf(term: TextTerm | Comparison): readonly Needle[] {
  let needles = knownNeedles.get(term)
  if (needles === undefined) {
    const { operator } = term
    const texts = 'texts' in term ? term.texts : [term.text]
    needles = isOrderOperator(operator)
      ? texts.map(() => EVERYWHERE)
      : texts.map(text => needle(operator, text))
    knownNeedles.set(term, needles)
  }
  return needles
}

const EVERYWHERE: Needle = { text: new SoughtText(''), isExact: true }

function needle(operator: MatchOperator, text: string): Needle {
  return isCaseSensitive(operator)
    ? { text: new SoughtText(text), isExact: true }
    : { text: new SoughtText(probe(operator, text).toLowerCase()), isExact: false }
}

function isHeld({ text, isExact }: Needle, value: string, meter: CostMeter): boolean {
  return text.isIn(isExact ? value : value.toLowerCase(), meter)
}

function charactersIn(texts: readonly string[]): number {
  return texts.reduce((sum, { length }) => sum + length, 0)
}

/** The searchable part of a record. */
export class SearchedRecord {
  readonly #record: JsonObject
  readonly #fields = new Map<string, { texts: string[]; numbers: number[]; bigIntegers: string[] }>()
  readonly #searched: string[] = []
  /** All texts joined, and the lower-cased form. */
  #joined: string | undefined
  #lowerCase: string | undefined

  /** @param except members that are not searched */
  constructor(record: JsonObject, except: ReadonlySet<string> = NO_NAMES) {
    this.#record = record
    for (const [name, value] of Object.entries(record)) {
      if (except.has(name)) continue
      this.#flatten(name, value, 1, name)
      // Names inside meta are found as well, as in the text of a JSON line.
      if (name === '_meta' && typeof value === 'object') this.#searched.push(jsonText(value))
    }
  }

  /** False when none of the texts contains the needle. */
  mayHold({ text, isExact }: Needle, meter: CostMeter): boolean {
    meter.spend(TERM_UNITS)
    this.#joined ??= this.#searched.join('\n')
    if (isExact) return text.isIn(this.#joined, meter)
    this.#lowerCase ??= this.#joined.toLowerCase()
    return text.isIn(this.#lowerCase, meter)
  }

  /** All texts that a term searches. Numbers of a JSON line are part of its text. */
  texts(): readonly string[] {
    return this.#searched
  }

  field(name: string, meter: CostMeter = UNMETERED): Field {
    meter.spend(TERM_UNITS + this.#fields.size)
    const fields = fieldPaths(name).map(path => this.#fieldAt(path))
    return fields.find(field => field.present) ?? (fields[0] as Field)
  }

  /** Every path that has values. */
  fields(): Iterable<readonly [path: string, values: Omit<Field, 'present'>]> {
    return this.#fields
  }

  #fieldAt(path: string): Field {
    const values = this.#fields.get(path)
    if (values !== undefined) return { ...values, present: true }
    const isOpaque = path === '_meta' && this.#record._meta !== undefined
    return { ...NO_VALUES, present: isOpaque || this.#hasBelow(`${path}.`) }
  }

  #hasBelow(prefix: string): boolean {
    for (const path of this.#fields.keys()) if (path.startsWith(prefix)) return true
    return false
  }

  #flatten(path: string, value: JsonValue, depth: number, member: string): void {
    if (value === null) return
    if (value instanceof NumberText) this.#add(path, value.text, member)
    else if (typeof value !== 'object') this.#add(path, value, member)
    else if (Array.isArray(value)) this.#flattenElements(path, value, depth, member)
    else this.#flattenMembers(path, value, depth, member)
  }

  #flattenElements(path: string, elements: readonly JsonValue[], depth: number, member: string): void {
    for (const element of elements) this.#flatten(path, element, depth, member)
    if (elements.length === 0) this.#add(path, '[]', member)
  }

  #flattenMembers(path: string, object: JsonObject, depth: number, member: string): void {
    const maxDepth = OWN_OBJECTS.has(member) ? MAX_FIELD_DEPTH + 1 : MAX_FIELD_DEPTH
    const members = Object.entries(object)
    if (depth >= maxDepth || members.length === 0) this.#add(path, jsonText(object), member)
    else for (const [name, value] of members) this.#flatten(`${path}.${name}`, value, depth + 1, member)
  }

  #add(path: string, value: string | number | bigint | boolean, member: string): void {
    const field = this.#fields.get(path) ?? { texts: [], numbers: [], bigIntegers: [] }
    this.#fields.set(path, field)
    if (typeof value === 'number' || typeof value === 'bigint') field.numbers.push(Number(value))
    if (typeof value === 'number') return
    const texts = typeof value === 'bigint' ? field.bigIntegers : field.texts
    texts.push(String(value))
    if (!UNSEARCHED.has(member)) this.#searched.push(String(value))
  }
}
