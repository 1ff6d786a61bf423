import { Command, InvalidArgumentError } from 'commander'
import { SECOND_MS } from '../../../engine/times/duration.ts'
import { timeSpanMs } from '../../../engine/times/time-span.ts'
import { type ApiClient, apiClient } from '../api-client.ts'
import { grouped, rate } from '../byte-size.ts'
import { apiAddress } from '../connection.ts'
import { readLimit } from '../limit.ts'
import { type LineLists, listParameters, withLineLists } from '../line-selection.ts'
import { type ListedColumn, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { readQuery } from '../query.ts'
import { timesOf } from '../times/times.ts'
import type { World } from '../world.ts'

interface TopOptions extends OutputOptions, LineLists {
  readonly by: string
  /** Milliseconds. */
  readonly window: number
  readonly limit: number
}

/** Most values that the service counts. */
const MAX_VALUES = 1_000
const WINDOW = '1m'

const HELP = `
Counts the stored lines of the last minute, and those of the minute before. Lines are stored some seconds
after they arrive. --by takes app, host, level, tag, or a field of the lines.

Examples:
  weir top                            applications with the most lines now
  weir top --watch                    the same, again and again
  weir top --by host --window 10m
  weir top 'level:error' --by app -n 5
  weir top --by status --app nginx`

export function topCommand(world: World): Command {
  const command = watchable(withOutput(new Command('top')))
    .summary('show the apps, hosts or other values with the most lines now')
    .description('Show which applications, hosts or other values have the most lines now.')
    .argument('[query]', 'search query', readQuery, '')
    .option('--by <field>', 'field whose values are counted', 'app')
    .option('--window <time>', `length of the period that is counted; default: ${WINDOW}`, readWindow)
    .option('-n, --limit <number>', `maximum number of values, up to ${MAX_VALUES}`, readLimit, 20)
  return withLineLists(command)
    .addHelpText('after', HELP)
    .action(async (query: string, options: Partial<TopOptions> & Omit<TopOptions, 'window'>) =>
      top(query, { window: timeSpanMs(WINDOW) as number, ...options }, world),
    )
}

function readWindow(text: string): number {
  const ms = timeSpanMs(text)
  if (ms === undefined || ms < SECOND_MS) throw new InvalidArgumentError('Write it like 30s or 10m.')
  return ms
}

interface Facet {
  readonly values: readonly { readonly value: string; readonly lines: number }[]
  readonly other: number
  readonly absent: number
  readonly of_lines: number
  readonly distinct: number
  readonly exact: boolean
}

interface Row {
  readonly value: string
  readonly lines: number
  readonly per_second: number
  /** null: unknown, because there were too many values. */
  readonly per_second_before: number | null
  /** Between 0 and 1. */
  readonly share: number
}

async function top(query: string, options: TopOptions, world: World): Promise<void> {
  const { by, window, limit } = options
  const api = apiClient(apiAddress(world), world)
  const toMs = world.clock.wallMs()
  const counted = (untilMs: number, values: number) =>
    facetOf(api, {
      ...{ from: untilMs - window + 1, to: untilMs, query, ...listParameters(options), fields: by },
      limit: Math.min(values, MAX_VALUES),
    })
  const [now, before] = await Promise.all([counted(toMs, limit), counted(toMs - window, MAX_VALUES)])
  const linesBefore = new Map(before.values.map(({ value, lines }) => [value, lines]))
  const seconds = window / SECOND_MS
  const rows = now.values.map(({ value, lines }): Row => {
    const earlier = linesBefore.get(value) ?? (before.other === 0 ? 0 : undefined)
    return {
      value,
      lines,
      per_second: lines / seconds,
      per_second_before: earlier === undefined ? null : earlier / seconds,
      share: lines / now.of_lines,
    }
  })
  const { text, zone } = await timesOf(world)
  const period = `${text(toMs - window)} to ${text(toMs)} (${zone})`
  const listing = {
    columns: columnsFor(by),
    rawFields: ['value'],
    none: `Nothing was stored from ${period}.`,
  }
  const after = rows.length === 0 ? [] : [about(now, by, seconds), period]
  await writeListing(listing, rows, options, world, after)
}

async function facetOf(
  api: ApiClient,
  query: Readonly<Record<string, string | number | undefined>>,
): Promise<Facet> {
  const { data } = (await api.json('/v3/search/facet', { query })) as unknown as { data: readonly Facet[] }
  return data[0] as Facet
}

function columnsFor(by: string): readonly ListedColumn<Row>[] {
  return [
    { title: by.toUpperCase(), text: row => row.value },
    { title: 'LINES/S', align: 'right', text: row => rate(row.per_second) },
    {
      title: 'BEFORE',
      align: 'right',
      text: row => (row.per_second_before === null ? '?' : rate(row.per_second_before)),
    },
    { title: 'LINES', align: 'right', text: row => grouped(row.lines) },
    { title: 'SHARE', align: 'right', text: row => `${(row.share * 100).toFixed(1)}%` },
  ]
}

function about(
  { other, absent, of_lines: all, distinct, exact }: Facet,
  by: string,
  seconds: number,
): string {
  const rest = [
    ...(other > 0 ? [`${grouped(other)} of values that are not shown`] : []),
    ...(absent > 0 ? [`${grouped(absent)} without ${by}`] : []),
  ]
  const values = `${exact ? '' : 'at least '}${grouped(distinct)}`
  const sum = `${grouped(all)} lines (${rate(all / seconds)}/s), different values of ${by}: ${values}`
  return rest.length === 0 ? sum : `${sum}; ${rest.join(', ')}`
}
