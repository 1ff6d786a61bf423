import { lineId, parseLineId } from '../../../schemas/log/position.ts'
import type { LineTable } from '../../../schemas/log/tables.ts'
import { TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import { fieldPaths } from '../../query-language/field-paths.ts'
import { BIG_INTEGER_PATTERN } from '../../query-language/number-text.ts'
import {
  ALWAYS,
  allOf,
  anyOf,
  type Condition,
  column,
  type Expression,
  FIELD_COLUMNS,
  type FieldColumns,
  NEVER,
  named,
  sql,
} from './condition.ts'
import type { StoredField, ValueTest } from './field-contract.ts'
import type { SlotsInUse } from './slots-in-use.ts'
import { slottedField } from './slotted-field.ts'
import type { SqlConstants } from './sql-constants.ts'

const VALUE = named('v')
const HAS_EXTRA = sql`${column.extra} != ''`

const LINE_ID = sql`bitShiftLeft(toUInt128(toUnixTimestamp64Milli(${column.t})), 86) + bitShiftLeft(toUInt128(${column.topic}), 84) + bitShiftLeft(toUInt128(${column.partition}), 72) + bitShiftLeft(toUInt128(${column.offset}), 32) + toUInt128(${column.row})`

const TRIMMED_LINE = sql`replaceRegexpOne(${column.line}, '[\\\\t-\\\\r ]+$', '')`
const MAY_GO_ON_AS_OBJECT = sql`match(pieces[n + 1], '^[\\\\t-\\\\r ]*("|}$)')`
/**
 * Computes whether a line contains an object, which is not stored. As in parsing (section 3.1), one of the first 32
 * braces must begin an object that reaches to the end of the text.
 */
const LOG_TYPE = sql`if(endsWith(${TRIMMED_LINE}, '}') AND arrayExists(pieces -> arrayExists(
  n -> isValidJSON(concat('{', arrayStringConcat(arraySlice(pieces, n + 1), '{'))),
  arraySlice(arrayFilter(n -> ${MAY_GO_ON_AS_OBJECT}, range(1, length(pieces))), 1, 32)
), [splitByChar('{', ${TRIMMED_LINE})]), 'json', 'line')`

interface WordMember {
  readonly word: Expression
  readonly searched: boolean
}

/** Members that every record has (the stored line, section 2), in columns of words. */
const ALWAYS_WORD: Readonly<Record<string, WordMember>> = {
  _account: { word: column.account, searched: false },
  _host: { word: column.host, searched: true },
  _app: { word: column.app, searched: true },
  level: { word: column.level, searched: true },
}

const ALWAYS_NUMBER: Readonly<Record<string, Expression>> = {
  _ts: sql`toUnixTimestamp64Milli(${column.ts})`,
  _retention: column.retention,
  _mezmo_line_size: column.size,
}

/** Members that a record has if the service knows them; otherwise a field of the text counts. */
const OPTIONAL_WORD: Readonly<Record<string, WordMember>> = {
  _file: { word: column.file, searched: true },
  _env: { word: column.env, searched: true },
  _mac: { word: column.mac, searched: false },
  _ip: { word: column.ip, searched: false },
  _ipremote: { word: column.remote, searched: false },
}

/** Members of the record that the service sets itself, in columns of their own. */
const OWN_COLUMNS: ReadonlySet<string> = new Set([
  ...[ALWAYS_WORD, ALWAYS_NUMBER, OPTIONAL_WORD].flatMap(Object.keys),
  ...['_line', '_id', '_lid', '_logtype', '_tag', '_meta', '_timestamp', '_truncated', '_drift'],
])

/** Whether a path of a record is found by the names of parsed fields. */
export function isParsedField(path: string): boolean {
  return !OWN_COLUMNS.has(path)
}

/** The field of a name in the query language. @param inUse slots that the lines use; absent: all of them */
export function namedField(
  name: string,
  constants: SqlConstants,
  table: LineTable,
  inUse?: SlotsInUse,
): StoredField {
  return fieldPaths(name)
    .map(path => storedField(path, constants, table, inUse))
    .reduceRight((next, field) => withFallback(field, next, constants))
}

function storedField(
  path: string,
  constants: SqlConstants,
  table: LineTable,
  inUse: SlotsInUse | undefined,
): StoredField {
  const member = own(ALWAYS_WORD, path)
  if (member !== undefined) return { ...always(test => test.text(member.word)), searched: member.searched }
  const number = own(ALWAYS_NUMBER, path)
  if (number !== undefined) return always(test => test.number(number))
  if (path === '_line') return LINE
  if (path === '_id' || path === '_lid') return always(test => idPasses(test, constants))
  if (path === '_logtype') return { ...always(test => test.text(LOG_TYPE)), mayPass: () => undefined }
  const fields = parsedField(path, constants, table, inUse)
  const optional = own(OPTIONAL_WORD, path)
  if (optional !== undefined) return eitherField(optionalWord(optional), fields)
  switch (path) {
    case '_tag':
      return eitherField(TAGS, fields)
    case '_meta':
      return eitherField(META, fields)
    case '_timestamp':
      return eitherField(TIMESTAMP, fields)
    case '_truncated':
      return eitherField(TRUNCATED, fields)
    case '_drift':
      return eitherField(DRIFT, fields)
    default:
      return fields
  }
}

/** Meta in the form of a string; members of an object have paths of their own. */
export const META_STRING = sql`JSONExtractString(${column.meta})`
export const IS_META_STRING = sql`startsWith(${column.meta}, '"')`

const LINE: StoredField = {
  ...always(test => test.text(column.line)),
  mayPass: test => test.plain?.(column.line),
  searched: true,
}

const TAGS: StoredField = exactly({
  always: false,
  present: sql`notEmpty(${column.tags})`,
  passes: test => within(test.text(VALUE), condition => sql`arrayExists(v -> ${condition}, ${column.tags})`),
  searched: true,
})

const META: StoredField = {
  always: false,
  present: sql`${column.meta} != ''`,
  passes: test => within(test.text(META_STRING), condition => sql`(${IS_META_STRING} AND ${condition})`),
  mayPass: () => IS_META_STRING,
  searched: true,
}

const DRIFT = extraMember(sql`JSONHas(${column.extra}, '_drift')`, test =>
  test.number(sql`JSONExtractFloat(${column.extra}, '_drift')`),
)
const TIMESTAMP = extraMember(sql`JSONHas(${column.extra}, '_timestamp')`, test =>
  test.text(sql`JSONExtractString(${column.extra}, '_timestamp')`),
)
const TRUNCATED = extraMember(sql`JSONHas(${column.extra}, '_truncated')`, test => test.text(sql`'true'`))

function extraMember(present: Condition, passes: (test: ValueTest) => Condition | undefined): StoredField {
  return {
    always: false,
    present,
    passes: test => within(passes(test), condition => sql`(${present} AND ${condition})`),
    mayPass: () => HAS_EXTRA,
    searched: false,
  }
}

function always(passes: (test: ValueTest) => Condition | undefined): StoredField {
  return exactly({ always: true, present: ALWAYS, passes: test => passes(test) ?? NEVER, searched: false })
}

function optionalWord({ word, searched }: WordMember): StoredField {
  const present = sql`${word} != ''`
  return exactly({
    always: false,
    present,
    passes: test => within(test.text(word), condition => sql`(${present} AND ${condition})`),
    searched,
  })
}

/** A field whose own test is cheap. */
function exactly(field: Omit<StoredField, 'mayPass'>): StoredField {
  return { ...field, mayPass: field.passes }
}

/** A record never has both: the service's own value, and one that was parsed from the text. */
function eitherField(one: StoredField, other: StoredField): StoredField {
  return {
    always: false,
    get present() {
      return anyOf([one.present, other.present])
    },
    passes: test => anyOf([one.passes(test), other.passes(test)]),
    mayPass: test => either(one.mayPass(test), other.mayPass(test)),
    searched: one.searched && other.searched,
  }
}

function either(one: Condition | undefined, other: Condition | undefined): Condition | undefined {
  return one === undefined || other === undefined ? undefined : anyOf([one, other])
}

function parsedField(
  path: string,
  constants: SqlConstants,
  table: LineTable,
  inUse: SlotsInUse | undefined,
): StoredField {
  const mapped = mappedField(path, constants, FIELD_COLUMNS[table])
  return table === 'slotted_lines' ? eitherField(slottedField(path, constants, inUse), mapped) : mapped
}

/** A field in the columns of names and values. Only the names are read first, since they are small. */
function mappedField(path: string, constants: SqlConstants, columns: FieldColumns): StoredField {
  const name = constants.text(path)
  const hasText = sql`has(${columns.textNames}, ${name})`
  const hasNumber = sql`has(${columns.numberNames}, ${name})`
  const hasMember = (names: Expression) =>
    sql`arrayExists(k -> startsWith(k, ${constants.text(`${path}.`)}), ${names})`
  return {
    always: false,
    get present() {
      return anyOf([hasText, hasNumber, hasMember(columns.textNames), hasMember(columns.numberNames)])
    },
    passes: test => mappedPasses(test, { name, hasText, hasNumber, columns }, constants),
    mayPass: test => mayPassMapped([path], test, constants, columns),
    searched: true,
    mapped: [path],
  }
}

interface MappedName {
  readonly name: Expression
  readonly hasText: Condition
  readonly hasNumber: Condition
  readonly columns: FieldColumns
}

function mappedPasses(
  test: ValueTest,
  { name, hasText, hasNumber, columns }: MappedName,
  constants: SqlConstants,
): Condition {
  const { bigIntegers } = test
  const isOneOf = bigIntegers?.digits.length ? sql`has(${constants.texts(bigIntegers.digits)}, v)` : NEVER
  const textExists = (condition: Condition) => valueExists('text', name, condition, columns)
  // Few lines have a big integer, and the engine takes long to distinguish it from a text.
  const ofText = (condition: Condition) =>
    bigIntegers === undefined
      ? textExists(condition)
      : sql`if(${hasBigInteger(name, constants, columns)}, ${textExists(
          sql`if(${isBigInteger(name, constants, columns)}, ${isOneOf}, ${condition})`,
        )}, ${textExists(condition)})`
  const numberExists = (condition: Condition) =>
    sql`${hasNumber} AND ${valueExists('number', name, condition, columns)}`
  return anyOf([
    within(test.text(VALUE), condition => sql`(${hasText} AND ${ofText(condition)})`),
    within(test.number(VALUE), condition => sql`(${numberExists(condition)})`),
    // Neighbours share the number, so it only counts if the digits are unknown.
    within(bigIntegers?.number(VALUE), condition => sql`(NOT ${hasText} AND ${numberExists(condition)})`),
  ])
}

/**
 * Rows with a matching number under one of the names, or with any text under one of the names. The texts themselves are
 * not compared, because they are many times as large.
 */
function mayPassMapped(
  paths: readonly string[],
  test: ValueTest,
  constants: SqlConstants,
  columns: FieldColumns,
): Condition {
  const names = paths.map(path => constants.text(path))
  const isNamed = anyOf(names.map(name => sql`k = ${name}`))
  return anyOf([
    within(
      anyOf([test.number(VALUE), test.bigIntegers?.number(VALUE)]),
      condition =>
        sql`arrayExists((k, v) -> ${isNamed} AND ${condition}, ${columns.numberNames}, ${columns.numberValues})`,
    ),
    within(test.text(VALUE), () => anyOf(names.map(name => sql`has(${columns.textNames}, ${name})`))),
  ])
}

function hasBigInteger(name: Expression, constants: SqlConstants, columns: FieldColumns): Condition {
  return valueExists('number', name, isBeyondDouble(VALUE, constants), columns)
}

/**
 * Whether the text `v` of a field is an integer that a double cannot represent; its number is then stored, too. Such an
 * integer matches only as a whole. The engine may read its digits as a neighbouring number.
 */
function isBigInteger(name: Expression, constants: SqlConstants, columns: FieldColumns): Condition {
  const isItsNumber = sql`${isBeyondDouble(named('n'), constants)} AND abs(n - toFloat64OrZero(v)) <= abs(n) / 1e15`
  return sql`match(v, ${constants.text(BIG_INTEGER_PATTERN)}) AND arrayExists((k, n) -> k = ${name} AND ${isItsNumber}, ${columns.numberNames}, ${columns.numberValues})`
}

function isBeyondDouble(value: Expression, constants: SqlConstants): Condition {
  return sql`abs(${value}) >= ${constants.number(2 ** 53)}`
}

function valueExists(
  kind: 'text' | 'number',
  name: Expression,
  condition: Condition,
  columns: FieldColumns,
): Condition {
  const [names, values] =
    kind === 'text' ? [columns.textNames, columns.textValues] : [columns.numberNames, columns.numberValues]
  return sql`arrayExists((k, v) -> k = ${name} AND ${condition}, ${names}, ${values})`
}

/** A whole id is a place in the table, so no text needs to be computed. */
function idPasses(test: ValueTest, constants: SqlConstants): Condition | undefined {
  if (test.wholeId === undefined) return test.text(sql`toString(${LINE_ID})`)
  const parts = parseLineId(test.wholeId)
  if (parts === undefined || lineId(parts) !== test.wholeId) return NEVER
  return allOf([
    sql`toUnixTimestamp64Milli(${column.t}) = ${constants.integer(parts.timeMs)}`,
    sql`${column.topic} = ${constants.integer(TOPIC_NUMBERS[parts.topic])}`,
    sql`${column.partition} = ${constants.integer(parts.partition)}`,
    sql`${column.offset} = ${constants.integer(Number(parts.offset))}`,
    sql`${column.row} = ${constants.integer(parts.row)}`,
  ])
}

function within(condition: Condition | undefined, place: (condition: Condition) => Condition): Condition {
  return condition === undefined || condition.kind === 'never' ? NEVER : place(condition)
}

function own<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

/** The next field counts if the first is absent. */
function withFallback(first: StoredField, next: StoredField, constants: SqlConstants): StoredField {
  if (first.always) return first
  const mapped = first.mapped && next.mapped && [...first.mapped, ...next.mapped]
  return {
    always: next.always,
    get present() {
      return next.always ? ALWAYS : anyOf([first.present, next.present])
    },
    passes: test => {
      const passesNext = next.passes(test)
      if (passesNext.kind === 'never') return first.passes(test)
      return anyOf([first.passes(test), sql`(NOT ${first.present} AND ${passesNext})`])
    },
    mayPass: test =>
      mapped === undefined
        ? either(first.mayPass(test), next.mayPass(test))
        : mayPassMapped(mapped, test, constants, FIELD_COLUMNS.lines),
    searched: first.searched && next.searched,
    ...(mapped === undefined ? {} : { mapped }),
  }
}
