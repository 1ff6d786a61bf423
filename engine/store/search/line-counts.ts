import type { LineTable } from '../../../schemas/log/tables.ts'
import { MINUTE_MS } from '../../times/duration.ts'
import type { Statement, StatementRunner } from '../statement.ts'
import { hadTooManyGroups } from '../store-failure.ts'
import { sql } from './condition.ts'
import {
  type BucketRow,
  type Buckets,
  bucketStatement,
  type MinuteSlice,
  minuteBucketStatement,
  minuteSlicesStatement,
  minuteValueStatement,
  OF_ABSENT,
  OF_LINES,
  OF_MIXED,
  OF_VALUE,
  SLOT_OF_LINES,
  SLOT_OF_MIXED,
  type ValueRow,
  valueStatement,
  wordOf,
} from './count-statements.ts'
import type { LineSelection } from './line-selection.ts'
import { minutesOf, type WholeMinutes } from './minute-counts.ts'
import type { Slice } from './slices/segment-slices.ts'
import { slicesOf } from './slices/sliced-search.ts'
import { SqlConstants } from './sql-constants.ts'

/**
 * Groups of one statement on minutes. Their apps may differ from line to line; the minutes are then counted in slices with
 * so many lines, and the searches of others have their turn in between. (Our choice: some 200 ms.)
 */
const MAX_GROUPS = 100_000
const MAX_SLICES = 256

export type { Buckets } from './count-statements.ts'

/** Counts of the lines of one slice of a period. */
export interface SliceOfCounts<Counts> {
  /** UNIX ms, both inclusive. Slices come newest first and leave no gap. */
  readonly fromMs: number
  readonly toMs: number
  readonly counts: Counts
  /**
   * Whether the next slice takes little time however many lines it has, since it is counted by minutes or belongs to the
   * part of a minute at an end of the period. A time limit need not stop before it.
   */
  readonly isNextBrief?: boolean
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
  const word = wordOf(name, new SqlConstants())
  yield* sliceCounts(runner, tables, selection, signal, {
    minutes: word && minutesOf(tables, selection, [word]),
    ofMinutes: part => minuteValueStatement(part, name),
    isMixed: ({ kind }) => kind === OF_MIXED,
    ofLines: part => valueStatement(tables, part, name),
    counts: valueCounts,
  })
}

function valueCounts(rows: readonly ValueRow[]): ValueCounts {
  const of = (kind: number) => rows.find(row => row.kind === kind)?.lines ?? 0
  const values = rows.filter(row => row.kind === OF_VALUE)
  const { distinct = 0, valueLines = 0 } = values[0] ?? {}
  const absent = of(OF_ABSENT)
  return {
    // A word is the only value of its line.
    lines: rows.some(({ kind }) => kind === OF_LINES) ? of(OF_LINES) : absent + valueLines,
    absent,
    values: values.map(({ value, lines }) => [value, lines] as const),
    distinct,
    valueLines,
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
  yield* sliceCounts(runner, tables, selection, signal, {
    minutes: minutesOfBuckets(tables, selection, buckets),
    ofMinutes: part => minuteBucketStatement(part, buckets),
    isMixed: ({ slot }) => slot === SLOT_OF_MIXED,
    ofLines: part => bucketStatement(tables, part, buckets),
    counts: bucketCounts,
  })
}

function bucketCounts(rows: readonly BucketRow[]): BucketCounts {
  const totals = rows.filter(({ slot }) => slot === SLOT_OF_LINES)
  const counted = rows.filter(({ slot }) => slot !== SLOT_OF_LINES)
  return {
    lines: (totals.length > 0 ? totals : counted).reduce((sum, { lines }) => sum + lines, 0),
    buckets: counted.map(({ startMs, slot, lines }) => ({ startMs, value: slot - 1, lines })),
  }
}

/** Minutes of buckets that begin with one. */
function minutesOfBuckets(
  tables: readonly LineTable[],
  selection: LineSelection,
  { starts, by }: Buckets,
): WholeMinutes | undefined {
  if (starts.some(startMs => startMs % MINUTE_MS !== 0)) return undefined
  const word = by === undefined ? sql`''` : wordOf(by.field, new SqlConstants())
  return word && minutesOf(tables, selection, [word])
}

/** Two ways of counting the lines of a part of a period. */
interface Counted<Row, Counts> {
  /** Minutes that are counted as such; undefined: all lines are read. */
  readonly minutes: WholeMinutes | undefined
  ofMinutes(part: LineSelection): Statement
  /** Whether a row says that the lines of the minutes must be read. */
  isMixed(row: Row): boolean
  ofLines(part: LineSelection): Statement
  counts(rows: readonly Row[]): Counts
}

async function* sliceCounts<Row, Counts>(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  signal: AbortSignal,
  counted: Counted<Row, Counts>,
): AsyncGenerator<SliceOfCounts<Counts>> {
  async function* ofLines(part: LineSelection): AsyncGenerator<SliceOfCounts<Counts>> {
    for await (const slice of newestFirst(runner, tables, part, signal)) {
      const { fromMs, toMs } = slice
      const rows = await runner.query<Row>(counted.ofLines({ ...part, fromMs, toMs }), signal)
      yield { fromMs, toMs, counts: counted.counts(rows) }
    }
  }
  if (counted.minutes === undefined) return yield* ofLines(selection)
  async function* ofRows(
    minutes: Slice,
    rows: readonly Row[],
    isNextBrief: boolean,
  ): AsyncGenerator<SliceOfCounts<Counts>> {
    if (rows.some(counted.isMixed)) yield* ofLines({ ...selection, ...minutes })
    else yield { ...minutes, counts: counted.counts(rows), isNextBrief }
  }
  const { before, minutes, behind } = counted.minutes
  if (behind !== undefined) yield* beforeBrief(ofLines({ ...selection, ...behind }))
  const whole = { ...selection, ...minutes }
  const rows = await withFewGroups<Row>(runner, counted.ofMinutes(whole), signal)
  if (rows !== undefined) yield* ofRows(minutes, rows, true)
  else
    for (const slice of await minuteSlices(runner, whole, signal)) {
      const part = { ...selection, ...slice }
      yield* ofRows(slice, await runner.query<Row>(counted.ofMinutes(part), signal), false)
    }
  if (before !== undefined) yield* beforeBrief(ofLines({ ...selection, ...before }))
}

async function* beforeBrief<Counts>(
  slices: AsyncIterable<SliceOfCounts<Counts>>,
): AsyncGenerator<SliceOfCounts<Counts>> {
  for await (const slice of slices) yield { ...slice, isNextBrief: true }
}

/** @returns rows of the statement; undefined if it has too many groups for one turn among the accounts */
async function withFewGroups<Row>(
  runner: StatementRunner,
  statement: Statement,
  signal: AbortSignal,
): Promise<Row[] | undefined> {
  const bound = `SETTINGS max_rows_to_group_by = ${MAX_GROUPS}, group_by_overflow_mode = 'throw'`
  try {
    return await runner.query<Row>({ ...statement, sql: `${statement.sql}\n${bound}` }, signal)
  } catch (error) {
    if (!hadTooManyGroups(error)) throw error
    return undefined
  }
}

/** Slices of whole minutes with few groups each, newest first; together they are the time of the selection. */
async function minuteSlices(
  runner: StatementRunner,
  selection: LineSelection,
  signal: AbortSignal,
): Promise<Slice[]> {
  const statement = minuteSlicesStatement(selection, MAX_GROUPS, MAX_SLICES)
  const rows = await runner.query<MinuteSlice>(statement, signal)
  const slices: Slice[] = []
  let { toMs } = selection
  for (const [index, { first }] of rows.entries()) {
    const fromMs = index === rows.length - 1 ? selection.fromMs : first * MINUTE_MS
    slices.push({ fromMs, toMs })
    toMs = fromMs - 1
  }
  return slices
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
