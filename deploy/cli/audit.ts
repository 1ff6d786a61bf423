import { Command } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import type { AuditEvent, AuditPage } from '../../schemas/http/account/audit-api.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { apiAddress } from './connection.ts'
import { readLimit } from './limit.ts'
import { pointInTime } from './point-in-time.ts'
import { printable } from './table.ts'
import { type World, write } from './world.ts'

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

interface Options {
  readonly from?: string
  readonly to?: string
  readonly actor?: string
  readonly kind?: string
  readonly entity?: string
  readonly action?: string
  readonly limit?: number
  readonly json?: true
  readonly follow?: true
}

type Filters = Readonly<Record<string, string | undefined>>

export function auditCommand(world: World): Command {
  return new Command('audit')
    .summary('show changes of the configuration')
    .description('Show the changes of the configuration, with author and time.')
    .option('--from <time>', 'only changes since then: 7d, today, 2026-01-31')
    .option('--to <time>', 'only changes before then')
    .option('--actor <who>', 'author: e-mail address, subject id, or name of a token or key')
    .option('--kind <kind>', 'only this kind of entity: pipeline, draft, member, token, key, …')
    .option('--entity <id>', 'id of the changed entity')
    .option('--action <action>', 'created, changed or removed')
    .option('--limit <number>', 'maximum number of changes, the newest ones', readLimit)
    .option('--json', 'print each as a JSON object')
    .option('--follow', 'continue with new changes as they happen')
    .addHelpText('after', HELP)
    .action(async (options: Options) => audit(options, world))
}

async function audit(options: Options, world: World): Promise<void> {
  const { from, to, actor, kind, entity, action, limit, follow } = options
  const nowMs = world.clock.wallMs()
  const timeOf = (option: string, text: string | undefined) =>
    text === undefined ? undefined : new Date(pointInTime(option, text, nowMs, 'start')).toISOString()
  const filters = { from: timeOf('--from', from), to: timeOf('--to', to), actor, kind, entity, action }
  const api = apiClient(apiAddress(world), world)
  const most = limit ?? (from === undefined ? USUAL_LIMIT : Number.POSITIVE_INFINITY)
  const shown = await newest(api, filters, { most })
  await print(shown, options, world)
  if (!follow) return
  let last = shown.at(-1)?.id
  while (!world.stop.aborted) {
    await world.clock.sleep(LOOK_EVERY_MS, world.stop)
    if (world.stop.aborted) return
    const events = await newest(api, filters, { most: Number.POSITIVE_INFINITY, after: last }, world.stop)
    await print(events, options, world)
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

async function print(events: readonly AuditEvent[], { json }: Options, world: World): Promise<void> {
  for (const event of events) {
    const line = json ? jsonText(event as unknown as JsonValue) : printable(lineOf(event))
    await write(world.stdout, `${line}\n`)
  }
}

function lineOf({ at, actor, action, kind, name, entity, changed }: AuditEvent): string {
  const who = actor.email ?? actor.name ?? actor.id
  const what = name === null ? entity : `"${name}" (${entity})`
  const more = changed.length > SHOWN_PLACES ? `, and ${changed.length - SHOWN_PLACES} more` : ''
  const where = changed.length === 0 ? '' : `: ${changed.slice(0, SHOWN_PLACES).join(', ')}${more}`
  return `${at}  ${who}  ${action} ${kind} ${what}${where}`
}
