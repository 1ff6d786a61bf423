import { Command } from 'commander'
import type { JsonObject, JsonValue } from '../../../schemas/json.ts'
import { canAsk, isAgreed } from '../agreement.ts'
import { type ApiClient, apiClient } from '../api-client.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { apiAddress, serviceKey } from '../connection.ts'
import { oneNamed } from '../one-named.ts'
import { type OutputOptions, withOutput, writeListing, writeRecord } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { printable } from '../table.ts'
import { note, type World, write } from '../world.ts'
import { givenObject, withObject } from './given-object.ts'
import type { Resource } from './resource.ts'

interface ChangeOptions extends OutputOptions {
  readonly dryRun?: true
  readonly yes?: true
}

type Finish = (code: ExitCode) => void

/** The command of a resource, with all of its verbs. */
export function resourceCommand(resource: Resource, world: World, finish: Finish): Command {
  const { noun, summary, examples } = resource
  const command = new Command(noun)
    .summary(summary)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`)
    .addHelpText('after', `\nExamples:\n${examples.map(example => `  ${example}`).join('\n')}`)
  for (const each of [list, get, create, update, ...(resource.deletes === false ? [] : [remove])])
    command.addCommand(each(resource, world, finish))
  return command
}

/** Verbs that a command with verbs of its own lacks. */
export function furtherVerbs(resource: Resource, world: World, finish: Finish): Command[] {
  return [get, update, remove].map(each => each(resource, world, finish))
}

function list(resource: Resource, world: World): Command {
  return watchable(withOutput(new Command('list')))
    .description(`List each ${calledOf(resource)}.`)
    .action(async (options: OutputOptions) => {
      const { hidden = [], listing } = resource
      const rows = (await objectsOf(resource, clientFor(resource, world))).map(row => without(row, hidden))
      await writeListing(listing, rows, options, world)
    })
}

function get(resource: Resource, world: World): Command {
  return watchable(withOutput(new Command('get')))
    .description(`Show one ${calledOf(resource)} with all of its fields.`)
    .argument(`<${resource.noun}>`, nameOf(resource))
    .action(async (wanted: string, options: OutputOptions) => {
      const api = clientFor(resource, world)
      const found = await objectNamed(resource, wanted, api)
      const answer = await api.json(pathOf(resource, found))
      await writeRecord(resource.listing, contentOf(resource, answer) as JsonObject, options, world)
    })
}

function create(resource: Resource, world: World): Command {
  const { title, options, createQuery = [] } = resource
  const called = calledOf(resource)
  const command = withChange(withObject(withOutput(new Command('create')), options))
    .description(`Create ${withArticle(called)}.`)
    .argument(`[${title}]`, `${title} of the new ${called}`)
  return command.action(async (given: string | undefined, chosen: ChangeOptions) => {
    const members = await givenObject(command, options, world)
    const body = { ...members, ...(given !== undefined && { [title]: given }) }
    const query = Object.fromEntries(createQuery.map(name => [name, body[name] as string | undefined]))
    const sent = without(body, createQuery)
    if (chosen.dryRun) return writeRecord(resource.listing, sent, chosen, world)
    const answer = await clientFor(resource, world).json(resource.path, { method: 'POST', query, body: sent })
    await showCreated(resource, contentOf(resource, answer) as JsonObject, chosen, world)
  })
}

/** Prints the secret of the object, or else its id, alone on standard output. */
async function showCreated(
  resource: Resource,
  created: JsonObject,
  options: ChangeOptions,
  world: World,
): Promise<void> {
  const { listing, id, title, secret } = resource
  if (options.output !== undefined || options.fields !== undefined)
    return writeRecord(listing, created, options, world)
  await note(
    world,
    `Created the ${calledOf(resource)} ${printable(String(created[title] || created[id]))} (${String(created[id])}).`,
  )
  await write(world.stdout, `${String(created[secret ?? id])}\n`)
}

function update(resource: Resource, world: World): Command {
  const { noun, options, change, replaced } = resource
  const { createQuery = [], createOnly = [] } = resource
  const changeable = options.filter(({ member }) => ![...createQuery, ...createOnly].includes(member))
  const command = withChange(withObject(withOutput(new Command('update')), changeable))
    .description(`Change fields of ${withArticle(calledOf(resource))}; the others stay as they are.`)
    .argument(`<${noun}>`, nameOf(resource))
  if (resource.id !== resource.title) command.option('--name <name>', `new ${resource.title}`)
  return command.action(async (wanted: string, chosen: ChangeOptions & { readonly name?: string }) => {
    const given = await givenObject(command, changeable, world)
    const changes = { ...given, ...(chosen.name !== undefined && { [resource.title]: chosen.name }) }
    if (Object.keys(changes).length === 0)
      throw new CommandError(EXIT.usage, 'Nothing to change: give a member, --set member=value, or --file.')
    const api = clientFor(resource, world)
    const found = await objectNamed(resource, wanted, api)
    const body = { ...replaced?.(found), ...changes }
    if (chosen.dryRun) return writeRecord(resource.listing, body, chosen, world)
    const answer = await api.json(pathOf(resource, found), { method: change, body })
    const isChosen = chosen.output !== undefined || chosen.fields !== undefined
    if (isChosen)
      return writeRecord(resource.listing, contentOf(resource, answer) as JsonObject, chosen, world)
    await note(world, `Changed the ${calledOf(resource)} ${printable(String(found[resource.title]))}.`)
  })
}

function remove(resource: Resource, world: World, finish: Finish): Command {
  const { noun, title } = resource
  const called = calledOf(resource)
  return new Command('delete')
    .description(`Delete ${withArticle(called)}.`)
    .argument(`<${noun}>`, nameOf(resource))
    .option('--yes', 'delete without a question')
    .option('--dry-run', `only say which ${called} it would delete`)
    .action(async (wanted: string, { yes, dryRun }: ChangeOptions) => {
      const api = clientFor(resource, world)
      const found = await objectNamed(resource, wanted, api)
      const name = `the ${called} ${printable(String(found[title]))} (${String(found[resource.id])})`
      if (dryRun) return write(world.stdout, `Would delete ${name}.\n`)
      if (!(await mayDelete(name, yes, world))) return finish(EXIT.partly)
      await api.json(pathOf(resource, found), { method: 'DELETE' })
      await note(world, `Deleted ${name}.`)
    })
}

/** @throws CommandError where nobody can be asked and `--yes` is not given */
export async function mayDelete(name: string, yes: true | undefined, world: World): Promise<boolean> {
  if (yes) return true
  if (!canAsk(world)) throw new CommandError(EXIT.usage, `Nothing was deleted: add --yes to delete ${name}.`)
  if (await isAgreed(`Delete ${name}?`, world)) return true
  await write(world.stdout, 'Nothing was deleted.\n')
  return false
}

function withChange(command: Command): Command {
  return command.option('--dry-run', 'print what would be sent, and change nothing')
}

type Client = Pick<ApiClient, 'json'>

export function clientFor({ needsServiceKey }: Resource, world: World): Client {
  const api = apiClient(apiAddress(world), world)
  if (!needsServiceKey) return api
  const headers = { servicekey: serviceKey(world) }
  return { json: (path, request) => api.json(path, { ...request, headers }) }
}

function contentOf({ inEnvelope }: Resource, answer: JsonValue): JsonValue {
  return inEnvelope ? ((answer as JsonObject).data ?? null) : answer
}

async function objectsOf(resource: Resource, api: Client): Promise<JsonObject[]> {
  return contentOf(resource, await api.json(resource.path)) as JsonObject[]
}

/** Resolves an id, a name, or the beginning of an id that identifies one object. */
export async function objectNamed(resource: Resource, wanted: string, api: Client): Promise<JsonObject> {
  const { noun, above, id, title } = resource
  return oneNamed(await objectsOf(resource, api), wanted, {
    called: calledOf(resource),
    listedBy: `weir ${above === undefined ? noun : `${above} ${noun}`} list`,
    idOf: each => String(each[id]),
    nameOf: each => String(each[title] ?? ''),
  })
}

function calledOf({ noun, called = noun }: Resource): string {
  return called
}

export function pathOf({ path, id }: Resource, object: JsonObject): string {
  return `${path}/${encodeURIComponent(String(object[id]))}`
}

function nameOf({ id, title }: Resource): string {
  return id === title ? `${id}` : `id or ${title}`
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

function withArticle(noun: string): string {
  return `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`
}
