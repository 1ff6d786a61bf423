import { type LineTable, SLOT_NAMES } from '../../../schemas/log/tables.ts'
import { readNumber } from '../../query-language/number-text.ts'
import {
  type Comparison,
  type FieldTest,
  isCaseSensitive,
  isOrderOperator,
  type MatchOperator,
  type Query,
  type TextTerm,
} from '../../query-language/syntax-tree.ts'
import { probe } from '../../query-language/token-pattern.ts'
import {
  allOf,
  anyOf,
  COST,
  type Condition,
  column,
  columnsOf,
  costOf,
  type Expression,
  FIELD_COLUMNS,
  named,
  sql,
} from './condition.ts'
import type { StoredField } from './field-contract.ts'
import { indexedWords, marksOfPart } from './indexed-words.ts'
import { mergeAlternatives } from './merged-alternatives.ts'
import type { SlotsInUse } from './slots-in-use.ts'
import { allSought, anySought, type SoughtWords, soughtInText } from './sought-words.ts'
import type { SqlConstants } from './sql-constants.ts'
import { namedField } from './stored-field.ts'
import { MAX_PROBES, ValueTests } from './value-tests.ts'

/** Conditions that every found line meets. They precede the exact condition, which may read everything of the line. */
export interface Prefilter {
  /**
   * Conditions on columns that are cheap to read, cheapest first: a column is only read for rows that the earlier ones
   * have left.
   */
  readonly conditions: readonly Condition[]
  /** Conditions that the word index answers: the engine does not read the rows that it excludes. */
  readonly indexed: readonly Condition[]
  /** Words that the filters are asked for; undefined: they cannot exclude anything. */
  readonly words: SoughtWords | undefined
  /** Whether all slots of a line are read, so that it helps to know which ones are in use. */
  readonly seeksInSlots: boolean
}

export const NO_PREFILTER: Prefilter = { conditions: [], indexed: [], words: undefined, seeksInSlots: false }

/** @param inUse slots that the lines of table `slotted_lines` use; absent: all of them */
export function compilePrefilter(
  query: Query,
  constants: SqlConstants,
  table: LineTable,
  inUse?: SlotsInUse,
): Prefilter {
  const { cheap, indexed, words } = new PrefilterCompiler(constants, table, inUse).of(
    mergeAlternatives(query),
  )
  const conditions = cheap.toSorted((a, b) => a.cost - b.cost).map(({ condition }) => condition)
  const columns = new Set(conditions.flatMap(columnsOf))
  const seeksInSlots = SLOT_NAMES.every(slot => columns.has(slot))
  return { conditions, indexed, words, seeksInSlots }
}

interface CheapCondition {
  readonly condition: Condition
  /** Cost of reading its columns, as in `COST`. */
  readonly cost: number
}

interface Conditions {
  readonly cheap: readonly CheapCondition[]
  readonly indexed: readonly Condition[]
  readonly words: SoughtWords | undefined
}

/** Maximum number of texts of one list or OR that are looked up; more would exclude few further rows. */
const MAX_LOOKED_UP = 16

const NOTHING: Conditions = { cheap: [], indexed: [], words: undefined }

class PrefilterCompiler {
  readonly #constants: SqlConstants
  readonly #table: LineTable
  readonly #inUse: SlotsInUse | undefined
  readonly #tests: ValueTests

  constructor(constants: SqlConstants, table: LineTable, inUse: SlotsInUse | undefined) {
    this.#constants = constants
    this.#table = table
    this.#inUse = inUse
    this.#tests = new ValueTests(constants)
  }

  of(query: Query): Conditions {
    switch (query.kind) {
      case 'all':
      case 'not':
        return NOTHING
      case 'and':
        return all(query.operands.map(operand => this.of(operand)))
      case 'or':
        return this.#anyOperand(query.operands)
      case 'text':
        return this.#texts([query])
      case 'field':
        return this.#field(query.test, namedField(query.name, this.#constants, this.#table, this.#inUse))
    }
  }

  /** Terms of one OR share their reads of the texts. */
  #anyOperand(operands: readonly Query[]): Conditions {
    const terms = operands.filter(operand => operand.kind === 'text')
    const others = operands.filter(operand => operand.kind !== 'text')
    const each = others.map(operand => this.of(operand))
    return any(terms.length === 0 ? each : [...each, this.#texts(terms)])
  }

  #texts(terms: readonly TextTerm[]): Conditions {
    const holding = this.#mayHold(terms)
    return {
      cheap: withCost(holding),
      indexed: this.#indexed(terms),
      words: anySought(terms.map(({ text }) => soughtInText(text))),
    }
  }

  #field(test: FieldTest, field: StoredField): Conditions {
    switch (test.kind) {
      case 'and':
        return all(test.operands.map(operand => this.#field(operand, field)))
      case 'or':
        return any(test.operands.map(operand => this.#field(operand, field)))
      case 'not':
        return NOTHING
      case 'present':
        return presence(field)
      case 'comparison':
        return this.#comparison(test, field)
    }
  }

  #comparison(comparison: Comparison, field: StoredField): Conditions {
    const condition = field.mayPass(this.#tests.ofComparison(comparison))
    const { operator, texts } = comparison
    // Numbers are found in all their forms.
    const mayBeNumber = texts.some(text => readNumber(text) !== undefined)
    const cheap = withCost(condition)
    if (isOrderOperator(operator) || !field.searched || mayBeNumber || isOnWords(condition))
      return { ...NOTHING, cheap }
    return {
      cheap,
      indexed: this.#indexed(texts.map(text => ({ operator, text }))),
      words: anySought(texts.map(soughtInText)),
    }
  }

  /** Conditions of the word index for several texts, one of which must be present. */
  #indexed(
    sought: readonly { readonly operator: MatchOperator; readonly text: string }[],
  ): readonly Condition[] {
    if (this.#table !== 'lines' || sought.length > MAX_LOOKED_UP) return []
    const each = sought.map(({ operator, text }) => this.#indexedText(operator, text))
    return any(each.map(indexed => ({ ...NOTHING, indexed }))).indexed
  }

  /** The index is named as rarely as possible: each time, the engine plans its expression again. */
  #indexedText(operator: MatchOperator, text: string): readonly Condition[] {
    const words = indexedWords(operator, text)
    const has = (all: readonly string[]) => sql`hasAll(${column.marked_words}, ${this.#constants.texts(all)})`
    const whole = words.filter(({ mayBePart }) => !mayBePart).map(({ word }) => word)
    const others = words.filter(({ mayBePart }) => mayBePart)
    return [
      ...(whole.length === 0 ? [] : [has(whole)]),
      ...others.map(({ word }) => anyOf([has([word]), has(marksOfPart(word))])),
    ]
  }

  /**
   * Rows that may contain one of the terms, without reading the fields. The text of such a line, or its meta, contains
   * the terms' texts, possibly escaped. Otherwise the line has none of the members in that form.
   */
  #mayHold(terms: readonly TextTerm[]): Condition | undefined {
    return this.#table === 'lines' ? this.#mayHoldInLine(terms) : this.#mayHoldInSlots(terms)
  }

  #mayHoldInLine(terms: readonly TextTerm[]): Condition | undefined {
    const probes = terms.map(({ operator, text }) => probe(operator, text))
    const searches = [true, false].flatMap(sensitive => {
      const some = terms.filter(({ operator }) => isCaseSensitive(operator) === sensitive)
      if (some.length === 0) return []
      const texts = some.map(({ text }) => text)
      return [this.#tests.plainSearch(sensitive ? '=' : '', texts)]
    })
    if (searches.includes(undefined) || probes.some(text => EMPTY_CONTAINER.test(text))) return undefined
    const holds = (value: Expression) => anyOf(searches.map(search => search?.(value)))
    return anyOf([
      ...SMALL_AND_LINE.map(holds),
      sql`arrayExists(v -> ${holds(named('v'))}, ${column.tags})`,
      ...(probes.some(hasShortEscape) ? HAS_ESCAPES : HAS_LONG_ESCAPES),
      OTHER_FIELDS,
      ...(probes.some(mayBeRewritten) ? HAS_DEEP_OBJECT : []),
    ])
  }

  /**
   * Condition on a slotted line that may hold one of the terms. A part of a term without blanks and signs of JSON's grammar
   * never begins in a slot and ends outside of it, so one such part is looked for in each slot. Texts that are rewritten or had
   * escapes are among the fields that are in no slot.
   */
  #mayHoldInSlots(terms: readonly TextTerm[]): Condition | undefined {
    const parts = terms.map(({ operator, text }) => ({ operator, text: longestPart(probe(operator, text)) }))
    if (parts.length > MAX_PROBES || parts.some(({ text }) => text === '')) return undefined
    const searches = [true, false].flatMap(sensitive => {
      const some = parts.filter(({ operator }) => isCaseSensitive(operator) === sensitive)
      if (some.length === 0) return []
      return [
        this.#tests.containment(
          some.map(({ text }) => text),
          sensitive,
        ),
      ]
    })
    const holds = (value: Expression) => anyOf(searches.map(search => search(value)))
    const sought = this.#inUse?.thatMayContain(
      parts.map(({ text }) => text),
      this.#constants,
    )
    return anyOf([
      ...WORDS_OF_SLOTTED.map(holds),
      ...(terms.some(({ operator }) => isCaseSensitive(operator)) ? [holds(LEVEL_IN_LINE)] : []),
      sought?.unexpected,
      ...column.slots.filter((_, slot) => sought?.slots.has(slot) ?? true).map(holds),
      ...((sought?.wholeLine ?? true) ? [holds(column.wholeLine)] : []),
      holds(column.meta),
      sql`arrayExists(v -> ${holds(named('v'))}, ${FIELD_COLUMNS.slotted_lines.textValues})`,
      sql`position(${column.meta}, '\\\\') > 0`,
    ])
  }
}

/** The level as it may be in the text of a line (engine/lines/slots/line-shape.ts). */
const LEVEL_IN_LINE = sql`lower(${column.level})`

/** Columns of words. Facts and tags have all of their texts, with separators. */
const WORDS_OF_SLOTTED: readonly Expression[] = [
  column.shape,
  column.host,
  column.app,
  column.level,
  column.facts,
  column.tag_list,
]

/** The longest part of a text without signs of JSON's grammar, blanks and separators. */
function longestPart(text: string): string {
  const parts = text.split(/[":,{}[\]\s\p{Cc}]+/u)
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), '')
}

const SMALL_AND_LINE: readonly Expression[] = [
  column.line,
  column.host,
  column.app,
  column.level,
  column.file,
  column.env,
  column.meta,
]

/** Rows with labels, annotations or other members, which are fields whose texts are not elsewhere. */
const OTHER_FIELDS = sql`${column.extra} != ''`

/** Rows whose line or meta may have escapes, which are not in the texts of their fields. */
const HAS_ESCAPES = [sql`position(${column.line}, '\\\\') > 0`, sql`position(${column.meta}, '\\\\') > 0`]
/** Rows with escapes of any character, such as `\u0061`. */
const HAS_LONG_ESCAPES = [
  sql`position(${column.line}, '\\\\u') > 0`,
  sql`position(${column.meta}, '\\\\u') > 0`,
]

/**
 * An object below the third level, or below that of meta, is a field whose text was written again: blanks and digits
 * differ.
 */
const HAS_DEEP_OBJECT = [
  sql`countSubstrings(${column.line}, '{') > 3`,
  sql`countSubstrings(${column.meta}, '{') > 3`,
]

/** Text of a field that is an empty object or list, regardless of blanks between its brackets. */
const EMPTY_CONTAINER = /^[{}[\]]+$/

/**
 * Whether a text has a character that JSON may escape with a letter or as itself, such as `\n` and `\/`. Any other stands in
 * a JSON text as it is, or as its number.
 */
function hasShortEscape(text: string): boolean {
  return /["\\/\b\f\n\r\t]/.test(text)
}

function mayBeRewritten(text: string): boolean {
  return /[{}[\]":,]/.test(text) || /^[-+.0-9eE]+$/.test(text)
}

function withCost(condition: Condition | undefined): CheapCondition[] {
  return condition === undefined ? [] : [{ condition, cost: costOf(condition) }]
}

/** Whether a condition is decided by columns of words, which take less time to read than the index. */
function isOnWords(condition: Condition | undefined): boolean {
  return condition !== undefined && costOf(condition) === COST.words
}

function presence({ present }: StoredField): Conditions {
  return present.kind === 'always' ? NOTHING : { ...NOTHING, cheap: withCost(present) }
}

function all(each: readonly Conditions[]): Conditions {
  return {
    cheap: each.flatMap(({ cheap }) => cheap),
    indexed: each.flatMap(({ indexed }) => indexed),
    words: allSought(each.map(({ words }) => words)),
  }
}

/** One of them must hold, so each must have a condition. */
function any(each: readonly Conditions[]): Conditions {
  return {
    cheap: each.some(({ cheap }) => cheap.length === 0) ? [] : [anyCheap(each.map(({ cheap }) => cheap))],
    indexed: each.some(({ indexed }) => indexed.length === 0)
      ? []
      : [anyOf(each.map(({ indexed }) => allOf(indexed)))],
    words: anySought(each.map(({ words }) => words)),
  }
}

function anyCheap(each: readonly (readonly CheapCondition[])[]): CheapCondition {
  return {
    condition: anyOf(each.map(cheap => allOf(cheap.map(({ condition }) => condition)))),
    cost: Math.max(...each.flatMap(cheap => cheap.map(({ cost }) => cost))),
  }
}
