import { Command, InvalidArgumentError } from 'commander'
import { grouped } from '../byte-size.ts'
import { withLineLists, withPeriod } from '../line-selection.ts'
import {
  isChosen,
  type ListedColumn,
  type Listing,
  type OutputOptions,
  withOutput,
  writeListing,
} from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { readQuery } from '../query.ts'
import { timesOf } from '../times/times.ts'
import type { World } from '../world.ts'
import { type CountOptions, counted, noteCoverage } from './counting.ts'

interface HistogramOptions extends OutputOptions, CountOptions {
  readonly by?: string
  readonly buckets: number
}

/** Bounds of the service. */
const [LEAST_BUCKETS, MOST_BUCKETS] = [10, 2_000]
/** Length of the longest bar, in characters. */
const BAR = 40

const HELP = `
Buckets begin at round times of the zone (--tz). With --by, the ten values with the most lines have
columns of their own.

Examples:
  weir histogram level:error --from 7d
  weir histogram --by level --from 1h --buckets 12
  weir histogram --app nginx -o csv > lines.csv`

export function histogramCommand(world: World): Command {
  const command = watchable(withOutput(new Command('histogram')))
    .summary('count lines over time')
    .description('Count the lines that a search finds over time.')
    .argument('[query]', 'search query', readQuery, '')
    .option('--by <field>', 'field whose values are counted separately: app, level, status')
    .option('--buckets <number>', 'maximum number of rows, 10 to 2000', readBuckets, 24)
  return withLineLists(withPeriod(command, '1d'))
    .addHelpText('after', HELP)
    .action(async (query: string, options: HistogramOptions) => histogram(query, options, world))
}

function readBuckets(text: string): number {
  const buckets = Number(text)
  if (!/^\d{1,4}$/.test(text) || buckets < LEAST_BUCKETS || buckets > MOST_BUCKETS)
    throw new InvalidArgumentError(`It must be a number from ${LEAST_BUCKETS} to ${MOST_BUCKETS}.`)
  return buckets
}

interface Histogram {
  readonly starts: readonly number[]
  readonly series: readonly { readonly name: string; readonly lines: readonly number[] }[]
  readonly other: readonly number[]
  readonly lines: number
  readonly complete: boolean
  readonly covered_from: number
}

interface Row {
  /** Start of the bucket, UNIX ms. */
  readonly start: number
  readonly lines: number
  /** Lines of each value of the field `by`. */
  readonly by?: Readonly<Record<string, number>>
}

async function histogram(query: string, options: HistogramOptions, world: World): Promise<void> {
  const { by, buckets } = options
  const { zone } = await timesOf(world)
  const { answer, times, period } = await counted<Histogram>(
    '/v3/search/histogram',
    { query, options, by, buckets, zone },
    world,
  )
  const rows = answer.lines === 0 ? [] : rowsOf(answer, by)
  const most = Math.max(1, ...rows.map(({ lines }) => lines))
  const names = by === undefined ? [] : answer.series.map(({ name }) => name)
  const columns: ListedColumn<Row>[] = [
    { title: `FROM (${times.zone})`, text: ({ start }) => times.text(start) },
    ...names.map(
      (name): ListedColumn<Row> => ({
        ...{ title: name, align: 'right', text: row => grouped(row.by?.[name] ?? 0) },
      }),
    ),
    { title: 'LINES', align: 'right', text: ({ lines }) => grouped(lines) },
    { title: '', text: ({ lines }) => '━'.repeat(Math.ceil((lines / most) * BAR)) },
  ]
  const listing: Listing<Row> = {
    columns: isChosen(options) || names.length > 0 ? columns.slice(0, -1) : columns,
    rawFields: ['start', 'lines'],
    none: `No lines were found from ${period}.`,
  }
  const after = rows.length === 0 ? [] : [`${grouped(answer.lines)} lines from ${period}`]
  await writeListing(listing, rows, options, world, after)
  await noteCoverage(answer, times, world)
}

function rowsOf({ starts, series, other }: Histogram, by: string | undefined): Row[] {
  return starts.map((start, at) => {
    const counts = series.map(({ name, lines }) => [name, lines[at] ?? 0] as const)
    const lines = counts.reduce((sum, [, count]) => sum + count, other[at] ?? 0)
    return { start, lines, ...(by !== undefined && { by: Object.fromEntries(counts) }) }
  })
}
