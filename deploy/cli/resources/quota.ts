import { Command } from 'commander'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { apiClient } from '../api-client.ts'
import { byteSize } from '../byte-size.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { apiAddress } from '../connection.ts'
import { type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { note, type World } from '../world.ts'
import { givenObject, withObject } from './given-object.ts'
import type { MemberOption } from './resource.ts'

const HELP = `
A quota limits the bytes that are stored in a UTC day and in a calendar month. A change of a limit switches off
its rules. Sizes are bytes, or numbers with kB, MB, GB or TB (powers of 1,000).

Examples:
  weir quota list
  weir quota update --daily 10GB
  weir quota update --daily 10GB --set daily.discard=true
  weir quota update --monthly 0`

const PATH = '/v1/config/usage-quotas'
const UNITS: Readonly<Record<string, number>> = { '': 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 }
const OPTIONS: readonly MemberOption[] = ['daily', 'monthly'].map(period => ({
  flags: `--${period} <size>`,
  about: `limit: 500MB, 10GB; 0: none`,
  member: `${period}.limit`,
  read: sizeOf,
}))

interface Row {
  readonly period: string
  readonly limit: number
  readonly discard: boolean
  readonly rules: JsonValue
  readonly used: JsonValue
  readonly in_force: JsonValue
}

const QUOTAS: Listing<Row> = {
  columns: [
    { title: 'PERIOD', text: ({ period }) => period },
    { title: 'LIMIT', align: 'right', text: ({ limit }) => (limit === 0 ? 'none' : byteSize(limit)) },
    {
      title: 'BEYOND IT',
      text: ({ limit, discard }) => (limit === 0 ? '-' : discard ? 'discarded' : 'stored'),
    },
    { title: 'RULES', align: 'right', text: ({ rules }) => String(Array.isArray(rules) ? rules.length : 0) },
    { title: 'STORED', align: 'right', text: ({ used }) => (used === null ? '-' : byteSize(Number(used))) },
    {
      title: 'ACTS NOW',
      text: ({ in_force: acts }) => (acts === null ? 'no' : `until ${String((acts as JsonObject).until)}`),
    },
  ],
  rawFields: ['period', 'limit'],
  none: 'There are no quotas.',
}

export function quotaCommand(world: World): Command {
  const command = new Command('quota')
    .summary('show or set the quotas of stored bytes')
    .description('Show or set the quotas of stored bytes per day and per month.')
    .addHelpText('after', HELP)
  for (const verb of ['list', 'get'])
    watchable(withOutput(command.command(verb)))
      .description('Show both quotas, and what they do now.')
      .action(async (options: OutputOptions) => {
        await show((await apiClient(apiAddress(world), world).json(PATH)) as JsonObject, options, world)
      })
  const update = withObject(withOutput(command.command('update')), OPTIONS)
    .description('Set fields of the quotas; the others stay as they are.')
    .option('--dry-run', 'print what would be sent, and change nothing')
  update.action(async (options: OutputOptions & { readonly dryRun?: true }) => {
    const changes = await givenObject(update, OPTIONS, world)
    if (Object.keys(changes).length === 0)
      throw new CommandError(EXIT.usage, 'Nothing to change: give --daily, --monthly, --set or --file.')
    const api = apiClient(apiAddress(world), world)
    const present = (await api.json(PATH)) as JsonObject
    const body = { daily: merged('daily', present, changes), monthly: merged('monthly', present, changes) }
    if (options.dryRun) return show(body, options, world)
    const answer = (await api.json(PATH, { method: 'PUT', body })) as JsonObject
    await note(world, 'Changed the quotas.')
    await show(answer, options, world)
  })
  return command
}

function merged(period: string, present: JsonObject, changes: JsonObject): JsonObject {
  const { used: _, in_force: __, ...kept } = (present[period] ?? {}) as JsonObject
  return { ...kept, ...(changes[period] as JsonObject | undefined) }
}

async function show(answer: JsonObject, options: OutputOptions, world: World): Promise<void> {
  const rows = ['daily', 'monthly'].map(period => {
    const {
      limit = 0,
      discard = false,
      rules = [],
      used = null,
      in_force: inForce = null,
    } = (answer[period] ?? {}) as JsonObject
    return { period, limit: Number(limit), discard: discard === true, rules, used, in_force: inForce }
  })
  await writeListing(QUOTAS, rows, options, world)
}

function sizeOf(given: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?) ?(kB|MB|GB|TB)?$/.exec(given) ?? []
  if (number === undefined)
    throw new CommandError(EXIT.usage, `"${given}" is not a size. Write it like 500MB or 10GB.`)
  return Math.round(Number(number) * (UNITS[unit] as number))
}
