import { lineId, parseLineId } from '../../../schemas/log/position.ts'
import { TOPIC_NUMBERS } from '../../../schemas/log/topics.ts'
import { fieldPaths } from '../../query-language/field-paths.ts'
import { BIG_INTEGER_PATTERN } from '../../query-language/number-text.ts'
import type { SqlConstants } from './sql-constants.ts'

/** What a test of one value becomes in SQL; undefined when no value of this kind can pass it. */
export interface ValueTest {
  readonly text: (value: string) => string | undefined
  /** A cheap test that every text passes which passes that one; undefined when there is none. */
  readonly plain: ((value: string) => string) | undefined
  readonly number: (value: string) => string | undefined
  /**
   * Integers that a double cannot hold and that pass; undefined when values are compared in order, or when no integer
   * passes by its text.
   */
  readonly bigIntegers: BigIntegers | undefined
  /** The one id that passes, when it is asked for as a whole. */
  readonly wholeId: string | undefined
}

export interface BigIntegers {
  readonly digits: readonly string[]
  /** Passed by the number that is next to one of them, and so to its neighbours; undefined when there are none. */
  readonly number: (value: string) => string | undefined
}

/** A path of a record in the store: which rows have it, and which have a value there that passes a test. */
export interface StoredField {
  /** Every record has it. */
  readonly always: boolean
  readonly present: string
  passes(test: ValueTest): string
  /**
   * A condition that every row meets which has a value that passes, on columns that are cheap to read; undefined when
   * there is none.
   */
  mayPass(test: ValueTest): string | undefined
  /** What passes as a text is among the texts that a term looks at (query language, section 4.2). */
  readonly searched: boolean
  /** Its names in the maps, when it is nowhere else. */
  readonly mapped?: readonly string[]
}

/** SQL that is never true, as an operand of `anyOf`. */
const NEVER = '0'
const HAS_EXTRA = `l.extra != ''`

const TEXT_NAMES = 'l.text_fields.keys'
const NUMBER_NAMES = 'l.number_fields.keys'

const LINE_ID = [
  'bitShiftLeft(toUInt128(toUnixTimestamp64Milli(l.t)), 86)',
  'bitShiftLeft(toUInt128(l.topic), 84)',
  'bitShiftLeft(toUInt128(l.partition), 72)',
  'bitShiftLeft(toUInt128(l.offset), 32)',
  'toUInt128(l.row)',
].join(' + ')

const TRIMMED_LINE = `replaceRegexpOne(l.line, '[\\\\t-\\\\r ]+$', '')`
const MAY_GO_ON_AS_OBJECT = `match(pieces[n + 1], '^[\\\\t-\\\\r ]*("|}$)')`
/**
 * Whether a line holds an object is not stored: as in parsing (section 3.1), one must reach from one of the first
 * 32 braces that may begin one to the end of the text.
 */
const LOG_TYPE = `if(endsWith(${TRIMMED_LINE}, '}') AND arrayExists(pieces -> arrayExists(
  n -> isValidJSON(concat('{', arrayStringConcat(arraySlice(pieces, n + 1), '{'))),
  arraySlice(arrayFilter(n -> ${MAY_GO_ON_AS_OBJECT}, range(1, length(pieces))), 1, 32)
), [splitByChar('{', ${TRIMMED_LINE})]), 'json', 'line')`

/** Members that every record has (the stored line, section 2), in columns of words. */
const ALWAYS_WORD: Readonly<Record<string, { readonly column: string; readonly searched: boolean }>> = {
  _account: { column: 'l.account', searched: false },
  _host: { column: 'l.host', searched: true },
  _app: { column: 'l.app', searched: true },
  level: { column: 'l.level', searched: true },
}

const ALWAYS_NUMBER: Readonly<Record<string, string>> = {
  _ts: 'toUnixTimestamp64Milli(l.ts)',
  _retention: 'l.retention',
  _mezmo_line_size: 'l.size',
}

/** Members that a record has when the service knows them; otherwise what the text says counts. */
const OPTIONAL_WORD: Readonly<Record<string, { readonly column: string; readonly searched: boolean }>> = {
  _file: { column: 'l.file', searched: true },
  _env: { column: 'l.env', searched: true },
  _mac: { column: 'l.mac', searched: false },
  _ip: { column: 'l.ip', searched: false },
  _ipremote: { column: 'l.remote', searched: false },
}

/** Members of the record that the service sets itself, in columns of their own. */
const OWN_COLUMNS: ReadonlySet<string> = new Set([
  ...[ALWAYS_WORD, ALWAYS_NUMBER, OPTIONAL_WORD].flatMap(Object.keys),
  ...['_line', '_id', '_lid', '_logtype', '_tag', '_meta', '_timestamp', '_truncated', '_drift'],
])

/** Whether a path of a record is found by the names of fields that were parsed of lines. */
export function isParsedField(path: string): boolean {
  return !OWN_COLUMNS.has(path)
}

/** What a name of the query language looks at. */
export function namedField(name: string, constants: SqlConstants): StoredField {
  return fieldPaths(name)
    .map(path => storedField(path, constants))
    .reduceRight((next, field) => withFallback(field, next, constants))
}

function storedField(path: string, constants: SqlConstants): StoredField {
  const word = own(ALWAYS_WORD, path)
  if (word !== undefined) return alwaysWord(word)
  const number = own(ALWAYS_NUMBER, path)
  if (number !== undefined) return always(test => test.number(number))
  if (path === '_line') return LINE
  if (path === '_id' || path === '_lid') return always(test => idPasses(test, constants))
  if (path === '_logtype') return { ...always(test => test.text(LOG_TYPE)), mayPass: () => undefined }
  const fields = mappedField(path, constants)
  const optional = own(OPTIONAL_WORD, path)
  if (optional !== undefined) return eitherField(optionalWord(optional), fields)
  switch (path) {
    case '_tag':
      return eitherField(TAGS, fields)
    case '_meta':
      return eitherField(META, fields)
    case '_timestamp':
      return eitherField(extraText('_timestamp', `JSONExtractString(l.extra, '_timestamp')`), fields)
    case '_truncated':
      return eitherField(extraText('_truncated', `'true'`), fields)
    case '_drift':
      return eitherField(DRIFT, fields)
    default:
      return fields
  }
}

/** Meta that is a string; members of an object have paths of their own. */
export const META_STRING = 'JSONExtractString(l.meta)'
export const IS_META_STRING = `startsWith(l.meta, '"')`

export function allOf(conditions: readonly string[]): string {
  return conditions.length === 1 ? (conditions[0] as string) : `(${conditions.join(' AND ')})`
}

export function anyOf(conditions: readonly (string | undefined)[]): string {
  const possible = conditions.filter(condition => condition !== undefined && condition !== NEVER)
  if (possible.length === 0) return NEVER
  return possible.length === 1 ? (possible[0] as string) : `(${possible.join(' OR ')})`
}

const LINE: StoredField = {
  ...always(test => test.text('l.line')),
  mayPass: test => test.plain?.('l.line'),
  searched: true,
}

const TAGS: StoredField = exactly({
  always: false,
  present: 'notEmpty(l.tags)',
  passes: test => within(test.text('v'), condition => `arrayExists(v -> ${condition}, l.tags)`),
  searched: true,
})

const META: StoredField = {
  always: false,
  present: `l.meta != ''`,
  passes: test => within(test.text(META_STRING), condition => `(${IS_META_STRING} AND ${condition})`),
  mayPass: () => IS_META_STRING,
  searched: true,
}

const DRIFT: StoredField = {
  always: false,
  present: `JSONHas(l.extra, '_drift')`,
  passes: test =>
    within(
      test.number(`JSONExtractFloat(l.extra, '_drift')`),
      condition => `(JSONHas(l.extra, '_drift') AND ${condition})`,
    ),
  mayPass: () => HAS_EXTRA,
  searched: false,
}

function extraText(member: string, value: string): StoredField {
  const present = `JSONHas(l.extra, '${member}')`
  return {
    always: false,
    present,
    passes: test => within(test.text(value), condition => `(${present} AND ${condition})`),
    mayPass: () => HAS_EXTRA,
    searched: false,
  }
}

function always(passes: (test: ValueTest) => string | undefined): StoredField {
  return exactly({ always: true, present: '1', passes: test => passes(test) ?? NEVER, searched: false })
}

function alwaysWord({
  column,
  searched,
}: {
  readonly column: string
  readonly searched: boolean
}): StoredField {
  return { ...always(test => test.text(column)), searched }
}

function optionalWord({
  column,
  searched,
}: {
  readonly column: string
  readonly searched: boolean
}): StoredField {
  const present = `${column} != ''`
  return exactly({
    always: false,
    present,
    passes: test => within(test.text(column), condition => `(${present} AND ${condition})`),
    searched,
  })
}

/** A field whose own test is cheap. */
function exactly(field: Omit<StoredField, 'mayPass'>): StoredField {
  return { ...field, mayPass: field.passes }
}

/** The service's own value and those parsed from the text are never both there. */
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

function either(one: string | undefined, other: string | undefined): string | undefined {
  return one === undefined || other === undefined ? undefined : anyOf([one, other])
}

/** A field in the two maps; the look at the names alone comes first, since they are small. */
function mappedField(path: string, constants: SqlConstants): StoredField {
  const name = constants.text(path)
  const hasText = `has(${TEXT_NAMES}, ${name})`
  const hasNumber = `has(${NUMBER_NAMES}, ${name})`
  const hasMember = (names: string) =>
    `arrayExists(k -> startsWith(k, ${constants.text(`${path}.`)}), ${names})`
  return {
    always: false,
    get present() {
      return anyOf([hasText, hasNumber, hasMember(TEXT_NAMES), hasMember(NUMBER_NAMES)])
    },
    passes: test => {
      const { bigIntegers } = test
      const isOneOf = bigIntegers?.digits.length ? `has(${constants.texts(bigIntegers.digits)}, v)` : NEVER
      const textExists = (condition: string) => valueExists('text', name, condition)
      // Few lines have one, and to tell it from a text takes long.
      const ofText = (condition: string) =>
        bigIntegers === undefined
          ? textExists(condition)
          : `if(${hasBigInteger(name, constants)}, ${textExists(
              `if(${isBigInteger(name, constants)}, ${isOneOf}, ${condition})`,
            )}, ${textExists(condition)})`
      const numberExists = (condition: string) => `${hasNumber} AND ${valueExists('number', name, condition)}`
      return anyOf([
        within(test.text('v'), condition => `(${hasText} AND ${ofText(condition)})`),
        within(test.number('v'), condition => `(${numberExists(condition)})`),
        // Neighbours share the number: it only counts where the digits are not known.
        within(bigIntegers?.number('v'), condition => `(NOT ${hasText} AND ${numberExists(condition)})`),
      ])
    },
    mayPass: test => mayPassMapped([path], test, constants),
    searched: true,
    mapped: [path],
  }
}

/**
 * Rows with a number of one of the names that passes, or with any text of one of the names: the texts themselves are
 * many times as large.
 */
function mayPassMapped(paths: readonly string[], test: ValueTest, constants: SqlConstants): string {
  const names = paths.map(path => constants.text(path))
  const isNamed = anyOf(names.map(name => `k = ${name}`))
  const values = 'l.number_fields.keys, l.number_fields.values'
  return anyOf([
    within(
      anyOf([test.number('v'), test.bigIntegers?.number('v')]),
      condition => `arrayExists((k, v) -> ${isNamed} AND ${condition}, ${values})`,
    ),
    within(test.text('v'), () => anyOf(names.map(name => `has(${TEXT_NAMES}, ${name})`))),
  ])
}

function hasBigInteger(name: string, constants: SqlConstants): string {
  return valueExists('number', name, isBeyondDouble('v', constants))
}

/**
 * Whether the text `v` of a field is an integer that a double cannot hold: its number is then there, too. It is equal
 * or it is not: its text has no beginnings. The engine may read digits as a number right next to the one that is meant.
 */
function isBigInteger(name: string, constants: SqlConstants): string {
  const isItsNumber = `${isBeyondDouble('n', constants)} AND abs(n - toFloat64OrZero(v)) <= abs(n) / 1e15`
  return `match(v, ${constants.text(BIG_INTEGER_PATTERN)}) AND arrayExists((k, n) -> k = ${name} AND ${isItsNumber}, l.number_fields.keys, l.number_fields.values)`
}

function isBeyondDouble(value: string, constants: SqlConstants): string {
  return `abs(${value}) >= ${constants.number(2 ** 53)}`
}

function valueExists(kind: 'text' | 'number', name: string, condition: string): string {
  const map = `l.${kind}_fields`
  return `arrayExists((k, v) -> k = ${name} AND ${condition}, ${map}.keys, ${map}.values)`
}

/** An id that is asked for as a whole is a place in the table: no text needs to be made. */
function idPasses(test: ValueTest, constants: SqlConstants): string | undefined {
  if (test.wholeId === undefined) return test.text(`toString(${LINE_ID})`)
  const parts = parseLineId(test.wholeId)
  if (parts === undefined || lineId(parts) !== test.wholeId) return NEVER
  return allOf([
    `toUnixTimestamp64Milli(l.t) = ${constants.integer(parts.timeMs)}`,
    `l.topic = ${constants.integer(TOPIC_NUMBERS[parts.topic])}`,
    `l.partition = ${constants.integer(parts.partition)}`,
    `l.offset = ${constants.integer(Number(parts.offset))}`,
    `l.row = ${constants.integer(parts.row)}`,
  ])
}

function within(condition: string | undefined, place: (condition: string) => string): string {
  return condition === undefined || condition === NEVER ? NEVER : place(condition)
}

function own<Value>(map: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined
}

/** The next field counts where the first is absent. */
function withFallback(first: StoredField, next: StoredField, constants: SqlConstants): StoredField {
  if (first.always) return first
  const mapped = first.mapped && next.mapped && [...first.mapped, ...next.mapped]
  return {
    always: next.always,
    get present() {
      return next.always ? '1' : anyOf([first.present, next.present])
    },
    passes: test => {
      const passesNext = next.passes(test)
      if (passesNext === '0') return first.passes(test)
      return anyOf([first.passes(test), `(NOT ${first.present} AND ${passesNext})`])
    },
    mayPass: test =>
      mapped === undefined
        ? either(first.mayPass(test), next.mayPass(test))
        : mayPassMapped(mapped, test, constants),
    searched: first.searched && next.searched,
    ...(mapped === undefined ? {} : { mapped }),
  }
}
