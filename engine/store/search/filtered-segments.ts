import type { LineTable } from '../../../schemas/log/tables.ts'
import { SECTIONS } from '../../lines/word-filter/segment-filter.ts'
import { ALL_SECTIONS } from '../../lines/word-filter/word-filters.ts'
import { bitsOf, type StartKeys } from '../../lines/word-filter/word-keys.ts'
import type { Statement, StatementRunner } from '../statement.ts'
import type { LinePage, LineSelection } from './line-selection.ts'
import { mayHold, nameOf, type SoughtWords, startsOf } from './sought-words.ts'
import { nearestStoredTime } from './stored-times.ts'

/** More filter segments are not listed: the words are everywhere, and lines of the newest times are found soon. */
const MAX_SEGMENTS = 20_000
const WORD_BYTES = 8
/** A hash begins with the number of a word among so many. */
const HASHED_WORDS = 1_024

/** Lines that have filters: `some` of them have the mark that they do, or `all`. */
export type FilteredLines = 'some' | 'all'

/** Times of lines that may be in the answer, UNIX ms, both inclusive. */
export interface LineTimes {
  readonly fromMs: number
  readonly toMs: number
  /** Number of lines of the filter segment. */
  readonly lines: number
}

/** Answer of the filters of words. */
export interface TimesOfWords {
  /** Times of all lines that may be in the answer. */
  readonly times: readonly LineTimes[]
  /** Whether all of these lines have filters. */
  readonly isFiltered: boolean
}

interface SegmentRow extends LineTimes {
  readonly segment: string
  /** Whether the row may have a start, for each of them. */
  readonly held: readonly (0 | 1)[]
}

/**
 * Times of the filter segments that may have lines of an answer, and of lines without a filter. An answer that is read from these
 * times alone is as of this call.
 *
 * @returns undefined when the filters exclude too little to be of use
 */
export async function timesOfWords(
  runner: StatementRunner,
  tables: readonly LineTable[],
  selection: LineSelection,
  page: Pick<LinePage, 'behind' | 'prefer'>,
  sought: SoughtWords,
  filtered: FilteredLines,
  signal: AbortSignal,
): Promise<TimesOfWords | undefined> {
  const starts = startsOf(sought)
  if (starts === undefined) return undefined
  const rows = await runner.query<SegmentRow>(
    segmentsStatement(period(selection, page), starts, filtered === 'all' ? [] : tables),
    signal,
  )
  if (rows.length > MAX_SEGMENTS) return undefined
  const segments = [...segmentsOf(rows, starts.length)]
  const times = segments.flatMap(({ times, held }) => {
    if (held === undefined) return [times]
    const has = new Set(starts.filter((_, index) => held[index] === 1).map(nameOf))
    return mayHold(sought, start => has.has(nameOf(start))) ? [times] : []
  })
  return { times, isFiltered: segments.every(({ held }) => held !== undefined) }
}

/** The rows of a segment are those of its sections, possibly several times. */
function* segmentsOf(rows: readonly SegmentRow[], starts: number) {
  const segments = new Map<string, { times: LineTimes; held: number[] }>()
  for (const { segment, held, fromMs, toMs, lines } of rows) {
    const times = { fromMs, toMs, lines }
    if (segment === '') {
      yield { times, held: undefined }
      continue
    }
    const known = segments.get(segment) ?? { times, held: new Array<number>(starts).fill(0) }
    for (const [index, isHeld] of held.entries()) if (isHeld === 1) known.held[index] = 1
    segments.set(segment, known)
  }
  yield* segments.values()
}

interface Period {
  readonly account: string
  readonly fromMs: number
  readonly toMs: number
}

function period(
  { account, fromMs, toMs }: LineSelection,
  { behind, prefer }: Pick<LinePage, 'behind' | 'prefer'>,
): Period {
  if (behind === undefined) return { account, fromMs, toMs }
  return prefer === 'head'
    ? { account, fromMs: Math.max(fromMs, behind.ts), toMs }
    : { account, fromMs, toMs: Math.min(toMs, behind.ts) }
}

function segmentsStatement(
  { account, fromMs, toMs }: Period,
  starts: readonly StartKeys[],
  tables: readonly LineTable[],
): Statement {
  const held = starts.map(heldCondition)
  const sections = [...new Set([...starts.map(({ section }) => section), ALL_SECTIONS])]
  const ms = (time: string) => `toFloat64(toUnixTimestamp64Milli(${time}))`
  const segment =
    "concat(toString(topic), ' ', toString(partition), ' ', toString(first_offset), ' ', toString(first_row), ' ', toString(segment))"
  const bound = (name: string) => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
  const unfiltered = (table: LineTable) => `UNION ALL
SELECT '' AS segment, ${ms('min(ts)')} AS fromMs, ${ms('max(ts)')} AS toMs, toFloat64(count()) AS lines, CAST([], 'Array(UInt8)') AS held
FROM ${table}
WHERE account = {account:String} AND ts >= ${bound('from')} AND ts <= ${bound('to')} AND filtered = 0
HAVING count() > 0
`
  return {
    sql: `SELECT ${segment} AS segment, ${ms('ts_min')} AS fromMs, ${ms('ts_max')} AS toMs, toFloat64(lines) AS lines, [${held.map((_, index) => `h${index}`).join(', ')}] AS held
FROM (
  SELECT *, intDiv(length(filter), ${WORD_BYTES} * if(slice = ${ALL_SECTIONS}, ${SECTIONS}, 1)) AS words,
    ${held.map((condition, index) => `toUInt8(${condition}) AS h${index}`).join(', ')}
  FROM word_filters
  PREWHERE account = {account:String} AND slice IN (${sections.join(', ')}) AND ts_min <= ${bound('to')} AND ts_max >= ${bound('from')}
)
WHERE ${held.map((_, index) => `h${index}`).join(' OR ')}
LIMIT ${MAX_SEGMENTS + 1}
${tables.map(unfiltered).join('')}SETTINGS use_query_condition_cache = 0`,
    parameters: {
      account,
      from: nearestStoredTime(Math.floor(fromMs)),
      to: nearestStoredTime(Math.floor(toMs)),
    },
  }
}

/**
 * Whether a row of `word_filters` may have a start: all bits of its keys are set in their words. The engine plans one
 * condition on a list in less time than one for each key.
 */
function heldCondition({ section, hashes }: StartKeys): string {
  // A row of all sections has them one after the other, with equally many words.
  const first = `if(slice = ${ALL_SECTIONS}, ${section}, 0) * words`
  const word = `${first} + intDiv(hashed * words, ${HASHED_WORDS})`
  const read = `reinterpretAsUInt64(substring(filter, 1 + ${WORD_BYTES} * (${word}), ${WORD_BYTES}))`
  const hashed = hashes.map(hash => hash >> 54n).join(', ')
  const bits = hashes.map(bitsOf).join(', ')
  return `slice IN (${section}, ${ALL_SECTIONS}) AND arrayAll((hashed, bits) -> bitAnd(${read}, bits) = bits, [${hashed}], [${bits}])`
}
