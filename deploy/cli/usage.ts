import { Argument, Command } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import { utcDay } from '../../engine/times/utc-day.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { apiClient } from './api-client.ts'
import { byteSize, grouped } from './byte-size.ts'
import { apiAddress } from './connection.ts'
import { readLimit } from './limit.ts'
import { type ListedColumn, type OutputOptions, withOutput, writeListing } from './output/output.ts'
import { watchable } from './output/watch.ts'
import { NOTHING_KEPT, presentRetention } from './retention.ts'
import { timesOf } from './times/times.ts'
import { type World, write } from './world.ts'

interface UsageOptions extends OutputOptions {
  readonly from: string
  readonly to: string
  readonly limit?: number
  readonly retention?: string
}

interface UsageRow {
  readonly name: string
  readonly bytes: number
}

const HELP = `
Whole UTC days are counted, the first and the last one included. A line with several tags counts
for each of them.

Examples:
  weir usage                          bytes stored today
  weir usage apps --from 7d           per application, of the last seven days and today
  weir usage tags --from 2026-01-01 --to 2026-01-31
  weir usage apps nginx --json`

export function usageCommand(world: World): Command {
  return watchable(withOutput(new Command('usage'), 'print the answer of the service as it is'))
    .summary('show how many bytes were stored, by app, tag or host')
    .description('Show how many bytes were stored: in total, or by application, tag or host.')
    .addArgument(new Argument('[kind]', 'dimension of the count').choices(['apps', 'tags', 'hosts']))
    .argument('[name]', 'only this value')
    .option('--from <time>', 'first day: 7d, today, yesterday, 2026-01-31', 'today')
    .option('--to <time>', 'last day', 'today')
    .option('--limit <number>', 'maximum number of entries, the largest first', readLimit)
    .option('--retention <days>', 'only lines of this retention pool, such as 7d')
    .addHelpText('after', HELP)
    .action(async (kind: string | undefined, name: string | undefined, options: UsageOptions) =>
      usage(kind, name, options, world),
    )
}

async function usage(
  kind: string | undefined,
  name: string | undefined,
  options: UsageOptions,
  world: World,
): Promise<void> {
  // Usage is counted in days of UTC, whatever the zone of the user.
  const times = await timesOf({ ...world, env: {} })
  const path = ['/v2/usage', kind, name]
    .filter(part => part !== undefined)
    .map(pathPart)
    .join('/')
  const answer = (await apiClient(apiAddress(world), world).json(path, {
    query: {
      from: times.iso(times.read('--from', options.from, 'start')),
      to: times.iso(times.read('--to', options.to, 'end')),
      limit: kind && !name ? options.limit : undefined,
      retention: kind ? options.retention : undefined,
    },
  })) as JsonObject
  if (options.json) return write(world.stdout, `${jsonText(answer)}\n`)
  const planDays = kind ? undefined : await presentRetention(world)
  const rows = kind ? namedRows(answer) : totalRows(answer, planDays)
  const days = `${firstDay(answer)} to ${lastDay(answer)} (UTC)`
  const columns: ListedColumn<UsageRow>[] = [
    { title: (kind ?? 'what').toUpperCase(), text: row => row.name },
    { title: 'SIZE', align: 'right', text: row => byteSize(row.bytes) },
    { title: 'BYTES', align: 'right', text: row => grouped(row.bytes) },
  ]
  const about = planDays === undefined ? [] : aboutPlan(answer, planDays)
  const after = rows.length === 0 ? [] : [days, ...about]
  const none = `Nothing was stored from ${days}.`
  await writeListing({ columns, rawFields: ['name'], none }, rows, options, world, after)
}

/** The first part is the path itself; user input is percent-encoded. */
function pathPart(part: string, index: number): string {
  return index === 0 ? part : encodeURIComponent(part)
}

function namedRows(answer: JsonObject): UsageRow[] {
  const results = answer.results as { name: string; total_bytes: number | bigint }[]
  return results.map(result => ({ name: result.name, bytes: Number(result.total_bytes) }))
}

const POOL = /^(\d+d)_vr_bytes$/

/**
 * Totals: retained volume of the plan, and one row per retention pool with data (usage, section 8.2).
 *
 * @param planDays present retention of the account; undefined: unknown
 */
function totalRows(answer: JsonObject, planDays: number | undefined): UsageRow[] {
  return Object.entries(answer.results as JsonObject)
    .filter(([member, bytes]) => member === 'plan_bytes' || Number(bytes) > 0)
    .map(([member, bytes]) => ({ name: totalName(member, planDays), bytes: Number(bytes) }))
}

function totalName(member: string, planDays: number | undefined): string {
  if (member === 'plan_bytes') return planName(planDays)
  const pool = POOL.exec(member)?.[1]
  return pool ? `kept ${pool} (pool)` : member
}

function planName(days: number | undefined): string {
  if (days === undefined) return 'retention of the account'
  return days === 0 ? 'never found: 0 days (account)' : `kept ${days}d (account)`
}

/** Lines of the plan keep the days with which they were stored; only the present ones are known here. */
function aboutPlan({ results }: JsonObject, days: number): string[] {
  if (days === 0) return [NOTHING_KEPT]
  const isNothing = Number((results as JsonObject).plan_bytes) === 0
  return isNothing
    ? []
    : [`Lines that arrived before the account was set to ${days} days keep their own days.`]
}

// The bounds of the answer are exclusive: one millisecond before the first day, and the start of the day after the last.
function firstDay(answer: JsonObject): string {
  return utcDay(Date.parse(String(answer.from)) + 1)
}

function lastDay(answer: JsonObject): string {
  return utcDay(Date.parse(String(answer.to)) - 1)
}
