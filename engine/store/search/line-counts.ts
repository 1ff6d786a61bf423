import type { LineTable } from '../../../schemas/log/tables.ts'
import type { Statement, StatementRunner } from '../statement.ts'
import { column, type Expression, named, numeral, sql, textOf } from './condition.ts'
import { countedField } from './counted-field.ts'
import type { LineSelection } from './line-selection.ts'
import { selectionConditions } from './search-statement.ts'
import type { Slice } from './segment-slices.ts'
import { slicesOf } from './sliced-search.ts'
import { type SqlConstants, withClause } from './sql-constants.ts'

/** Values of one slice that are returned, those with most lines. */
const MAX_VALUES_OF_SLICE = 10_000
/** Bytes of these values together, after the first one: the answer of a slice is parsed in one go. (Our choice.) */
const MAX_BYTES_OF_SLICE = 2 * 1024 * 1024

/** Counts of the lines of one slice of a period. */
export interface SliceOfCounts<Counts> {
  /** UNIX ms, both inclusive. Slices come newest first and leave no gap. */
  readonly fromMs: number
  readonly toMs: number
  readonly counts: Counts
}

/** Values of a field in a slice. */
export interface ValueCounts {
  readonly lines: number
  /** Lines without a value. */
  readonly absent: number
  /** Values with their lines, those with most lines first; fewer than `distinct` if there are too many, or too long ones. */
  readonly values: readonly (readonly [value: string, lines: number])[]
  /** Different values, and the sum of their lines. */
  readonly distinct: number
  readonly valueLines: number
}

/** Lines of a slice that begin at a bucket and have one of the requested values. */
export interface BucketCount {
  readonly startMs: number
  /** Index in the values; -1 for lines with none of them. */
  readonly value: number
  readonly lines: number
}

export interface BucketCounts {
  readonly lines: number
  readonly buckets: readonly BucketCount[]
}

export interface Buckets {
  /** Starts of the buckets, UNIX ms, ascending. The first is at or before the start of the selection. */
  readonly starts: readonly number[]
  /** Countable field, and the values that are counted by themselves. Absent: lines are counted as a whole. */
  readonly by?: { readonly field: string; readonly values: readonly string[] }
}

interface ValueRow {
  readonly value: string
  readonly lines: number
  /** Kind of counted lines: those of a value, those without a value, or all. */
  readonly kind: number
  readonly distinct: number
  readonly valueLines: number
}

const [OF_VALUE, OF_ABSENT, OF_LINES] = [0, 1, 2]
/** Slot of a line as such, beside those of its values. Slot 0 is that of lines with none of the requested values. */
const SLOT_OF_LINES = 65_535

/**
 * Counts lines by the values of a field, slice by slice, newest first.
 *
 * @param name of a countable field
 */
export async function* countByValue(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  name: string,
  signal: AbortSignal,
): AsyncGenerator<SliceOfCounts<ValueCounts>> {
  for await (const slice of newestFirst(runner, tables, selection, signal)) {
    const rows = await runner.query<ValueRow>(
      valueStatement(tables, { ...selection, ...slice }, name),
      signal,
    )
    const of = (kind: number | undefined) => rows.find(row => row.kind === kind)?.lines ?? 0
    const values = rows.filter(row => row.kind === OF_VALUE)
    const { distinct = 0, valueLines = 0 } = values[0] ?? {}
    const absent = of(OF_ABSENT)
    yield {
      ...slice,
      counts: {
        // A word is the only value of its line.
        lines: rows.some(({ kind }) => kind === OF_LINES) ? of(OF_LINES) : absent + valueLines,
        absent,
        values: values.map(({ value, lines }) => [value, lines] as const),
        distinct,
        valueLines,
      },
    }
  }
}

/** Counts lines by time, and by some values of a field, slice by slice, newest first. */
export async function* countByTime(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  buckets: Buckets,
  signal: AbortSignal,
): AsyncGenerator<SliceOfCounts<BucketCounts>> {
  for await (const slice of newestFirst(runner, tables, selection, signal)) {
    const statement = bucketStatement(tables, { ...selection, ...slice }, buckets)
    const rows = await runner.query<{ startMs: number; slot: number; lines: number }>(statement, signal)
    const totals = rows.filter(({ slot }) => slot === SLOT_OF_LINES)
    const counted = rows.filter(({ slot }) => slot !== SLOT_OF_LINES)
    yield {
      ...slice,
      counts: {
        lines: (totals.length > 0 ? totals : counted).reduce((sum, { lines }) => sum + lines, 0),
        buckets: counted.map(({ startMs, slot, lines }) => ({ startMs, value: slot - 1, lines })),
      },
    }
  }
}

async function* newestFirst(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  signal: AbortSignal,
): AsyncGenerator<Slice> {
  const slices = await slicesOf(runner, tables, selection, { prefer: 'tail', limit: 1 }, signal)
  yield* slices.toReversed()
}

/** A row per value, and one for the lines without a value. Where lines have several values, one row counts all lines. */
function valueStatement(tables: readonly LineTable[], selection: LineSelection, name: string): Statement {
  return statementOf(
    tables.map(table => valueGroups(table, selection, name)),
    'kind, value',
    groups => `SELECT kind, value, lines, distinct, valueLines FROM (
  SELECT *, sum(length(value)) OVER (ORDER BY kind DESC, lines DESC, value ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes FROM (
    SELECT kind, value, toFloat64(lines) AS lines, toFloat64(countIf(kind = ${OF_VALUE}) OVER ()) AS distinct,
      toFloat64(sumIf(lines, kind = ${OF_VALUE}) OVER ()) AS valueLines
    FROM (\n  ${groups}\n) ORDER BY kind DESC, lines DESC, value LIMIT ${MAX_VALUES_OF_SLICE + 2}
  )
) WHERE bytes < ${MAX_BYTES_OF_SLICE} ORDER BY kind DESC, lines DESC, value`,
  )
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

function bucketStatement(
  tables: readonly LineTable[],
  selection: LineSelection,
  buckets: Buckets,
): Statement {
  return statementOf(
    tables.map(table => bucketGroups(table, selection, buckets)),
    'startMs, slot',
    groups => `SELECT startMs, toUInt32(slot) AS slot, toFloat64(lines) AS lines FROM (
  ${groups})`,
  )
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
