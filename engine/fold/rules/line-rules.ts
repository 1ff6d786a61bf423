import type { JsonObject } from '../../../schemas/json.ts'
import type { LineConditions } from '../../../schemas/log/cuts.ts'
import { BEYOND_BUDGET, type CostMeter } from '../../expressions/cost-meter.ts'
import { matches, SearchedRecord } from '../../query-language/evaluate.ts'
import { fieldPaths } from '../../query-language/field-paths.ts'
import { parseQuery } from '../../query-language/parse-query.ts'
import { QuerySyntaxError } from '../../query-language/query-syntax-error.ts'
import type { EveryLine, FieldTerm, Query, TextTerm } from '../../query-language/syntax-tree.ts'
import type { TailedLine } from '../tailed-line.ts'

/** A line in the form that rules examine. */
export interface JudgedLine {
  readonly host: string
  readonly app: string
  /** Upper case. */
  readonly level: string
  /** All members of its record that are known before it is stored; requested only by a query that needs it. */
  searched(): SearchedRecord
}

/** @throws BEYOND_BUDGET */
export type LineTest = (line: JudgedLine, meter: CostMeter) => boolean

/** Members of a record that rules determine themselves: a query that names one, also without `_`, matches nothing. */
const SETTLED_LATER: ReadonlySet<string> = new Set(['_retention', '_mezmo_line_size'])

/** Members that are known without reading the line, and that no line can replace. */
const WHO: ReadonlySet<string> = new Set(['_host', '_app', 'level'])

const MATCHES_NOTHING: LineTest = () => false
const MATCHES_ALL: LineTest = () => true

/**
 * Compiles the conditions of one rule. A rule matches nothing if it has no conditions, an unreadable query, or a query
 * about a member that rules determine.
 */
export function compileLineTest({ apps, hosts, levels = [], query }: LineConditions): LineTest {
  if (apps.length + hosts.length + levels.length === 0 && query.trim() === '') return MATCHES_NOTHING
  const meetsQuery = compileQueryTest(query)
  if (meetsQuery === undefined) return MATCHES_NOTHING
  const isApp = oneOf(apps)
  const isHost = oneOf(hosts)
  const isLevel = oneOf(levels.map(level => level.toUpperCase()))
  // The query is last, because it alone needs the record.
  return (line, meter) =>
    isApp(line.app) && isHost(line.host) && isLevel(line.level) && meetsQuery(line, meter)
}

/** Results of the tests that rules make of one line. */
export class RuleJudgement {
  readonly #line: JudgedLine
  readonly #meter: CostMeter
  /** Whether judging a rule was ended because of its cost: such a rule counts as not matching. */
  isCut = false

  constructor(line: JudgedLine, meter: CostMeter) {
    this.#line = line
    this.#meter = meter
  }

  meets(test: LineTest): boolean {
    try {
      return test(this.#line, this.#meter)
    } catch (error) {
      if (error !== BEYOND_BUDGET) throw error
      this.isCut = true
      return false
    }
  }
}

/** An arriving line, for `compileLineTest`. */
export function judgedArrival(line: TailedLine): JudgedLine {
  return {
    get host() {
      return line.host
    },
    get app() {
      return line.app
    },
    get level() {
      return line.stored.level
    },
    searched: () => searchedRecord(line.record),
  }
}

/** A record in the form of tails, for `compileLineTest`. */
export function judgedRecord(record: JsonObject): JudgedLine {
  let searched: SearchedRecord | undefined
  return {
    host: String(record._host),
    app: String(record._app),
    level: String(record.level ?? ''),
    searched() {
      searched ??= searchedRecord(record)
      return searched
    },
  }
}

export function searchedRecord(record: JsonObject): SearchedRecord {
  return new SearchedRecord(record, SETTLED_LATER)
}

function oneOf(names: readonly string[]): (name: string) => boolean {
  if (names.length === 0) return () => true
  const known = new Set(names)
  return name => known.has(name)
}

function compileQueryTest(text: string): LineTest | undefined {
  try {
    const query = parseQuery(text)
    if (query.kind === 'all') return MATCHES_ALL
    if (namesSettledLater(query)) return undefined
    return asksWhoAlone(query)
      ? ({ host, app, level }, meter) =>
          matches(query, new SearchedRecord({ _host: host, _app: app, level }), meter)
      : (line, meter) => matches(query, line.searched(), meter)
  } catch (error) {
    if (error instanceof QuerySyntaxError) return undefined
    throw error
  }
}

function asksWhoAlone(query: Query): boolean {
  return everyTerm(query, term => term.kind === 'field' && WHO.has(fieldPaths(term.name)[0] as string))
}

function namesSettledLater(query: Query): boolean {
  return !everyTerm(
    query,
    term => term.kind !== 'field' || !fieldPaths(term.name).some(path => SETTLED_LATER.has(path)),
  )
}

function everyTerm(query: Query, holds: (term: EveryLine | TextTerm | FieldTerm) => boolean): boolean {
  switch (query.kind) {
    case 'and':
    case 'or':
      return query.operands.every(operand => everyTerm(operand, holds))
    case 'not':
      return everyTerm(query.operand, holds)
    default:
      return holds(query)
  }
}
