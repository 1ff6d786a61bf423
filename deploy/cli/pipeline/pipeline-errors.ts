import { Command } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { pointInTime } from '../point-in-time.ts'
import { printable } from '../table.ts'
import { type World, write } from '../world.ts'
import { client, pipelineId } from './pipeline-access.ts'

const HELP = `
Equal errors form one entry, newest first, with the cause of the first of them. They appear a minute after they
were reported, and are kept for ten days.

Examples:
  weir pipeline errors Shop
  weir pipeline errors Shop --node 5a0c… --from 7d --json`

const CAPTURED_SHOWN = 200

interface Options {
  readonly node?: string
  readonly from: string
  readonly to: string
  readonly limit: string
  readonly json?: true
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
  return new Command('errors')
    .description('List the errors of the nodes of a pipeline.')
    .argument('<id>', 'id or title of the pipeline')
    .option('--node <id>', 'only errors of this node')
    .option('--from <time>', 'start of the period', '1d')
    .option('--to <time>', 'end of the period', 'now')
    .option('-n, --limit <number>', 'maximum number of entries, 1 to 200', '100')
    .option('--json', 'print each entry as one JSON object')
    .addHelpText('after', HELP)
    .action(async (id: string, options: Options) => errors(id, options, world))
}

async function errors(wanted: string, options: Options, world: World): Promise<void> {
  const api = client(world)
  const path = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}/error`
  const nowMs = world.clock.wallMs()
  const time = (name: '--from' | '--to', text: string, edge: 'start' | 'end') =>
    new Date(pointInTime(name, text, nowMs, edge)).toISOString()
  const query = {
    node_id: options.node,
    from: time('--from', options.from, 'start'),
    // Times of errors are log times, which can be ahead of this machine's clock.
    to: options.to === 'now' ? undefined : time('--to', options.to, 'end'),
    limit: options.limit,
  }
  const { data } = (await api.json(path, { query })) as { data: Entry[] }
  for (const entry of data)
    await write(world.stdout, options.json ? `${jsonText(entry)}\n` : `${shown(entry).join('\n')}\n\n`)
  if (data.length === 0) await write(world.stderr, 'No errors were reported in that time.\n')
}

function shown({
  node_id: node,
  node_kind: kind,
  code,
  message,
  captured,
  count,
  ...times
}: Entry): string[] {
  const { first_seen: first, last_seen: last } = times
  const often = count === 1 ? `at ${last}` : `${String(count)} times, ${first} to ${last}`
  const cut = captured.length > CAPTURED_SHOWN ? `${captured.slice(0, CAPTURED_SHOWN)}…` : captured
  return [`${code} ${often}`, `  ${kind} ${node}: ${message}`, `  ${cut}`].map(printable)
}
