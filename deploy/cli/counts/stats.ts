import { Command } from 'commander'
import { grouped } from '../byte-size.ts'
import { readLimit } from '../limit.ts'
import { withLineLists, withPeriod } from '../line-selection.ts'
import { type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { readQuery } from '../query.ts'
import type { World } from '../world.ts'
import { type CountOptions, counted, noteCoverage } from './counting.ts'

interface StatsOptions extends OutputOptions, CountOptions {
  readonly by: string
  readonly limit: number
}

const HELP = `
--by takes up to ten fields: app, host, level, file, env, tag, or fields of the lines.

Examples:
  weir stats                             lines of the last day by application and level
  weir stats timeout --by host -n 5
  weir stats --by status,method --app nginx --from 7d
  weir stats --by app -o csv > lines.csv`

export function statsCommand(world: World): Command {
  const command = watchable(withOutput(new Command('stats')))
    .summary('count lines by values of fields')
    .description('Count the lines that a search finds by values of fields.')
    .argument('[query]', 'search query', readQuery, '')
    .option('--by <fields>', 'fields, separated by commas', 'app,level')
    .option('-n, --limit <number>', 'maximum number of values of a field, up to 1000', readLimit, 10)
  return withLineLists(withPeriod(command, '1d'))
    .addHelpText('after', HELP)
    .action(async (query: string, options: StatsOptions) => stats(query, options, world))
}

interface Facet {
  readonly field: string
  readonly values: readonly { readonly value: string; readonly lines: number }[]
  readonly other: number
  readonly absent: number
  readonly of_lines: number
  readonly complete: boolean
  readonly covered_from: number
}

interface Row {
  readonly field: string
  /** null: lines without a value, or with values that are not listed. */
  readonly value: string | null
  readonly lines: number
  /** Between 0 and 1. */
  readonly share: number
  readonly kind: 'value' | 'others' | 'without'
}

async function stats(query: string, options: StatsOptions, world: World): Promise<void> {
  const { by: fields, limit } = options
  const { answer, times, period } = await counted<readonly Facet[]>(
    '/v3/search/facet',
    { query, options, fields, limit },
    world,
  )
  const [first] = answer
  const all = first?.of_lines ?? 0
  const rows = all === 0 ? [] : answer.flatMap(rowsOf)
  const listing: Listing<Row> = {
    columns: [
      { title: 'FIELD', text: ({ field }) => field },
      { title: 'VALUE', text: ({ value, kind }) => value ?? (kind === 'others' ? '(others)' : '(none)') },
      { title: 'LINES', align: 'right', text: ({ lines }) => grouped(lines) },
      { title: 'SHARE', align: 'right', text: ({ share }) => `${(share * 100).toFixed(1)}%` },
    ],
    rawFields: ['field', 'value', 'lines'],
    none: `No lines were found from ${period}.`,
  }
  const after = rows.length === 0 ? [] : [`${grouped(all)} lines from ${period}`]
  await writeListing(listing, rows, options, world, after)
  if (first !== undefined) await noteCoverage(first, times, world)
}

function rowsOf({ field, values, other, absent, of_lines: all }: Facet): Row[] {
  const row = (kind: Row['kind'], value: string | null, lines: number): Row => ({
    ...{ field, value, lines, share: lines / all, kind },
  })
  return [
    ...values.map(({ value, lines }) => row('value', value, lines)),
    ...(other > 0 ? [row('others', null, other)] : []),
    ...(absent > 0 ? [row('without', null, absent)] : []),
  ]
}
