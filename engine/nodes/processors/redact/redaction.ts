import { isJsonObject, type JsonObject, type JsonValue } from '../../../../schemas/json.ts'
import type { Captures } from '../../../expressions/captures/capture-history.ts'
import type { CapturingExpression } from '../../../expressions/captures/capturing-expression.ts'
import type { CountedCaptures } from '../../../expressions/captures/counted-captures.ts'
import type { CountedWork } from '../../../expressions/counted-work.ts'
import { type Entry, keysOf, withValues } from '../../../json/ordered-object.ts'

/** Units per value that is looked at, and the binary logarithm of the characters that are looked at per unit. */
const VALUE_UNITS = 8
const LOOKED_AT_BITS = 3
/** Binary logarithm of the characters that are copied per unit. */
const COPIED_BITS = 1

const UNKNOWN = -1
const ASCII_SIZE = 128
const MAX_SEPARATORS = 2
const OTHER = 0
const SEPARATOR = 1
const DIGIT = 2
/** Kinds of ASCII characters in numbers such as `+1 (555) 010-9999` or `192.0.2.7`. */
const KINDS = new Uint8Array(ASCII_SIZE)
for (const separator of ' ().-') KINDS[separator.charCodeAt(0)] = SEPARATOR
for (const digit of '0123456789') KINDS[digit.charCodeAt(0)] = DIGIT

/** Texts to find. */
export interface Pattern {
  readonly expression: CapturingExpression
  /** Number of the group that is the matched text. */
  readonly group: number
  /** Least number of digits in a match, with at most two separators between two of them; 0: it needs none. */
  readonly digits: number
  /** Part of each match. The engine of JavaScript looks for it, so it has only short repeats. */
  readonly hint?: RegExp
}

/** A pattern and the treatment of its matches. */
export interface Rule extends Pattern {
  /** Text in place of a match; absent: texts stay as they are. */
  readonly replacementOf?: (matched: string) => string
  /** Units per replacement, apart from its length. */
  readonly replacementUnits: number
}

export interface Redacted {
  /** The value that was given, if no text was changed. */
  readonly value: JsonValue
  /** Whether each rule matched at least once. */
  readonly found: readonly boolean[]
}

/**
 * Applies rules to each text of a value, in their order, each to the result of the one before. An empty match has nothing to
 * redact, and is passed over. (Our choice.) Keys, numbers and booleans stay.
 */
export class Redaction implements CountedWork<Redacted> {
  /** Units of all work apart from the present search. */
  #units = 0
  #built = 0
  readonly characters: number
  readonly #rules: readonly Rule[]
  readonly #value: JsonValue
  /** Texts of the value, in order. */
  readonly #texts: string[] = []
  readonly #found: boolean[]
  #isChanged = false
  #text = 0
  /** Digits of the present text that may belong together, or `UNKNOWN`. */
  #digits = UNKNOWN
  #rule = 0
  #search: CountedCaptures | undefined
  /** Start of the part of the present text that was not searched, and of the part that was not copied. */
  #from = 0
  #copied = 0
  #parts: string[] = []

  constructor(rules: readonly Rule[], value: JsonValue) {
    this.#rules = rules
    this.#value = value
    this.#found = rules.map(() => false)
    let characters = 0
    eachText(value, text => {
      this.#texts.push(text)
      characters += text.length
    })
    this.characters = characters * rules.length
    this.#units = VALUE_UNITS * (1 + this.#texts.length)
  }

  get units(): number {
    return this.#units + (this.#search?.units ?? 0)
  }

  get work(): number {
    return this.#units + this.#built + (this.#search?.work ?? 0)
  }

  run(untilUnits: number, untilWork = Number.POSITIVE_INFINITY): Redacted | undefined {
    const texts = this.#texts
    const rules = this.#rules
    for (; this.#text < texts.length; this.#text++) {
      if (this.units >= untilUnits || this.work >= untilWork) return undefined
      for (; this.#rule < rules.length; this.#rule++) {
        const rule = rules[this.#rule] as Rule
        if (this.#search === undefined && !this.#begin(rule)) continue
        if (!this.#apply(rule, untilUnits, untilWork)) return undefined
      }
      this.#rule = 0
      this.#digits = UNKNOWN
    }
    return { value: this.#isChanged ? this.#rewritten() : this.#value, found: this.#found }
  }

  end(): void {
    this.#search?.end()
    this.#search = undefined
  }

  /** Begins with a rule. @returns false: it cannot match the present text, by a quick test */
  #begin({ digits, hint }: Rule): boolean {
    const text = this.#texts[this.#text] as string
    this.#units += 1
    if (text.length < digits) return false
    if (hint !== undefined) {
      this.#units += text.length >> LOOKED_AT_BITS
      if (!hint.test(text)) return false
    }
    if (digits > 0) {
      if (this.#digits === UNKNOWN) {
        this.#digits = digitsTogether(text)
        this.#units += text.length >> LOOKED_AT_BITS
      }
      if (this.#digits < digits) return false
    }
    this.#from = 0
    this.#copied = 0
    this.#parts = []
    return true
  }

  /** Applies a rule to the present text. @returns false: it goes on later */
  #apply(rule: Rule, untilUnits: number, untilWork: number): boolean {
    const text = this.#texts[this.#text] as string
    while (this.#from <= text.length) {
      const captures = this.#next(rule, text, untilUnits, untilWork)
      if (captures === undefined) return false
      if (captures === null) break
      const start = captures[2 * rule.group] as number
      const end = captures[2 * rule.group + 1] as number
      if (start === end) {
        this.#from = end + ((text.codePointAt(end) as number) > 0xffff ? 2 : 1)
        continue
      }
      this.#found[this.#rule] = true
      if (rule.replacementOf === undefined) break
      const replacement = rule.replacementOf(text.slice(start, end))
      this.#parts.push(text.slice(this.#copied, start), replacement)
      this.#units += rule.replacementUnits + ((end - start + replacement.length) >> COPIED_BITS)
      this.#from = end
      this.#copied = end
    }
    if (this.#parts.length > 0) this.#replaceText(text)
    return true
  }

  #next(rule: Rule, text: string, untilUnits: number, untilWork: number): Captures | null | undefined {
    this.#search ??= rule.expression.find(text, this.#from)
    const search = this.#search
    const captures = search.run(untilUnits - this.#units, untilWork - this.#units - this.#built)
    if (captures === undefined) return undefined
    this.#search = undefined
    this.#units += search.units
    this.#built += search.built
    return captures
  }

  #replaceText(text: string): void {
    this.#units += text.length >> COPIED_BITS
    this.#parts.push(text.slice(this.#copied))
    this.#texts[this.#text] = this.#parts.join('')
    this.#parts = []
    this.#digits = UNKNOWN
    this.#isChanged = true
  }

  #rewritten(): JsonValue {
    let next = 0
    return withTexts(this.#value, () => this.#texts[next++] as string)
  }
}

/** Largest number of digits with at most two separators between two of them. */
function digitsTogether(text: string): number {
  let most = 0
  let digits = 0
  let separators = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const kind = code < ASCII_SIZE ? KINDS[code] : OTHER
    if (kind === DIGIT) {
      digits++
      separators = 0
    } else if (digits > 0 && (kind === OTHER || ++separators > MAX_SEPARATORS)) {
      if (digits > most) most = digits
      digits = 0
      separators = 0
    }
  }
  return Math.max(most, digits)
}

function eachText(value: JsonValue, receive: (text: string) => void): void {
  if (typeof value === 'string') receive(value)
  else if (Array.isArray(value)) for (const element of value) eachText(element, receive)
  else if (isJsonObject(value)) for (const key of keysOf(value)) eachText(value[key] as JsonValue, receive)
}

/** The value with other texts, which are asked for in the order of `eachText`. Parts without a changed text stay the same. */
function withTexts(value: JsonValue, next: () => string): JsonValue {
  if (typeof value === 'string') return next()
  if (Array.isArray(value)) {
    const elements = value.map(element => withTexts(element, next))
    return elements.some((element, index) => element !== value[index]) ? elements : value
  }
  return isJsonObject(value) ? objectWithTexts(value, next) : value
}

function objectWithTexts(object: JsonObject, next: () => string): JsonObject {
  const changed: Entry[] = []
  for (const key of keysOf(object)) {
    const member = object[key] as JsonValue
    const written = withTexts(member, next)
    if (written !== member) changed.push([key, written])
  }
  return changed.length === 0 ? object : withValues(object, changed)
}
