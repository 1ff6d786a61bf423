import { Command, Option } from 'commander'
import type { JsonObject } from '../../schemas/json.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { EXIT, type ExitCode, UNREACHABLE } from './command-error.ts'
import { apiAddress } from './connection.ts'
import { readLimit } from './limit.ts'
import {
  type LineLists,
  listParameters,
  type PeriodOptions,
  periodOf,
  withLineLists,
  withPeriod,
} from './line-selection.ts'
import { lineListing, lineText } from './line-text.ts'
import { isChosen, type OutputOptions, rowWriter, textWriter, withOutput } from './output/output.ts'
import { watchable } from './output/watch.ts'
import { readQuery } from './query.ts'
import { timesOf } from './times/times.ts'
import { type World, write } from './world.ts'

/** Largest page of the service: export, section 6.1. */
const MAX_PAGE = 10_000

interface SearchOptions extends OutputOptions, LineLists, PeriodOptions {
  readonly limit: number
  readonly prefer: 'head' | 'tail'
  readonly failIfNone?: true
}

const HELP = `
The query language in short: words that must all occur; "a phrase"; a OR b; -not; level:error;
status:>=500; app:(nginx OR api). OR binds tighter than AND. No query means every line.
Put -- before a query that begins with -. "weir help query" explains it.

Lines are printed oldest first. Of more than --limit lines, the newest are shown (--prefer head: the oldest).
"weir export" writes all lines, however many they are.

Exit codes: 0 even when nothing was found (1 with --fail-if-none), 2 wrong usage or query,
3 ${UNREACHABLE}.

Examples:
  weir search 'timeout -healthcheck' --from 1h
  weir search 'status:>=500' --app nginx --limit 1000
  weir search -- '-debug level:warn'
  weir search level:error --from 2026-01-01 --to 2026-01-02 --json | jq ._line`

export function searchCommand(world: World, finish: (code: ExitCode) => void): Command {
  const command = watchable(withOutput(new Command('search'), 'print each record as a line of JSON'))
    .summary('find stored lines')
    .description('Find stored lines and print them, oldest first.')
    .argument('[query]', 'search query', readQuery, '')
  withPeriod(command, '1d').option('-n, --limit <number>', 'maximum number of lines to print', readLimit, 100)
  return withLineLists(command)
    .addOption(
      new Option('--prefer <end>', 'lines to print if there are more: head or tail')
        .choices(['head', 'tail'])
        .default('tail'),
    )
    .option('--fail-if-none', 'exit with 1 when nothing is found')
    .addHelpText('after', HELP)
    .action(async (query: string, options: SearchOptions) => finish(await search(query, options, world)))
}

async function search(query: string, options: SearchOptions, world: World): Promise<ExitCode> {
  const times = await timesOf(world)
  const parameters = {
    ...periodOf(options, times),
    query,
    size: Math.min(options.limit, MAX_PAGE),
    prefer: options.prefer,
    ...listParameters(options),
  }
  let incomplete: string | undefined
  const pages = recordPages(apiClient(apiAddress(world), world), parameters, options.limit, headers => {
    incomplete ??= headers.get('x-weir-incomplete') ?? undefined
  })
  const writer = isChosen(options)
    ? rowWriter(lineListing(times), options, world)
    : textWriter(lineText(world, options.json === true, times), world)
  let found = 0
  // The tail returns the newest page first, so all pages are needed before the oldest line can be printed.
  const held: JsonObject[][] = []
  for await (const records of pages) {
    found += records.length
    if (options.prefer === 'tail') held.push(records)
    else await writer.write(records)
    if (world.stdout.destroyed) break
  }
  for (const records of held.reverse()) await writer.write(records)
  await writer.end()
  if (incomplete !== undefined) await write(world.stderr, `${incompleteSentence(incomplete)}\n`)
  return found === 0 && options.failIfNone ? EXIT.partly : EXIT.done
}

/** @param header such as `fields; days="2026-11-20, 2026-11-21"; more=3` */
function incompleteSentence(header: string): string {
  const days = /days="([^"]*)"/.exec(header)?.[1] ?? ''
  const more = /more=(\d+)/.exec(header)?.[1]
  const which = more === undefined ? days : `${more} more days up to ${days}`
  return (
    `Lines may be missing: on ${which} (UTC) there were more names of fields than are indexed. ` +
    'Search for words of such fields without the name: weir search timeout'
  )
}

type Parameters = Readonly<Record<string, string | number | undefined>> & { readonly prefer: 'head' | 'tail' }

/** Pages of at most `limit` records in total; all pages must use the same parameters (export, section 6.3). */
async function* recordPages(
  api: ApiClient,
  parameters: Parameters,
  limit: number,
  onHeaders: (headers: Headers) => void,
): AsyncGenerator<JsonObject[]> {
  let left = limit
  let page: string | undefined
  do {
    const answer = (await api.json('/v2/export', {
      query: { ...parameters, pagination_id: page },
      onHeaders,
    })) as JsonObject
    const lines = answer.lines as JsonObject[]
    yield lines.length <= left
      ? lines
      : parameters.prefer === 'tail'
        ? lines.slice(-left)
        : lines.slice(0, left)
    left -= lines.length
    page = answer.pagination_id ? String(answer.pagination_id) : undefined
  } while (page && left > 0)
}
