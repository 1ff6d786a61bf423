import { Argument, Command } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { apiClient } from './api-client.ts'
import { byteSize, grouped } from './byte-size.ts'
import { apiAddress } from './connection.ts'
import { readLimit } from './limit.ts'
import { pointInTime } from './point-in-time.ts'
import { retentionWarning } from './retention.ts'
import { type Column, tableLines } from './table.ts'
import { type World, write, writeLines } from './world.ts'

interface UsageOptions {
  readonly from: string
  readonly to: string
  readonly limit?: number
  readonly retention?: string
  readonly json?: true
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
  return new Command('usage')
    .summary('show how many bytes were stored, by app, tag or host')
    .description('Show how many bytes were stored: in total, or by application, tag or host.')
    .addArgument(new Argument('[kind]', 'dimension of the count').choices(['apps', 'tags', 'hosts']))
    .argument('[name]', 'only this value')
    .option('--from <time>', 'first day: 7d, today, yesterday, 2026-01-31', 'today')
    .option('--to <time>', 'last day', 'today')
    .option('--limit <number>', 'maximum number of entries, the largest first', readLimit)
    .option('--retention <days>', 'only lines of this retention pool, such as 7d')
    .option('--json', 'print the answer of the service as it is')
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
  const nowMs = world.clock.wallMs()
  const path = ['/v2/usage', kind, name]
    .filter(part => part !== undefined)
    .map(pathPart)
    .join('/')
  const answer = (await apiClient(apiAddress(world), world).json(path, {
    query: {
      from: new Date(pointInTime('--from', options.from, nowMs, 'start')).toISOString(),
      to: new Date(pointInTime('--to', options.to, nowMs, 'end')).toISOString(),
      limit: kind && !name ? options.limit : undefined,
      retention: kind ? options.retention : undefined,
    },
  })) as JsonObject
  if (options.json) return write(world.stdout, `${jsonText(answer)}\n`)
  const rows = kind ? namedRows(answer) : totalRows(answer)
  const days = `${firstDay(answer)} to ${lastDay(answer)} (UTC)`
  const warning = kind ? [] : await retentionWarning(world)
  if (rows.length === 0) return write(world.stdout, `Nothing was stored from ${days}.\n`)
  const columns: Column<UsageRow>[] = [
    { title: (kind ?? 'what').toUpperCase(), text: row => row.name },
    { title: 'SIZE', align: 'right', text: row => byteSize(row.bytes) },
    { title: 'BYTES', align: 'right', text: row => grouped(row.bytes) },
  ]
  const lines = tableLines(columns, rows, world.stdout.isTTY === true && !world.env.NO_COLOR)
  await writeLines(world.stdout, [...lines, '', days, ...warning])
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

/** Totals: retained volume of the plan, and one row per retention pool with data (usage, section 8.2). */
function totalRows(answer: JsonObject): UsageRow[] {
  return Object.entries(answer.results as JsonObject)
    .filter(([member, bytes]) => member === 'plan_bytes' || Number(bytes) > 0)
    .map(([member, bytes]) => ({ name: totalName(member), bytes: Number(bytes) }))
}

function totalName(member: string): string {
  if (member === 'plan_bytes') return 'retention of the plan'
  const pool = POOL.exec(member)?.[1]
  return pool ? `kept ${pool} (pool)` : member
}

// The bounds of the answer are exclusive: one millisecond before the first day, and the start of the day after the last.
function firstDay(answer: JsonObject): string {
  return new Date(Date.parse(String(answer.from)) + 1).toISOString().slice(0, 10)
}

function lastDay(answer: JsonObject): string {
  return new Date(Date.parse(String(answer.to)) - 1).toISOString().slice(0, 10)
}
