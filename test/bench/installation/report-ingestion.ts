import type { Report } from '../figure.ts'
import type { MeasuredIngestion } from './ingestion.ts'
import type { StoreContents } from './store-contents.ts'
import { threadGroups } from './thread-groups.ts'

export interface IngestionTitle {
  /** Title of the report, such as "2M lines, bodies of 1,000, 8 connections". */
  readonly title: string
  readonly noun: 'lines' | 'events'
  /** End of the way. */
  readonly arrived: 'stored' | 'handled' | 'delivered'
}

type Value = (measured: MeasuredIngestion) => number

/** Figures of the whole way; a value for each round. */
export function reportIngestion(
  { title, noun, arrived }: IngestionTitle,
  rounds: readonly MeasuredIngestion[],
  report: Report,
): void {
  const figure = (what: string, unit: string, value: Value) =>
    report({ name: `${title}: ${what}`, unit, values: rounds.map(value) })
  const parseMean: Value = ({ parse }) => (parse.before + parse.after) / 2
  figure(arrived, `${noun}/s`, ({ load, arrivedSeconds }) => load.lines / arrivedSeconds)
  report({
    name: `${title}: ${arrived}, of one core`,
    unit: `${noun} per CPU-s`,
    values: rounds.map(({ load, cpuSeconds }) => load.lines / cpuSeconds),
    floor: { name: 'bare JSON.parse', values: rounds.map(parseMean) },
  })
  figure('bare JSON.parse before it', `${noun} per CPU-s`, ({ parse }) => parse.before)
  figure('bare JSON.parse after it', `${noun} per CPU-s`, ({ parse }) => parse.after)
  figure('requests', 'requests per CPU-s', ({ load, cpuSeconds }) => load.requests / cpuSeconds)
  figure('acknowledged: p50', 'ms', ({ load }) => load.p50Ms)
  figure('acknowledged: p99', 'ms', ({ load }) => load.p99Ms)
  figure('largest resident memory', 'MB', ({ peakMegabytes }) => peakMegabytes)
  reportCollections(figure, noun)
  const rewritten: Value = ({ load, rewrittenRows }) => rewrittenRows / load.lines
  if (arrived === 'stored') figure('rows written again by merges', 'per stored row', rewritten)
  report({
    name: `${title}: rows that fell back`,
    unit: '%',
    values: rounds.flatMap(({ fallenBackRows, load }) =>
      fallenBackRows === undefined ? [] : [(fallenBackRows * 100) / load.lines],
    ),
  })
}

/** Processor time of each group of threads: where a line's time goes in the whole program. */
export function reportThreads(title: string, rounds: readonly MeasuredIngestion[], report: Report): void {
  const groups = rounds.map(threadGroups)
  for (const name of Object.keys(groups[0] ?? {})) {
    const nsOf = (round: number) =>
      ((groups[round]?.[name] ?? 0) * 1e9) / (rounds[round] as MeasuredIngestion).load.lines
    report({ name: `${title}: ${name}`, unit: 'ns a line', values: rounds.map((_, round) => nsOf(round)) })
  }
}

function reportCollections(
  figure: (what: string, unit: string, value: Value) => void,
  noun: IngestionTitle['noun'],
): void {
  figure('full collections of the main thread', 'count', ({ collector }) => collector.full)
  const nsOf =
    (ms: Value): Value =>
    measured =>
      (ms(measured) * 1e6) / measured.load.lines
  const unit = noun === 'lines' ? 'ns a line' : 'ns an event'
  figure(
    'main thread stopped by full collections',
    unit,
    nsOf(({ collector }) => collector.fullMs),
  )
  figure(
    'main thread stopped by young collections',
    unit,
    nsOf(({ collector }) => collector.youngMs),
  )
}

/** Columns that take less than this of a line are summed. */
const SMALL_BYTES = 0.1

/** Sizes of active parts, per line. */
export function reportContents(
  title: string,
  { tables, columns }: StoreContents,
  lines: number,
  report: Report,
): void {
  const figure = (what: string, unit: string, value: number) =>
    report({ name: `${title}: ${what}`, unit, values: [value] })
  const bytes = tables.reduce((sum, table) => sum + table.bytes, 0)
  figure('on the disk, all tables', 'B a line', bytes / lines)
  const small = columns.filter(column => column.bytes / lines < SMALL_BYTES)
  for (const column of columns)
    if (!small.includes(column))
      figure(`on the disk, column ${column.name}`, 'B a line', column.bytes / lines)
  const rest = small.reduce((sum, column) => sum + column.bytes, 0)
  figure(`on the disk, ${small.length} smaller columns`, 'B a line', rest / lines)
  for (const table of tables.filter(
    each => each.table !== 'slotted_lines' && each.bytes / lines >= SMALL_BYTES,
  ))
    figure(`on the disk, table ${table.table}`, 'B a line', table.bytes / lines)
  const stored = tables.find(({ table }) => table === 'slotted_lines')
  const known = columns.reduce((sum, column) => sum + column.bytes, 0)
  figure(
    'on the disk, small parts that report no columns',
    'B a line',
    ((stored?.bytes ?? 0) - known) / lines,
  )
  figure('active parts of the table of lines, of a day at most', 'parts', stored?.partsOfDay ?? 0)
}
