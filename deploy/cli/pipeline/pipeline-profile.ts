import { Command } from 'commander'
import { jsonText } from '../../../engine/json/json-text.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import type { ApiClient } from '../api-client.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { type Column, printable, tableLines } from '../table.ts'
import { type World, write } from '../world.ts'
import { client, data, pipelineId } from './pipeline-access.ts'

const HELP = `
A data-profiler passes all events and builds a profile of them: templates of lines, fields with their values, and
lines by app, host, level and type. A run ends after 1,000,000 events or 24 hours. --reset empties the profile and
begins a run.

Examples:
  weir pipeline profile Shop
  weir pipeline profile Shop --node 5a0c… --limit 5
  weir pipeline profile Shop --json
  weir pipeline profile Shop --reset`

const TEXT_SHOWN = 100
/** Values that are listed for a field. */
const VALUES_SHOWN = 3

interface Options {
  readonly node?: string
  readonly limit: string
  readonly reset?: true
  readonly json?: true
}

interface Named extends JsonObject {
  name: string | null
  lines: number
}

interface Field extends JsonObject {
  field: string
  events: number
  share: number
  values: { value: string; events: number }[]
}

interface Profile extends JsonObject {
  run: { state: string; started_at: string | null; events: number }
  events: number
  templates: { template: string; lines: number }[]
  fields: Field[]
}

export function pipelineProfileCommand(world: World): Command {
  return new Command('profile')
    .description('Show, or empty, the profile that a data-profiler has built.')
    .argument('<id>', 'id or title of the pipeline')
    .option('--node <id>', 'id of the data-profiler; needed if the pipeline has several')
    .option('-n, --limit <number>', 'maximum number of entries of each list, 1 to 1000', '20')
    .option('--reset', 'empty the profile: the next event begins a run')
    .option('--json', 'print the answer as one JSON object')
    .addHelpText('after', HELP)
    .action(async (id: string, options: Options) => profile(id, options, world))
}

async function profile(wanted: string, options: Options, world: World): Promise<void> {
  const api = client(world)
  const pipeline = `/v3/pipeline/${encodeURIComponent(await pipelineId(api, wanted))}`
  const node = options.node ?? (await onlyProfiler(api, pipeline))
  const path = `${pipeline}/transform/${encodeURIComponent(node)}/profile`
  if (options.reset) {
    const { data: reset } = (await api.json(`${path}/reset`, { method: 'POST', body: {} })) as {
      data: JsonObject
    }
    const text = options.json ? jsonText(reset) : 'The profile is empty. The next event begins a run.'
    return write(world.stdout, `${text}\n`)
  }
  const answer = (await api.json(path, { query: { limit: options.limit } })) as { data: Profile }
  const lines = options.json ? [jsonText(answer.data)] : shown(answer.data)
  await write(world.stdout, `${lines.join('\n')}\n`)
}

/** @throws CommandError unless the pipeline has exactly one */
async function onlyProfiler(api: ApiClient, pipeline: string): Promise<string> {
  const nodes = (await data(api, `${pipeline}/transform`)) as { id: string; type: string }[]
  const profilers = nodes.filter(({ type }) => type === 'data-profiler')
  if (profilers.length === 1) return (profilers[0] as { id: string }).id
  throw new CommandError(
    EXIT.usage,
    profilers.length === 0
      ? 'The pipeline has no data-profiler.'
      : `The pipeline has several data-profilers: give one of ${profilers.map(({ id }) => id).join(', ')} with --node.`,
  )
}

function shown(profile: Profile): string[] {
  const { run, events, templates, fields } = profile
  const since = run.started_at === null ? '' : ` since ${run.started_at}`
  const parts = [[`${events} events; the run is ${run.state}${since}, with ${run.events} events.`]]
  if (templates.length > 0)
    parts.push(
      tableLines(
        [
          { title: 'LINES', align: 'right', text: ({ lines }) => String(lines) },
          { title: 'TEMPLATE', text: ({ template }) => shortened(template) },
        ],
        templates,
        false,
      ),
    )
  if (fields.length > 0) parts.push(tableLines(FIELD_COLUMNS, fields, false))
  for (const [member, title] of NAMED_LISTS) {
    const names = profile[member] as Named[]
    if (names.length > 0) parts.push(tableLines(nameColumns(title), names, false))
  }
  return parts.flatMap((lines, index) => (index === 0 ? lines : ['', ...lines]))
}

const NAMED_LISTS = [
  ['apps', 'APP'],
  ['hosts', 'HOST'],
  ['levels', 'LEVEL'],
  ['event_types', 'TYPE'],
] as const

const FIELD_COLUMNS: readonly Column<Field>[] = [
  { title: 'EVENTS', align: 'right', text: ({ events }) => String(events) },
  { title: 'SHARE', align: 'right', text: ({ share }) => `${(share * 100).toFixed(1)} %` },
  { title: 'FIELD', text: ({ field }) => shortened(field) },
  {
    title: 'VALUES',
    text: ({ values }) =>
      shortened(
        values
          .slice(0, VALUES_SHOWN)
          .map(({ value, events }) => `${value} (${events})`)
          .join(', '),
      ),
  },
]

function nameColumns(title: string): readonly Column<Named>[] {
  return [
    { title: 'LINES', align: 'right', text: ({ lines }) => String(lines) },
    { title, text: ({ name }) => (name === null ? '(others)' : shortened(name)) },
  ]
}

function shortened(text: string): string {
  return printable(text.length <= TEXT_SHOWN ? text : `${text.slice(0, TEXT_SHOWN - 1)}…`)
}
