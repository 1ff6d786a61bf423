import { Command, InvalidArgumentError } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import { MAX_RETENTION_DAYS } from '../../schemas/http/account/retention-api.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { apiClient } from './api-client.ts'
import { CommandError } from './command-error.ts'
import { apiAddress } from './connection.ts'
import { type World, write } from './world.ts'

const HELP = `
The retention applies to lines that arrive from now on; stored lines keep their retention.
Retention rules (/v1/config/retention-rules) keep some lines shorter or longer.

Examples:
  weir retention
  weir retention set 365`

const URL = '/v1/config/retention'

/** Meaning of 0 days, which the account API of enterprises accepts. */
export const NOTHING_KEPT =
  'Lines are accepted and counted but never found: the retention of the account is 0 days. Only retention rules keep lines. ' +
  '"weir retention set 30" keeps the lines that arrive from then on.'

/** Present retention of the account in days; undefined when it cannot be read. */
export async function presentRetention(world: World): Promise<number | undefined> {
  try {
    const { days } = (await apiClient(apiAddress(world), world).json(URL)) as JsonObject
    return Number(days)
  } catch (error) {
    if (error instanceof CommandError) return undefined
    throw error
  }
}

interface Options {
  readonly json?: true
}

export function retentionCommand(world: World): Command {
  const command = new Command('retention')
    .summary('show or set the retention of lines')
    .description('Show or set the retention of the account in days.')
    .addHelpText('after', HELP)
  command
    .command('show', { isDefault: true })
    .description('Show the retention in days.')
    .option('--json', 'print the result as one JSON object')
    .action(async (options: Options) => {
      const answer = (await apiClient(apiAddress(world), world).json(URL)) as JsonObject
      const sentence = answer.days === 0 ? NOTHING_KEPT : `Lines are kept ${daysOf(answer)}.`
      await writeAnswer(answer, sentence, options, world)
    })
  command
    .command('set')
    .description('Set the retention in days of lines that arrive from now on.')
    .argument('<days>', `1 to ${MAX_RETENTION_DAYS}`, readDays)
    .option('--json', 'print the result as one JSON object')
    .action(async (days: number, options: Options) => {
      const api = apiClient(apiAddress(world), world)
      const answer = (await api.json(URL, { method: 'PUT', body: { days } })) as JsonObject
      await writeAnswer(answer, `Lines that arrive from now on are kept ${daysOf(answer)}.`, options, world)
    })
  return command
}

function readDays(text: string): number {
  const days = Number(text)
  if (!/^\d+$/.test(text) || days < 1 || days > MAX_RETENTION_DAYS)
    throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_RETENTION_DAYS}.`)
  return days
}

function daysOf({ days }: JsonObject): string {
  return `${String(days)} ${days === 1 ? 'day' : 'days'}`
}

async function writeAnswer(
  answer: JsonObject,
  sentence: string,
  { json }: Options,
  world: World,
): Promise<void> {
  await write(world.stdout, json ? `${jsonText(answer)}\n` : `${sentence}\n`)
}
