import { Command } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import type { AuditEvent, AuditPage } from '../../schemas/http/account/audit-api.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { CommandError, EXIT } from './command-error.ts'
import { apiAddress } from './connection.ts'
import { readLimit } from './limit.ts'
import {
  isChosen,
  type Listing,
  type OutputOptions,
  rowWriter,
  STREAMED,
  textWriter,
  withOutput,
} from './output/output.ts'
import { printable } from './table.ts'
import { type Times, timesOf } from './times/times.ts'
import type { World } from './world.ts'

const HELP = `
Changes are listed oldest first: the newest 50 unless --limit or --from is given. Possible secrets are shown as *** and eight
digits, which differ for different secrets. --json prints one JSON object per line, with the values before and after.

Examples:
  weir audit
  weir audit --from 7d --kind token
  weir audit --kind exclusion-rule
  weir audit --actor ann@example.org --action removed
  weir audit --entity 0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11 --json
  weir audit --follow`

const URL = '/v1/config/audit'
const USUAL_LIMIT = 50
const PAGE = 1_000
const LOOK_EVERY_MS = 1_000
const SHOWN_PLACES = 4

interface Options extends OutputOptions {
  readonly from?: string
  readonly to?: string
  readonly actor?: string
  readonly kind?: string
  readonly entity?: string
  readonly action?: string
  readonly limit?: number
  readonly follow?: true
}

type Filters = Readonly<Record<string, string | undefined>>

export function auditCommand(world: World): Command {
  return withOutput(new Command('audit'), 'print each as a JSON object')
    .summary('show changes of the configuration')
    .description('Show the changes of the configuration, with author and time.')
    .option('--from <time>', 'only changes since then: 7d, today, 2026-01-31')
    .option('--to <time>', 'only changes before then')
    .option('--actor <who>', 'author: e-mail address, subject id, or name of a token or key')
    .option('--kind <kind>', 'only this kind of entity: pipeline, draft, member, token, key, …')
    .option('--entity <id>', 'id of the changed entity')
    .option('--action <action>', 'created, changed or removed')
    .option('--limit <number>', 'maximum number of changes, the newest ones', readLimit)
    .option('--follow', 'continue with new changes as they happen')
    .addHelpText('after', HELP)
    .action(async (options: Options) => audit(options, world))
}

async function audit(options: Options, world: World): Promise<void> {
  const { from, to, actor, kind, entity, action, limit, follow, output } = options
  if (follow && output !== undefined && !(STREAMED as readonly string[]).includes(output))
    throw new CommandError(
      EXIT.usage,
      `--follow does not end, so it has no form "${output}": use ${STREAMED.join(', ')}.`,
    )
  const times = await timesOf(world)
  const timeOf = (option: string, text: string | undefined) =>
    text === undefined ? undefined : new Date(times.read(option, text, 'start')).toISOString()
  const filters = { from: timeOf('--from', from), to: timeOf('--to', to), actor, kind, entity, action }
  const api = apiClient(apiAddress(world), world)
  const most = limit ?? (from === undefined ? USUAL_LIMIT : Number.POSITIVE_INFINITY)
  const shown = await newest(api, filters, { most })
  const writer = isChosen(options)
    ? rowWriter(listing(times), options, world)
    : textWriter<AuditEvent>(
        event => (options.json ? jsonText(event) : printable(lineOf(event, times))),
        world,
      )
  await writer.write(shown)
  if (!follow) return void (await writer.end())
  let last = shown.at(-1)?.id
  while (!world.stop.aborted) {
    await world.clock.sleep(LOOK_EVERY_MS, world.stop)
    if (world.stop.aborted) return
    const events = await newest(api, filters, { most: Number.POSITIVE_INFINITY, after: last }, world.stop)
    await writer.write(events)
    last = events.at(-1)?.id ?? last
  }
}

/** @returns the newest events, oldest first; with `after`, only later ones */
async function newest(
  api: ApiClient,
  filters: Filters,
  { most, after }: { readonly most: number; readonly after?: string | undefined },
  stop?: AbortSignal,
): Promise<AuditEvent[]> {
  const events: AuditEvent[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { ...filters, limit: Math.min(PAGE, most - events.length), cursor }
    const page = await pageOf(api, query, stop)
    const fresh = page.events.filter(({ id }) => after === undefined || isLater(id, after))
    events.push(...fresh)
    if (page.next === null || events.length >= most || fresh.length < page.events.length)
      return events.reverse()
    cursor = page.next
  }
}

async function pageOf(
  api: ApiClient,
  query: Readonly<Record<string, string | number | undefined>>,
  stop: AbortSignal | undefined,
): Promise<AuditPage> {
  try {
    return (await api.json(URL, { query })) as unknown as AuditPage
  } catch (error) {
    // An interruption is the normal end of following.
    if (stop?.aborted) return { events: [], next: null }
    throw error
  }
}

/** Ids are `<offset>.<place in the event>`. */
function isLater(id: string, than: string): boolean {
  const [offset = 0, place = 0] = id.split('.').map(Number)
  const [otherOffset = 0, otherPlace = 0] = than.split('.').map(Number)
  return offset > otherOffset || (offset === otherOffset && place > otherPlace)
}

function listing({ iso }: Times): Listing<AuditEvent> {
  return {
    columns: [
      { title: 'TIME', text: ({ at }) => iso(Date.parse(at)) },
      { title: 'ACTOR', text: actorName },
      { title: 'ACTION', text: ({ action }) => action },
      { title: 'KIND', text: ({ kind }) => kind },
      { title: 'NAME', text: ({ name }) => name ?? '-' },
      { title: 'ENTITY', text: ({ entity }) => entity },
      { title: 'CHANGED', text: ({ changed }) => changed.join(', '), wide: true },
    ],
    csvFields: ['at', 'actor.id', 'actor.email', 'actor.name', 'action', 'kind', 'name', 'entity', 'changed'],
    rawFields: ['id'],
    none: 'Nothing was changed in that time.',
  }
}

function actorName({ actor }: AuditEvent): string {
  return actor.email ?? actor.name ?? actor.id
}

function lineOf(event: AuditEvent, times: Times): string {
  const { at, action, kind, name, entity, changed } = event
  const what = name === null ? entity : `"${name}" (${entity})`
  const more = changed.length > SHOWN_PLACES ? `, and ${changed.length - SHOWN_PLACES} more` : ''
  const where = changed.length === 0 ? '' : `: ${changed.slice(0, SHOWN_PLACES).join(', ')}${more}`
  return `${times.iso(Date.parse(at))}  ${actorName(event)}  ${action} ${kind} ${what}${where}`
}
