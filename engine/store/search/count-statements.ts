import type { LineTable } from '../../../schemas/log/tables.ts'
import { MINUTE_MS } from '../../times/duration.ts'
import type { Statement } from '../statement.ts'
import { column, type Expression, named, numeral, sql, textOf } from './condition.ts'
import { countedField } from './counted-field.ts'
import type { LineSelection } from './line-selection.ts'
import { countedMinutes, MINUTES_TABLE } from './minute-counts.ts'
import { selectionConditions } from './search-statement.ts'
import { SqlConstants, withClause } from './sql-constants.ts'

/** Values of one slice that are returned, those with most lines. */
const MAX_VALUES_OF_SLICE = 10_000
/** Bytes of these values together, after the first one: the answer of a slice is parsed in one go. (Our choice.) */
const MAX_BYTES_OF_SLICE = 2 * 1024 * 1024

export interface Buckets {
  /** Starts of the buckets, UNIX ms, ascending. The first is at or before the start of the selection. */
  readonly starts: readonly number[]
  /** Countable field, and the values that are counted by themselves. Absent: lines are counted as a whole. */
  readonly by?: { readonly field: string; readonly values: readonly string[] }
}

export interface ValueRow {
  readonly value: string
  readonly lines: number
  /** Kind of counted lines: those of a value, those without a value, or all. */
  readonly kind: number
  readonly distinct: number
  readonly valueLines: number
}

export interface BucketRow {
  readonly startMs: number
  readonly slot: number
  readonly lines: number
}

export const [OF_VALUE, OF_ABSENT, OF_LINES, OF_MIXED] = [0, 1, 2, 3]
/** Slot of a line as such, beside those of its values. Slot 0 is that of lines with none of the requested values. */
export const SLOT_OF_LINES = 65_535
/** Slot of minutes whose lines must be read. */
export const SLOT_OF_MIXED = 65_534

/** A row per value, and one for the lines without a value. Where lines have several values, one row counts all lines. */
export function valueStatement(
  tables: readonly LineTable[],
  selection: LineSelection,
  name: string,
): Statement {
  return statementOf(
    tables.map(table => valueGroups(table, selection, name)),
    'kind, value',
    mostLinesFirst,
  )
}

/** Like `valueStatement`, with a row for minutes whose lines must be read. */
export function minuteValueStatement(selection: LineSelection, name: string): Statement {
  const constants = new SqlConstants()
  const word = wordOf(name, constants)
  const text = `SELECT toUInt8(multiIf(isMixed, ${OF_MIXED}, word = '', ${OF_ABSENT}, ${OF_VALUE})) AS kind, toString(word) AS value,
    sum(lines) AS lines FROM (\n${countedMinutes(selection, constants, word)}\n) GROUP BY kind, value`
  return statementOf([{ text, constants, scanOf: undefined }], 'kind, value', mostLinesFirst)
}

/** @param groups statement for rows of `kind`, `value` and `lines` */
function mostLinesFirst(groups: string): string {
  return `SELECT kind, value, lines, distinct, valueLines FROM (
  SELECT *, sum(length(value)) OVER (ORDER BY kind DESC, lines DESC, value ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes FROM (
    SELECT kind, value, toFloat64(lines) AS lines, toFloat64(countIf(kind = ${OF_VALUE}) OVER ()) AS distinct,
      toFloat64(sumIf(lines, kind = ${OF_VALUE}) OVER ()) AS valueLines
    FROM (\n  ${groups}\n) ORDER BY kind DESC, lines DESC, value LIMIT ${MAX_VALUES_OF_SLICE + 2}
  )
) WHERE bytes < ${MAX_BYTES_OF_SLICE} ORDER BY kind DESC, lines DESC, value`
}

function valueGroups(table: LineTable, selection: LineSelection, name: string): Groups {
  const { conditions, constants, scanOf } = selectionConditions(table, selection)
  const field = countedField(name, constants, table)
  if (field.kind === 'word')
    return {
      text: `SELECT toUInt8(if(${textOf(field.word)} = '', ${OF_ABSENT}, ${OF_VALUE})) AS kind, toString(${textOf(field.word)}) AS value,
    count() AS lines FROM ${table} AS l ${conditions}\nGROUP BY ${textOf(field.word)}`,
      constants,
      scanOf,
    }
  return {
    text: `SELECT key.1 AS kind, key.2 AS value, count() AS lines FROM (
    SELECT arrayJoin(${textOf(keysOfLine(field.texts))}) AS key FROM ${table} AS l ${conditions}
  ) GROUP BY key`,
    constants,
    scanOf: selection.account,
  }
}

function keysOfLine(texts: Expression): Expression {
  const [ofLine, ofAbsent] = [keyOf(OF_LINES), keyOf(OF_ABSENT)]
  return sql`arrayPushBack(if(empty(${texts}), [${ofAbsent}], arrayMap(v -> ${keyOf(OF_VALUE, named('v'))}, ${texts})), ${ofLine})`
}

function keyOf(kind: number, value: Expression = sql`''`): Expression {
  return sql`tuple(toUInt8(${numeral(kind)}), ${value})`
}

/** A row for each bucket and slot that has lines. */
export function bucketStatement(
  tables: readonly LineTable[],
  selection: LineSelection,
  buckets: Buckets,
): Statement {
  return statementOf(
    tables.map(table => bucketGroups(table, selection, buckets)),
    'startMs, slot',
    bucketRows,
  )
}

/** Like `bucketStatement`, with a row for minutes whose lines must be read. */
export function minuteBucketStatement(selection: LineSelection, { starts, by }: Buckets): Statement {
  const constants = new SqlConstants()
  const word = by && wordOf(by.field, constants)
  const slot = word === undefined ? numeral(0) : sql`indexOf(${constants.texts(by?.values ?? [])}, word)`
  const start = sql`roundDown(toFloat64(minute * ${numeral(MINUTE_MS)}), ${constants.numbers(starts)})`
  const text = `SELECT ${textOf(start)} AS startMs, toUInt64(if(isMixed, ${SLOT_OF_MIXED}, ${textOf(slot)})) AS slot, sum(lines) AS lines
  FROM (\n${countedMinutes(selection, constants, word)}\n) GROUP BY startMs, slot`
  return statementOf([{ text, constants, scanOf: undefined }], 'startMs, slot', bucketRows)
}

/** Minutes that are counted by one statement, since 1970, both inclusive. */
export interface MinuteSlice {
  readonly first: number
  readonly last: number
}

/**
 * Divides the minutes of a selection into slices of about so many lines, newest first, and into at most `most` of them. A
 * longer minute is one slice. Minutes without lines belong to none.
 */
export function minuteSlicesStatement(selection: LineSelection, lines: number, most: number): Statement {
  const constants = new SqlConstants()
  const text = `SELECT toFloat64(min(minute)) AS first, toFloat64(max(minute)) AS last FROM (
  SELECT minute, intDiv(sum(ofMinute) OVER (ORDER BY minute DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - 1,
    greatest(${lines}, intDiv(sum(ofMinute) OVER (), ${most}))) AS slice
  FROM (SELECT minute, sum(lines) AS ofMinute FROM (\n${countedMinutes(selection, constants)}\n) GROUP BY minute)
) GROUP BY slice ORDER BY slice`
  return { sql: withClause([constants]) + text, parameters: constants.parameters }
}

/** @param groups statement for rows of `startMs`, `slot` and `lines` */
function bucketRows(groups: string): string {
  return `SELECT startMs, toUInt32(slot) AS slot, toFloat64(lines) AS lines FROM (
  ${groups})`
}

/** The column whose words are the values of a field; undefined: it has other values, too. */
export function wordOf(field: string, constants: SqlConstants): Expression | undefined {
  const counted = countedField(field, constants, MINUTES_TABLE)
  return counted.kind === 'word' ? counted.word : undefined
}

function bucketGroups(table: LineTable, selection: LineSelection, { starts, by }: Buckets): Groups {
  const { conditions, constants, scanOf } = selectionConditions(table, selection)
  const start = sql`roundDown(toFloat64(toUnixTimestamp64Milli(${column.ts})), ${constants.numbers(starts)})`
  const slots = slotsOf(by, constants, table)
  return {
    text: `SELECT ${textOf(start)} AS startMs, ${textOf(slots.slot)} AS slot, count() AS lines FROM ${table} AS l ${conditions}
  GROUP BY startMs, slot`,
    constants,
    scanOf: slots.readsFields ? selection.account : scanOf,
  }
}

interface Slots {
  readonly slot: Expression
  readonly readsFields: boolean
}

function slotsOf(by: Buckets['by'], constants: SqlConstants, table: LineTable): Slots {
  if (by === undefined || by.values.length === 0) return { slot: numeral(0), readsFields: false }
  const values = constants.texts(by.values)
  const field = countedField(by.field, constants, table)
  if (field.kind === 'word') return { slot: sql`indexOf(${values}, ${field.word})`, readsFields: false }
  const found = sql`arrayFilter(n -> n > 0, arrayMap(v -> indexOf(${values}, v), ${field.texts}))`
  const ofLine = sql`toUInt64(${numeral(SLOT_OF_LINES)})`
  const slot = sql`arrayJoin(arrayPushBack(if(empty(${found}), [toUInt64(0)], ${found}), ${ofLine}))`
  return { slot, readsFields: true }
}

/** Numbers of lines by keys, in one table. */
interface Groups {
  readonly text: string
  readonly constants: SqlConstants
  readonly scanOf: string | undefined
}

/** A single statement, so that the counts of both tables are of one moment. */
function statementOf(groups: readonly Groups[], keys: string, around: (groups: string) => string): Statement {
  const [first] = groups as readonly [Groups]
  const union = `SELECT ${keys}, sum(lines) AS lines FROM (\n${groups.map(({ text }) => text).join('\nUNION ALL\n')}\n) GROUP BY ${keys}`
  const scanOf = groups.find(group => group.scanOf !== undefined)?.scanOf
  return {
    sql:
      withClause(groups.map(({ constants }) => constants)) + around(groups.length === 1 ? first.text : union),
    parameters: Object.assign({}, ...groups.map(({ constants }) => constants.parameters)),
    ...(scanOf === undefined ? {} : { scanOf }),
  }
}
