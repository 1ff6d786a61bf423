import { DAY_MS } from '../../../engine/times/duration.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { apiClient } from '../api-client.ts'
import { apiAddress } from '../connection.ts'
import { LOCAL, readContexts } from '../contexts/contexts.ts'
import type { World } from '../world.ts'
import type { Candidate, NamePlace } from './candidates.ts'

/** Time for an answer: a shell waits for it. */
const WITHIN_MS = 2_000
const MOST_NAMES = 200

/** Commands whose first argument is a pipeline. */
const OF_PIPELINE = /^(pipeline (?!list$|create$|apply$|diff$|test$)\w[\w-]*|explain)$/
const OF_TOKEN = /^token (rotate|revoke|get|update|delete)$/
const OF_OBJECT =
  /^(member|group|key|view|account|gateway|rule exclusion|rule stream-exclusion|rule retention) (?!list$|create$|key$)\w+$|^gateway key \w+$/
/** Path of each kind of object, with the members of its name and of its id. */
const OBJECTS: Readonly<Record<string, readonly [path: string, name: string, id: string]>> = {
  member: ['/v1/config/members', 'email', 'role'],
  group: ['/v1/config/groups', 'name', 'id'],
  key: ['/v1/config/keys', 'name', 'id'],
  view: ['/v1/config/view', 'name', 'viewid'],
  account: ['/v3/enterprise/account', 'account', 'company'],
  gateway: ['/v3/pipeline/gateway-route', 'title', 'id'],
  'rule exclusion': ['/v1/config/ingestion/exclusions', 'title', 'id'],
  'rule stream-exclusion': ['/v1/config/stream/exclusions', 'title', 'id'],
  'rule retention': ['/v1/config/retention-rules', 'name', 'id'],
}
const OF_CONTEXT = /^context (use|remove)$/
/** Options with names that usage counts. */
const COUNTED: Readonly<Record<string, string>> = { '--app': 'apps', '--host': 'hosts', '--tags': 'tags' }

/** Names for a place; none when the server does not answer in time, because a shell shows no errors. */
export async function namesFor(
  { command, at, before }: NamePlace,
  world: World,
): Promise<readonly Candidate[]> {
  try {
    if (at === '--use' || (OF_CONTEXT.test(command) && at === 0)) return contextNames(world)
    if (at === 0 && OF_PIPELINE.test(command)) return await titles('/v3/pipeline', ['title', 'id'], world)
    if (at === 0 && OF_TOKEN.test(command)) return await titles('/v1/config/tokens', ['name', 'id'], world)
    const [noun = '', kind = ''] = command.split(' ')
    const [path, ...members] = OBJECTS[noun] ?? OBJECTS[`${noun} ${kind}`] ?? []
    if (at === 0 && path !== undefined && OF_OBJECT.test(command)) return await titles(path, members, world)
    if (command === 'usage' && at === 1) return await counted(before[0] ?? '', world)
    const dimension = typeof at === 'string' ? COUNTED[at] : undefined
    return dimension === undefined ? [] : await counted(dimension, world)
  } catch {
    return []
  }
}

function contextNames({ env }: World): readonly Candidate[] {
  const { contexts } = readContexts(env)
  const names = Object.entries(contexts).map(([word, { url }]) => ({ word, about: url }))
  return [...names, { word: LOCAL, about: 'the server of this machine' }]
}

async function titles(
  path: string,
  [name = '', about = '']: readonly string[],
  world: World,
): Promise<readonly Candidate[]> {
  const answer = await ask(path, {}, world)
  const rows = (Array.isArray(answer) ? answer : answer.data) as JsonObject[]
  return rows.slice(0, MOST_NAMES).map(row => ({ word: String(row[name]), about: String(row[about]) }))
}

/** Names with lines of the last day. */
async function counted(kind: string, world: World): Promise<readonly Candidate[]> {
  const at = (ms: number) => new Date(ms).toISOString()
  const nowMs = world.clock.wallMs()
  const query = { from: at(nowMs - DAY_MS), to: at(nowMs), limit: MOST_NAMES }
  const { results } = (await ask(`/v2/usage/${encodeURIComponent(kind)}`, query, world)) as JsonObject
  return (results as JsonObject[]).map(({ name }) => ({ word: String(name) }))
}

async function ask(
  path: string,
  query: Readonly<Record<string, string | number>>,
  world: World,
): Promise<JsonObject | JsonObject[]> {
  const stop = AbortSignal.any([world.stop, AbortSignal.timeout(WITHIN_MS)])
  return (await apiClient(apiAddress(world), { ...world, stop }).json(path, { query })) as JsonObject
}
