import { Command } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { grouped } from '../byte-size.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { readLimit } from '../limit.ts'
import { type Listing, type OutputOptions, rowWriter, withOutput } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { type Times, timesOf } from '../times/times.ts'
import { note, type World, write } from '../world.ts'
import { client, pipelineId } from './pipeline-access.ts'

const PAGE = 200
const USUAL_LIMIT = 100

interface FilterOptions extends OutputOptions {
  readonly node?: string
  readonly code?: string
  readonly from?: string
  readonly to?: string
}

interface ListOptions extends FilterOptions {
  readonly replayed?: true
  readonly all?: true
  readonly limit: number
}

interface Letter extends JsonObject {
  id: string
  failed_at: string
  code: string
  node_id: string
  message: string
  replayed_at: string | null
}

interface Page {
  readonly data: Letter[]
  readonly meta: { readonly page: { readonly next: string | null } }
}

/** Commands for events that failed. */
export function deadLetterCommands(world: World): Command[] {
  const list = filtered(watchable(withOutput(new Command('dead-letters'))))
    .description('List events that failed and wait for a replay, the newest first.')
    .argument('<id>', 'id or title of the pipeline')
    .option('--all', 'also those that were replayed')
    .option('--replayed', 'only those that were replayed')
    .option('-n, --limit <number>', 'maximum number of events', readLimit, USUAL_LIMIT)
    .action(async (id: string, options: ListOptions) => listLetters(id, options, world))
  const replay = filtered(new Command('replay'))
    .description('Replay events that failed through the deployed revision, from the node that failed.')
    .argument('<id>', 'id or title of the pipeline')
    .argument('[letters...]', 'ids of failed events; default: all that were not replayed')
    .option('--json', 'print the result as one JSON object')
    .action(async (id: string, letters: string[], options: FilterOptions) =>
      replayLetters(id, letters, options, world),
    )
  return [list, replay]
}

function filtered(command: Command): Command {
  return command
    .option('--node <id>', 'only events that failed at this node')
    .option('--code <code>', 'only events that failed with this code')
    .option('--from <time>', 'only events that failed since then')
    .option('--to <time>', 'only events that failed before then')
}

function filterOf({ node, code, from, to }: FilterOptions, times: Times): Record<string, string> {
  const at = (option: string, text: string) => new Date(times.read(option, text, 'start')).toISOString()
  return {
    ...(node !== undefined && { node }),
    ...(code !== undefined && { code }),
    ...(from !== undefined && { from: at('--from', from) }),
    ...(to !== undefined && { to: at('--to', to) }),
  }
}

async function listLetters(wanted: string, options: ListOptions, world: World): Promise<void> {
  const api = client(world)
  const path = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}/dead-letter`
  const times = await timesOf(world)
  const replayed = options.all ? undefined : String(options.replayed === true)
  const writer = rowWriter(letters(times), options, world)
  let left = options.limit
  for (let cursor: string | undefined; left > 0; ) {
    const query = { ...filterOf(options, times), replayed, limit: Math.min(PAGE, left), cursor }
    const { data, meta } = (await api.json(path, { query })) as unknown as Page
    await writer.write(data)
    left -= data.length
    if (meta.page.next === null || data.length === 0) break
    cursor = meta.page.next
  }
  await writer.end()
}

function letters({ zone, text }: Times): Listing<Letter> {
  return {
    columns: [
      { title: 'ID', text: ({ id }) => id },
      { title: `FAILED (${zone})`, text: ({ failed_at: at }) => text(Date.parse(at)) },
      { title: 'CODE', text: ({ code }) => code },
      { title: 'NODE', text: ({ node_id: node }) => node },
      { title: 'MESSAGE', text: ({ message }) => message },
      {
        title: 'REPLAYED',
        text: ({ replayed_at: at }) => (at === null ? '-' : text(Date.parse(at))),
        wide: true,
      },
      { title: 'EVENT', text: ({ event }) => jsonText(event as JsonValue), wide: true },
    ],
    csvFields: ['id', 'failed_at', 'code', 'node_id', 'message', 'replayed_at', 'event'],
    rawFields: ['id'],
    none: 'No events wait for a replay.',
  }
}

async function replayLetters(
  wanted: string,
  ids: readonly string[],
  options: FilterOptions,
  world: World,
): Promise<void> {
  const filter = filterOf(options, await timesOf(world))
  const hasFilter = Object.keys(filter).length > 0
  if (ids.length > 0 && hasFilter)
    throw new CommandError(EXIT.usage, 'Give ids of failed events, or options that select them, not both.')
  const api = client(world)
  const path = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}/dead-letter/replay`
  const body = { ...(ids.length > 0 && { ids: [...ids] }), ...(hasFilter && { filter }) }
  const total: Record<string, number> = {}
  // A call replays a limited number of events.
  for (let remaining = 1; remaining > 0 && !world.stop.aborted; ) {
    const { data } = (await api.json(path, { method: 'POST', body })) as { data: Record<string, number> }
    for (const [name, count] of Object.entries(data))
      total[name] = name === 'remaining' ? count : (total[name] ?? 0) + count
    const moved = (data.replayed ?? 0) + (data.pending ?? 0)
    remaining = moved === 0 ? 0 : (data.remaining ?? 0)
  }
  if (options.json) return write(world.stdout, `${jsonText(total)}\n`)
  const {
    replayed = 0,
    pending = 0,
    already_replayed: again = 0,
    node_gone: gone = 0,
    not_found: none = 0,
  } = total
  await write(world.stdout, `Replayed ${grouped(replayed + pending)} events.\n`)
  if (again > 0) await note(world, `${grouped(again)} were replayed before, and are replayed only once.`)
  if (gone > 0)
    await note(world, `${grouped(gone)} failed at a node that the deployed revision does not have.`)
  if (none > 0) await note(world, `${grouped(none)} of the ids are not failed events of this pipeline.`)
}
