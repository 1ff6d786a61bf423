import { Command } from 'commander'
import type { JsonObject } from '../../../schemas/json.ts'
import type { ApiClient } from '../api-client.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { type Times, timesOf } from '../times/times.ts'
import { note, type World } from '../world.ts'
import { nodeNamed } from './node-named.ts'
import { client, data, pipelineId } from './pipeline-access.ts'

const HELP = `
Examples:
  weir pipeline exempt Shop customer-7 --for 2h --reason "load test"
  weir pipeline exempt Shop customer-7 --until 2026-12-01T08:00
  weir pipeline exempt Shop                           list the keys that are exempt
  weir pipeline exempt Shop customer-7 --end
  weir pipeline exempt Shop --without-key --for 1h    events without a key`

interface NodeOption extends OutputOptions {
  readonly node?: string
}

interface ExemptOptions extends NodeOption {
  readonly for?: string
  readonly until?: string
  readonly reason?: string
  readonly withoutKey?: true
  readonly end?: true
}

interface Bucket extends JsonObject {
  bucket: string
  key: string | null
  passed: number
  free_from: string | null
  exempt_until: string | null
}

interface Exemption extends JsonObject {
  key: string | null
  until: string
  reason: string
  in_effect: boolean | null
}

/** Commands for throttles of a pipeline: their buckets, and keys that are exempt. */
export function throttleCommands(world: World): Command[] {
  const buckets = ofThrottle(watchable(withOutput(new Command('buckets'))))
    .description('List the buckets of a throttle with the most passed events in its window.')
    .option('-n, --limit <number>', 'maximum number of buckets, 1 to 100', '20')
    .action(async (id: string, options: NodeOption & { limit: string }) => listBuckets(id, options, world))
  const exempt = ofThrottle(withOutput(new Command('exempt')))
    .description('Exempt a key from a throttle for a time, end that early, or list the keys that are exempt.')
    .argument('[key]', 'text of the key; without one: list them')
    .option('--for <time>', 'length of the exemption: 30m, 2h, at most 7d')
    .option('--until <time>', 'end of the exemption')
    .option('--reason <text>', 'reason, which the list shows')
    .option('--without-key', 'events that have no key')
    .option('--end', 'end the exemption now')
    .addHelpText('after', HELP)
    .action(async (id: string, key: string | undefined, options: ExemptOptions) =>
      exemptKey(id, key, options, world),
    )
  return [buckets, exempt]
}

function ofThrottle(command: Command): Command {
  return command
    .argument('<id>', 'id or title of the pipeline')
    .option('--node <node>', 'id or title of the throttle; needed if the pipeline has several')
}

async function throttlePath(api: ApiClient, wanted: string, node: string | undefined): Promise<string> {
  const pipeline = await pipelineId(api, wanted)
  const found = await nodeNamed(api, pipeline, node, {
    isMeant: each => each.node.type === 'throttle',
    called: 'throttle',
  })
  return `/v3/pipeline/${encodeURIComponent(pipeline)}/transform/${encodeURIComponent(found.node.id)}`
}

async function listBuckets(
  wanted: string,
  options: NodeOption & { readonly limit: string },
  world: World,
): Promise<void> {
  const api = client(world)
  const path = await throttlePath(api, wanted, options.node)
  const { data: found } = (await api.json(`${path}/bucket`, { query: { limit: options.limit } })) as {
    data: Bucket[]
  }
  await writeListing(bucketListing(await timesOf(world)), found, options, world)
}

function bucketListing({ zone, text }: Times): Listing<Bucket> {
  const time = (at: string | null) => (at === null ? '-' : text(Date.parse(at)))
  return {
    columns: [
      { title: 'KEY', text: ({ bucket, key }) => key ?? (bucket === 'shared' ? '(all others)' : '(no key)') },
      { title: 'PASSED', align: 'right', text: ({ passed }) => String(passed) },
      { title: `FREE FROM (${zone})`, text: ({ free_from: at }) => time(at) },
      { title: `EXEMPT UNTIL (${zone})`, text: ({ exempt_until: at }) => time(at) },
      { title: 'BUCKET', text: ({ bucket }) => bucket, wide: true },
    ],
    rawFields: ['key'],
    none: 'No bucket has passed an event in its window.',
  }
}

async function exemptKey(
  wanted: string,
  key: string | undefined,
  options: ExemptOptions,
  world: World,
): Promise<void> {
  const api = client(world)
  const times = await timesOf(world)
  const path = `${await throttlePath(api, wanted, options.node)}/exemption`
  if (key === undefined && !options.withoutKey) {
    const found = (await data(api, path)) as Exemption[]
    return writeListing(exemptionListing(times), found, options, world)
  }
  if (key !== undefined && options.withoutKey)
    throw new CommandError(EXIT.usage, 'Give a key or --without-key, not both.')
  const called = key ?? 'Events without a key'
  if (options.end) {
    await api.json(path, { method: 'DELETE', query: key === undefined ? { default: 'true' } : { key } })
    return note(world, `${called}: no longer exempt.`)
  }
  const body = { key: key ?? null, until: untilOf(options, times), reason: options.reason ?? '' }
  const { data: exemption } = (await api.json(path, { method: 'PUT', body })) as { data: Exemption }
  await note(world, `${called}: exempt until ${times.iso(Date.parse(exemption.until))}.`)
}

function untilOf({ for: length, until }: ExemptOptions, times: Times): string {
  if ((length === undefined) === (until === undefined))
    throw new CommandError(EXIT.usage, 'Give the end of the exemption by --for or --until.')
  const [option, given] = length === undefined ? ['--until', until ?? ''] : ['--for', length]
  const ms = times.read(option, given, 'end', 'future')
  return new Date(ms).toISOString()
}

function exemptionListing({ zone, text }: Times): Listing<Exemption> {
  return {
    columns: [
      { title: 'KEY', text: ({ key }) => key ?? '(no key)' },
      { title: `UNTIL (${zone})`, text: ({ until }) => text(Date.parse(until)) },
      {
        title: 'IN EFFECT',
        text: ({ in_effect: is }) => (is === null ? 'not known' : is ? 'yes' : 'not yet'),
      },
      { title: 'REASON', text: ({ reason }) => reason },
    ],
    rawFields: ['key'],
    none: 'No key is exempt.',
  }
}
