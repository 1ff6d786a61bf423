import { Argument, Command } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { CommandError, EXIT } from './command-error.ts'
import { apiAddress } from './connection.ts'
import { type World, write } from './world.ts'

const HELP = `
The lines of an account normally go to one partition, which one process handles. When the account is
spread, they go to all partitions, by sending host. Limits stay exact: events that are counted per key
move to the partition of their key. Nothing is lost, duplicated or let through during the change.

Examples:
  weir spread          show whether the account is spread
  weir spread on
  weir spread off`

const URL = '/v3/account/spread'
const LOOK_EVERY_MS = 250
const REPORT_EVERY_MS = 1_000
const MAX_WAIT_MS = MINUTE_MS

interface Options {
  readonly json?: true
}

export function spreadCommand(world: World): Command {
  return new Command('spread')
    .summary('send the lines of the account to all partitions, or to one')
    .description('Show or change whether the lines of the account go to all partitions.')
    .addArgument(new Argument('[state]', 'new state').choices(['on', 'off']))
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', HELP)
    .action(async (state: 'on' | 'off' | undefined, options: Options) => spread(state, options, world))
}

async function spread(state: 'on' | 'off' | undefined, { json }: Options, world: World): Promise<void> {
  const api = apiClient(apiAddress(world), world)
  if (state !== undefined) await api.json(URL, { method: 'PUT', body: { enabled: state === 'on' } })
  const status = state === undefined ? await statusOf(api) : await settled(api, world)
  await write(world.stdout, json ? `${jsonText(status)}\n` : `${sentenceOf(status)}\n`)
  if (state !== undefined && status.phase !== state)
    throw new CommandError(
      EXIT.usage,
      'Some partitions have not completed their part yet. The change continues while engines run (see "weir status"); ' +
        '"weir spread" shows its progress.',
    )
}

/** Waits a limited time until every partition has completed its part, and reports their number on the way. */
async function settled(api: ApiClient, { clock, stop, stderr }: World): Promise<JsonObject> {
  const untilMs = clock.monotonicMs() + MAX_WAIT_MS
  let reportedMs = clock.monotonicMs()
  let reported: string | undefined
  for (;;) {
    const status = await statusOf(api)
    const isDone = status.partitions_done === status.partitions
    if (isDone || stop.aborted || clock.monotonicMs() > untilMs) return status
    const sentence = sentenceOf(status)
    if (sentence !== reported && clock.monotonicMs() - reportedMs > REPORT_EVERY_MS) {
      await write(stderr, `${sentence}\n`)
      reported = sentence
      reportedMs = clock.monotonicMs()
    }
    await clock.sleep(LOOK_EVERY_MS, stop)
  }
}

async function statusOf(api: ApiClient): Promise<JsonObject> {
  return ((await api.json(URL)) as JsonObject).data as JsonObject
}

function sentenceOf({ phase, partitions, partitions_done: done }: JsonObject): string {
  switch (phase) {
    case 'on':
      return `The lines of the account go to all ${partitions} partitions, by host.`
    case 'off':
      return 'The lines of the account go to one partition.'
    default:
      return `It is being turned ${phase === 'turning_on' ? 'on' : 'off'}: ${done} of ${partitions} partitions have completed their part.`
  }
}
