import { Command } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { isChosen, type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { printable } from '../table.ts'
import { type Times, timesOf } from '../times/times.ts'
import { note, type World, write } from '../world.ts'
import { client, pipelineId } from './pipeline-access.ts'

const HELP = `
Equal errors form one entry, newest first, with the cause of the first of them. They appear a minute after they
were reported, and are kept for ten days.

Examples:
  weir pipeline errors Shop
  weir pipeline errors Shop --code E_NOT_FOUND
  weir pipeline errors Shop --node 5a0c… --from 7d --json`

const CAPTURED_SHOWN = 200
const NONE = 'No errors were reported in that time.'

interface Options extends OutputOptions {
  readonly node?: string
  readonly code?: string
  readonly from: string
  readonly to: string
  readonly limit: string
}

interface Entry extends JsonObject {
  node_id: string
  node_kind: string
  code: string
  message: string
  captured: string
  first_seen: string
  last_seen: string
}

export function pipelineErrorsCommand(world: World): Command {
  return watchable(withOutput(new Command('errors'), 'print each entry as one JSON object'))
    .description('List the errors of the nodes of a pipeline.')
    .argument('<id>', 'id or title of the pipeline')
    .option('--node <id>', 'only errors of this node')
    .option('--code <code>', 'only errors with this code')
    .option('--from <time>', 'start of the period', '1d')
    .option('--to <time>', 'end of the period', 'now')
    .option('-n, --limit <number>', 'maximum number of entries, 1 to 200', '100')
    .addHelpText('after', HELP)
    .action(async (id: string, options: Options) => errors(id, options, world))
}

async function errors(wanted: string, options: Options, world: World): Promise<void> {
  const api = client(world)
  const path = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}/error`
  const times = await timesOf(world)
  const time = (name: '--from' | '--to', text: string, edge: 'start' | 'end') =>
    new Date(times.read(name, text, edge)).toISOString()
  const query = {
    node_id: options.node,
    code: options.code,
    from: time('--from', options.from, 'start'),
    // Times of errors are log times, which can be ahead of this machine's clock.
    to: options.to === 'now' ? undefined : time('--to', options.to, 'end'),
    limit: options.limit,
  }
  const { data } = (await api.json(path, { query })) as { data: Entry[] }
  if (isChosen(options)) return writeListing(errorListing(times), data, options, world)
  for (const entry of data)
    await write(world.stdout, options.json ? `${jsonText(entry)}\n` : `${shown(entry, times).join('\n')}\n\n`)
  if (data.length === 0) await note(world, NONE)
}

function errorListing(times: Times): Listing<Entry> {
  const { zone } = times
  return {
    columns: [
      { title: `LAST (${zone})`, text: ({ last_seen: at }) => times.text(Date.parse(at)) },
      { title: `FIRST (${zone})`, text: ({ first_seen: at }) => times.text(Date.parse(at)), wide: true },
      { title: 'TIMES', align: 'right', text: ({ count }) => String(count) },
      { title: 'CODE', text: ({ code }) => code },
      { title: 'NODE', text: ({ node_id: node, node_kind: kind }) => `${kind} ${node}` },
      { title: 'MESSAGE', text: ({ message }) => message },
      { title: 'CAPTURED', text: ({ captured }) => captured, wide: true },
    ],
    rawFields: ['last_seen', 'code', 'node_id', 'message'],
    none: NONE,
  }
}

function shown(entry: Entry, times: Times): string[] {
  const { node_id: node, node_kind: kind, code, message, captured, count } = entry
  const [first, last] = [entry.first_seen, entry.last_seen].map(at => times.iso(Date.parse(at)))
  const often = count === 1 ? `at ${last}` : `${String(count)} times, ${first} to ${last}`
  const cut = captured.length > CAPTURED_SHOWN ? `${captured.slice(0, CAPTURED_SHOWN)}…` : captured
  // A system that takes nothing concerns no single event.
  const shownEvent = captured === '' ? [] : [`  ${cut}`]
  return [`${code} ${often}`, `  ${kind} ${node}: ${message}`, ...shownEvent].map(printable)
}
