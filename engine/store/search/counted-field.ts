import type { LineTable } from '../../../schemas/log/tables.ts'
import { fieldPaths } from '../../query-language/field-paths.ts'
import {
  type Condition,
  column,
  type Expression,
  FIELD_COLUMNS,
  type FieldColumns,
  sql,
} from './condition.ts'
import { slottedValue } from './slotted-field.ts'
import type { SqlConstants } from './sql-constants.ts'
import { isParsedField } from './stored-field.ts'

/** Columns of words by the path of their record's member. An empty word means that the member is absent. */
const WORD_COLUMNS: ReadonlyMap<string, Expression> = new Map([
  ['_app', column.app],
  ['_host', column.host],
  ['level', column.level],
  ['_file', column.file],
  ['_env', column.env],
])
const TAGS_PATH = '_tag'

/**
 * Values of a field by which lines are counted: one expression per line. A line with several values counts once for each
 * different value.
 */
export type CountedField =
  /** The one value of a line, empty without one. */
  | { readonly kind: 'word'; readonly word: Expression }
  /** An array of different texts. Numbers are in the engine's decimal form. */
  | { readonly kind: 'texts'; readonly texts: Expression }

/**
 * Whether lines can be counted by the values of a field. They can by apps, hosts, levels, files, environments and tags,
 * and by all fields that were parsed. The line itself, its id and its times differ for almost every line.
 */
export function isCountable(name: string): boolean {
  return (
    name !== '' &&
    fieldPaths(name).every(path => path === TAGS_PATH || WORD_COLUMNS.has(path) || isParsedField(path))
  )
}

/** @param name of a countable field in the query language */
export function countedField(name: string, constants: SqlConstants, table: LineTable): CountedField {
  const paths = fieldPaths(name)
  const [path] = paths as [string]
  if (path === '_app' || path === '_host' || path === 'level')
    return { kind: 'word', word: WORD_COLUMNS.get(path) as Expression }
  return {
    kind: 'texts',
    texts: paths.map(path => textsOf(path, constants, table)).reduceRight(withFallback),
  }
}

function withFallback(next: Expression, first: Expression): Expression {
  return sql`if(notEmpty(${first}), ${first}, ${next})`
}

function textsOf(path: string, constants: SqlConstants, table: LineTable): Expression {
  const parsed = parsedTexts(path, constants, table)
  if (path === TAGS_PATH)
    return withFallback(parsed, sql`arrayMap(v -> toString(v), arrayDistinct(${column.tags}))`)
  const word = WORD_COLUMNS.get(path)
  return word === undefined ? parsed : sql`if(${word} != '', [toString(${word})], ${parsed})`
}

function parsedTexts(path: string, constants: SqlConstants, table: LineTable): Expression {
  const mapped = mappedTexts(path, constants, FIELD_COLUMNS[table])
  if (table === 'lines') return sql`arrayDistinct(${mapped})`
  const { isText, isNumber, text } = slottedValue(path, constants)
  const slotted = sql`if(${isText}, [${text}], if(${isNumber}, [toString(JSONExtractFloat(${text}))], []))`
  return sql`arrayDistinct(arrayConcat(${slotted}, ${mapped}))`
}

/** A big integer has its digits as a text; the nearest double is stored, too, and is not a second value. */
function mappedTexts(path: string, constants: SqlConstants, columns: FieldColumns): Expression {
  const name = constants.text(path)
  const has = (names: Expression): Condition => sql`has(${names}, ${name})`
  const texts = sql`arrayFilter((v, k) -> k = ${name}, ${columns.textValues}, ${columns.textNames})`
  const isCounted = sql`k = ${name} AND NOT (abs(v) >= ${constants.number(2 ** 53)} AND ${has(columns.textNames)})`
  const numbers = sql`arrayMap(v -> toString(v), arrayFilter((v, k) -> ${isCounted}, ${columns.numberValues}, ${columns.numberNames}))`
  return sql`arrayConcat(if(${has(columns.textNames)}, ${texts}, []), if(${has(columns.numberNames)}, ${numbers}, []))`
}
