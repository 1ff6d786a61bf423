import { Command } from 'commander'
import { grouped } from '../byte-size.ts'
import { readLimit } from '../limit.ts'
import { withLineLists, withPeriod } from '../line-selection.ts'
import { type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { readQuery } from '../query.ts'
import type { World } from '../world.ts'
import { type CountOptions, counted, noteCoverage } from './counting.ts'

interface FieldsOptions extends OutputOptions, CountOptions {
  readonly prefix?: string
  readonly limit: number
}

const HELP = `
The newest 100,000 lines that the search finds are read. Names are those of the query language.

Examples:
  weir fields --app nginx
  weir fields --from 7d -o json
  weir fields level:error --from 7d -o raw`

export function fieldsCommand(world: World): Command {
  const command = withOutput(new Command('fields'))
    .summary('list the fields of lines, with examples of their values')
    .description('List the fields of the lines that a search finds, those of the most lines first.')
    .argument('[query]', 'search query', readQuery, '')
    .option('--prefix <text>', 'only names that begin with this text')
    .option('-n, --limit <number>', 'maximum number of fields, up to 1000', readLimit, 100)
  return withLineLists(withPeriod(command, '1d'))
    .addHelpText('after', HELP)
    .action(async (query: string, options: FieldsOptions) => fields(query, options, world))
}

interface Field {
  readonly name: string
  readonly type: 'text' | 'number' | 'both'
  readonly lines: number
  readonly examples: readonly string[]
}

interface Fields {
  readonly fields: readonly Field[]
  readonly of_lines: number
  readonly complete: boolean
  readonly covered_from: number
}

async function fields(query: string, options: FieldsOptions, world: World): Promise<void> {
  const { prefix, limit } = options
  const { answer, times, period } = await counted<Fields>(
    '/v3/search/field',
    { query, options, prefix, limit },
    world,
  )
  const listing: Listing<Field> = {
    columns: [
      { title: 'NAME', text: ({ name }) => name },
      { title: 'TYPE', text: ({ type }) => (type === 'both' ? 'text and number' : type) },
      { title: 'LINES', align: 'right', text: ({ lines }) => grouped(lines) },
      { title: 'EXAMPLES', text: ({ examples }) => examples.map(shortened).join(', ') },
    ],
    rawFields: ['name'],
    none: `No fields were found from ${period}.`,
  }
  const after = answer.fields.length === 0 ? [] : [`${grouped(answer.of_lines)} lines from ${period}`]
  await writeListing(listing, answer.fields, options, world, after)
  await noteCoverage(answer, times, world)
}

const LONGEST_EXAMPLE = 30

function shortened(text: string): string {
  return text.length <= LONGEST_EXAMPLE ? text : `${text.slice(0, LONGEST_EXAMPLE - 1)}…`
}
