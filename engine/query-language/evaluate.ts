import { type JsonObject, type JsonValue, NumberText } from '../../schemas/json.ts'
import { jsonText } from '../json-text.ts'
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

/** Members of a record that a term does not look at: query language, section 4.2. */
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
/** Their members, not they themselves, are the first level. */
const OWN_OBJECTS = new Set(['_meta', '_label', '_annotation', '_other'])
const NO_NAMES: ReadonlySet<string> = new Set()
/** Objects below the third level are one value, their JSON text: ingestion, section 1.3. */
const MAX_FIELD_DEPTH = 3

/**
 * Whether a query matches a record (the stored line, section 2): the query language said once more, directly
 * and slowly. The statements for the store are held to it.
 */
export function evaluate(query: Query, record: JsonObject): boolean {
  return matches(query, new SearchedRecord(record))
}

/** The same for a record that several queries are asked about. */
export function matches(query: Query, record: SearchedRecord): boolean {
  switch (query.kind) {
    case 'all':
      return true
    case 'and':
      return query.operands.every(operand => matches(operand, record))
    case 'or':
      return query.operands.some(operand => matches(operand, record))
    case 'not':
      return !matches(query.operand, record)
    case 'text':
      return textTermMatches(query, record)
    case 'field':
      return fieldMatches(query.test, record.field(query.name))
  }
}

function textTermMatches(term: TextTerm, record: SearchedRecord): boolean {
  const { operator, text } = term
  return (
    record.mayHold(needlesOf(term)[0] as Needle) &&
    record.texts().some(searched => textMatches(operator, text, searched))
  )
}

function fieldMatches(test: FieldTest, field: Field): boolean {
  switch (test.kind) {
    case 'and':
      return test.operands.every(operand => fieldMatches(operand, field))
    case 'or':
      return test.operands.some(operand => fieldMatches(operand, field))
    case 'not':
      return !fieldMatches(test.operand, field)
    case 'present':
      return field.present
    case 'comparison':
      return test.texts.some((text, index) => compares(test, needlesOf(test)[index] as Needle, text, field))
  }
}

/** What a record has at one path; several values when arrays are on the way. */
interface Field {
  readonly present: boolean
  readonly texts: readonly string[]
  readonly numbers: readonly number[]
  /** Digits of integers that a double cannot hold; `numbers` has them, too, as well as it can. */
  readonly bigIntegers: readonly string[]
}

const NO_VALUES = { texts: [], numbers: [], bigIntegers: [] }

function compares({ operator }: Comparison, needle: Needle, text: string, field: Field): boolean {
  const wanted = readNumber(text)
  if (isOrderOperator(operator)) {
    if (wanted === undefined) return false
    const values = [...field.texts.map(readNumber), ...field.numbers]
    return values.some(value => value !== undefined && inOrder(operator, value, wanted))
  }
  if (field.texts.some(value => isHeld(needle, value) && valueMatches(operator, text, value))) return true
  const digits = bigIntegerText(text)
  if (digits === undefined) return field.numbers.some(value => value === wanted)
  if (field.bigIntegers.includes(digits)) return true
  // Neighbours share the number, so it only counts where the digits are not known.
  const hasDigits = field.texts.length + field.bigIntegers.length > 0
  return !hasDigits && field.numbers.some(value => value === wanted)
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

/** Every text that a term matches holds this: a cheap look before the characters are taken one by one. */
interface Needle {
  readonly text: string
  /** Otherwise a text holds it when its lower case does. */
  readonly isExact: boolean
}

/** A query is asked about many lines, so what is made of its terms is kept with them. */
const knownNeedles = new WeakMap<TextTerm | Comparison, readonly Needle[]>()

/** One for each text of a term. */
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

const EVERYWHERE: Needle = { text: '', isExact: true }

function needle(operator: MatchOperator, text: string): Needle {
  return isCaseSensitive(operator)
    ? { text, isExact: true }
    : { text: probe(operator, text).toLowerCase(), isExact: false }
}

function isHeld({ text, isExact }: Needle, value: string): boolean {
  return (isExact ? value : value.toLowerCase()).includes(text)
}

/** What queries look at in a record. */
export class SearchedRecord {
  readonly #record: JsonObject
  readonly #fields = new Map<string, { texts: string[]; numbers: number[]; bigIntegers: string[] }>()
  readonly #searched: string[] = []
  /** All of them in one, and that in lower case. */
  #joined: string | undefined
  #lowerCase: string | undefined

  /** @param except members that are not looked at */
  constructor(record: JsonObject, except: ReadonlySet<string> = NO_NAMES) {
    this.#record = record
    for (const [name, value] of Object.entries(record)) {
      if (except.has(name)) continue
      this.#flatten(name, value, 1, name)
      // A name inside meta is found, too, as in the text of a JSON line.
      if (name === '_meta' && typeof value === 'object') this.#searched.push(jsonText(value))
    }
  }

  /** False when no text holds it. */
  mayHold({ text, isExact }: Needle): boolean {
    this.#joined ??= this.#searched.join('\n')
    if (isExact) return this.#joined.includes(text)
    this.#lowerCase ??= this.#joined.toLowerCase()
    return this.#lowerCase.includes(text)
  }

  /** Everything that a term looks at. Numbers of a JSON line are seen in its text. */
  texts(): readonly string[] {
    return this.#searched
  }

  field(name: string): Field {
    const fields = fieldPaths(name).map(path => this.#fieldAt(path))
    return fields.find(field => field.present) ?? (fields[0] as Field)
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
