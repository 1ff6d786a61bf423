import type { Command } from 'commander'
import type { JsonObject } from '../../../schemas/json.ts'
import { EXIT, type ExitCode } from '../command-error.ts'
import { oneNamed } from '../one-named.ts'
import { type Listing, type OutputOptions, withOutput, writeListing, writeRecord } from '../output/output.ts'
import { watchable } from '../output/watch.ts'
import { printable } from '../table.ts'
import { note, type World, write } from '../world.ts'
import type { Resource } from './resource.ts'
import { clientFor, mayDelete, objectNamed, pathOf, resourceCommand } from './resource-command.ts'
import { text } from './resources.ts'

const GATEWAY: Resource = {
  noun: 'gateway',
  called: 'gateway route',
  summary: 'list, create, change and delete addresses for pushed data, and their access keys',
  path: '/v3/pipeline/gateway-route',
  id: 'id',
  title: 'title',
  listing: {
    columns: [
      { title: 'ID', text: text('id') },
      { title: 'TITLE', text: text('title') },
      { title: 'TYPE', text: text('type') },
      { title: 'DESCRIPTION', text: text('description') },
      { title: 'PATH', text: ({ id }) => `/v1/${String(id)}`, wide: true },
      { title: 'CREATED', text: text('created_at'), wide: true },
    ],
    rawFields: ['id'],
    none: 'There are no gateway routes.',
  },
  options: [
    { flags: '--type <type>', about: 'type of the sources that use it, such as http', member: 'type' },
    { flags: '--description <text>', about: 'description', member: 'description' },
  ],
  createOnly: ['type'],
  change: 'PUT',
  replaced: ({ title, description }) => ({
    ...(title !== null && { title: title ?? '' }),
    description: description ?? null,
  }),
  inEnvelope: true,
  examples: [
    'weir gateway list',
    'weir gateway create doors --type http',
    'weir gateway key create doors gate > gate.key',
    'weir gateway key list doors',
    'weir gateway key delete doors gate --yes',
    'weir gateway delete doors --yes',
  ],
}

const KEYS: Listing<JsonObject> = {
  columns: [
    { title: 'ID', text: text('id') },
    { title: 'TITLE', text: text('title') },
    { title: 'CREATED', text: text('created_at') },
  ],
  rawFields: ['id'],
  none: 'The gateway route has no access keys.',
}

type Finish = (code: ExitCode) => void

export function gatewayCommand(world: World, finish: Finish): Command {
  const command = resourceCommand(GATEWAY, world, finish)
  const keys = command.command('key').description('List, create and revoke access keys of a gateway route.')
  watchable(withOutput(keys.command('list')))
    .description('List the access keys of a gateway route, without the keys themselves.')
    .argument('<gateway>', 'id or title of the gateway route')
    .action(async (gateway: string, options: OutputOptions) => {
      await writeListing(KEYS, await keysOf(await keysPath(gateway, world), world), options, world)
    })
  withOutput(keys.command('create'))
    .description('Create an access key of a gateway route, and print it, only once.')
    .argument('<gateway>', 'id or title of the gateway route')
    .argument('<title>', 'title of the key')
    .action(async (gateway: string, title: string, options: OutputOptions) =>
      createKey(gateway, title, options, world),
    )
  keys
    .command('delete')
    .description('Revoke an access key: requests with it are refused from now on.')
    .argument('<gateway>', 'id or title of the gateway route')
    .argument('<key>', 'id or title of the key')
    .option('--yes', 'revoke without a question')
    .option('--dry-run', 'only say which key it would revoke')
    .action(async (gateway: string, key: string, options: { readonly yes?: true; readonly dryRun?: true }) =>
      deleteKey(gateway, key, options, { world, finish }),
    )
  return command
}

async function keysPath(gateway: string, world: World): Promise<string> {
  return `${pathOf(GATEWAY, await objectNamed(GATEWAY, gateway, clientFor(GATEWAY, world)))}/access-key`
}

async function keysOf(path: string, world: World): Promise<JsonObject[]> {
  return ((await clientFor(GATEWAY, world).json(path)) as JsonObject).data as JsonObject[]
}

async function createKey(
  gateway: string,
  title: string,
  options: OutputOptions,
  world: World,
): Promise<void> {
  const path = await keysPath(gateway, world)
  const body = { title, type: 'generated' }
  const { data } = (await clientFor(GATEWAY, world).json(path, { method: 'POST', body })) as JsonObject
  const created = data as JsonObject
  if (options.output !== undefined || options.fields !== undefined)
    return writeRecord(KEYS, created, options, world)
  await note(
    world,
    `Created the access key ${printable(title)} (${String(created.id)}). It is not shown again:`,
  )
  await write(world.stdout, `${String(created.key)}\n`)
}

async function deleteKey(
  gateway: string,
  wanted: string,
  { yes, dryRun }: { readonly yes?: true; readonly dryRun?: true },
  { world, finish }: { readonly world: World; readonly finish: Finish },
): Promise<void> {
  const path = await keysPath(gateway, world)
  const key = oneNamed(await keysOf(path, world), wanted, {
    called: 'access key',
    listedBy: `weir gateway key list ${gateway}`,
    idOf: ({ id }) => String(id),
    nameOf: ({ title }) => String(title),
  })
  const name = `the access key ${printable(String(key.title))} (${String(key.id)})`
  if (dryRun) return write(world.stdout, `Would delete ${name}.\n`)
  if (!(await mayDelete(name, yes, world))) return finish(EXIT.partly)
  await clientFor(GATEWAY, world).json(`${path}/${encodeURIComponent(String(key.id))}`, { method: 'DELETE' })
  await note(world, `Deleted ${name}.`)
}
