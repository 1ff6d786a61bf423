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
import { indexedWords, marksOfPart } from './indexed-words.ts'
import { allOf, anyOf, namedField, type StoredField } from './line-fields-sql.ts'
import { mergeAlternatives } from './merged-alternatives.ts'
import type { SqlConstants } from './sql-constants.ts'
import { ValueTests } from './value-tests.ts'

/**
 * What is asked of a line before the exact condition of a query, which may look at all that the line has. Every line
 * that matches meets all of these.
 */
export interface Prefilter {
  /**
   * Conditions on columns that take little reading, those that take least first: a column is only read where those
   * before it have left something.
   */
  readonly conditions: readonly string[]
  /** Conditions that the word index answers: what it rules out is not read at all. */
  readonly indexed: readonly string[]
}

export function compilePrefilter(query: Query, constants: SqlConstants): Prefilter {
  const { conditions, indexed } = new PrefilterCompiler(constants).of(mergeAlternatives(query))
  return {
    conditions: conditions.toSorted((a, b) => a.cost - b.cost).map(({ sql }) => sql),
    indexed,
  }
}

/** What has to be read for a condition. */
const COST = { words: 0, numbers: 1, texts: 2 } as const

interface Condition {
  readonly sql: string
  readonly cost: number
}

interface Conditions {
  readonly conditions: readonly Condition[]
  readonly indexed: readonly string[]
}

/** Texts of one list or OR that are looked up; more would leave out little. */
const MAX_LOOKED_UP = 16

const NOTHING: Conditions = { conditions: [], indexed: [] }

class PrefilterCompiler {
  readonly #constants: SqlConstants
  readonly #tests: ValueTests

  constructor(constants: SqlConstants) {
    this.#constants = constants
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
        return this.#field(query.test, namedField(query.name, this.#constants))
    }
  }

  /** Terms of one OR share their looks at the texts. */
  #anyOperand(operands: readonly Query[]): Conditions {
    const terms = operands.filter(operand => operand.kind === 'text')
    const others = operands.filter(operand => operand.kind !== 'text')
    const each = others.map(operand => this.of(operand))
    return any(terms.length === 0 ? each : [...each, this.#texts(terms)])
  }

  #texts(terms: readonly TextTerm[]): Conditions {
    const holding = this.#mayHold(terms)
    return {
      conditions: holding === undefined ? [] : [{ sql: holding, cost: COST.texts }],
      indexed: this.#indexed(terms),
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
        return only(field.present, COST.words)
      case 'comparison':
        return this.#comparison(test, field)
    }
  }

  #comparison(comparison: Comparison, field: StoredField): Conditions {
    const condition = field.mayPass(this.#tests.ofComparison(comparison))
    const { operator, texts } = comparison
    // Numbers are found however they are written.
    const mayBeNumber = texts.some(text => readNumber(text) !== undefined)
    return {
      conditions: condition === undefined ? [] : [{ sql: condition, cost: costOf(condition) }],
      indexed:
        isOrderOperator(operator) || !field.searched || mayBeNumber
          ? []
          : this.#indexed(texts.map(text => ({ operator, text }))),
    }
  }

  /** What the word index says of several texts, one of which must be there. */
  #indexed(
    sought: readonly { readonly operator: MatchOperator; readonly text: string }[],
  ): readonly string[] {
    if (sought.length > MAX_LOOKED_UP) return []
    const each = sought.map(({ operator, text }) => this.#indexedText(operator, text))
    return any(each.map(indexed => ({ conditions: [], indexed }))).indexed
  }

  /** The index is named as seldom as can be: each time the engine plans anew what it is made of. */
  #indexedText(operator: MatchOperator, text: string): readonly string[] {
    const words = indexedWords(operator, text)
    const has = (all: readonly string[]) => `hasAll(l.marked_words, ${this.#constants.texts(all)})`
    const whole = words.filter(({ mayBePart }) => !mayBePart).map(({ word }) => word)
    const others = words.filter(({ mayBePart }) => mayBePart)
    return [
      ...(whole.length === 0 ? [] : [has(whole)]),
      ...others.map(({ word }) => anyOf([has([word]), has(marksOfPart(word))])),
    ]
  }

  /**
   * Rows that may hold one of the terms, without a look at the fields: their texts stand in the text of the line or in
   * meta, unless they were escaped there, or the line has none of the members in that form.
   */
  #mayHold(terms: readonly TextTerm[]): string | undefined {
    const probes = terms.map(({ operator, text }) => probe(operator, text))
    const searches = [true, false].flatMap(sensitive => {
      const some = terms.filter(({ operator }) => isCaseSensitive(operator) === sensitive)
      if (some.length === 0) return []
      const texts = some.map(({ text }) => text)
      return [this.#tests.plainSearch(sensitive ? '=' : '', texts)]
    })
    if (searches.includes(undefined) || probes.some(text => EMPTY_CONTAINER.test(text))) return undefined
    const holds = (value: string) => anyOf(searches.map(search => search?.(value)))
    return anyOf([
      ...['l.line', 'l.host', 'l.app', 'l.level', 'l.file', 'l.env', 'l.meta'].map(holds),
      `arrayExists(v -> ${holds('v')}, l.tags)`,
      ...(probes.some(mayBeRewritten) ? [...UNLIKE_FIELDS, ...HAS_DEEP_OBJECT] : UNLIKE_FIELDS),
    ])
  }
}

/** Rows with fields whose texts stand nowhere else: unescaped ones, labels, annotations, other members. */
const UNLIKE_FIELDS = [`position(l.line, '\\\\') > 0`, `position(l.meta, '\\\\') > 0`, `l.extra != ''`]

/** An object below the third level, or that of meta, is a field whose text is written anew, with other blanks and digits. */
const HAS_DEEP_OBJECT = [`countSubstrings(l.line, '{') > 3`, `countSubstrings(l.meta, '{') > 3`]

/** Empty objects and lists are fields with such a text, whatever stood in them. */
const EMPTY_CONTAINER = /^[{}[\]]+$/

function mayBeRewritten(text: string): boolean {
  return /[{}[\]":,]/.test(text) || /^[-+.0-9eE]+$/.test(text)
}

function all(each: readonly Conditions[]): Conditions {
  return {
    conditions: each.flatMap(({ conditions }) => conditions),
    indexed: each.flatMap(({ indexed }) => indexed),
  }
}

/** One of them is met, so all must have something to say. */
function any(each: readonly Conditions[]): Conditions {
  return {
    conditions: each.some(({ conditions }) => conditions.length === 0)
      ? []
      : [
          {
            sql: anyOf(each.map(({ conditions }) => allOf(conditions.map(({ sql }) => sql)))),
            cost: Math.max(...each.flatMap(({ conditions }) => conditions.map(({ cost }) => cost))),
          },
        ],
    indexed: each.some(({ indexed }) => indexed.length === 0)
      ? []
      : [anyOf(each.map(({ indexed }) => allOf(indexed)))],
  }
}

function only(sql: string, cost: number): Conditions {
  return sql === '1' ? NOTHING : { conditions: [{ sql, cost }], indexed: [] }
}

function costOf(condition: string): number {
  if (condition.includes('l.line')) return COST.texts
  return condition.includes('_fields') ? COST.numbers : COST.words
}
