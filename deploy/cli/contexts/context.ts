import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { createFolders, writeAtomically } from '../../durable-file.ts'
import { CommandError, EXIT } from '../command-error.ts'
import { type Listing, type OutputOptions, withOutput, writeListing } from '../output/output.ts'
import { printable } from '../table.ts'
import { note, type World } from '../world.ts'
import { type Context, type Contexts, contextNamed, contextsFile, LOCAL, readContexts } from './contexts.ts'

const HELP = `
A context is a server with the credentials for it. Contexts are kept in ~/.config/weir/contexts.json
(XDG_CONFIG_HOME), which only you can read. Secrets come from a file, from standard input (-), or from
WEIR_ACCESS_TOKEN and WEIR_INGESTION_KEY; they are never shown again.

Every command uses the context in use. "--use NAME" selects another one for one command, and WEIR_CONTEXT
for a shell. WEIR_URL, and WEIR_DATA_DIR without WEIR_CONTEXT, take precedence over the context in use.
"local" is the server of this machine.

Examples:
  weir context add prod --url https://logs.example.org --token-file token.txt
  weir context use prod
  weir search error --use staging
  weir context use local
  weir context list`

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/
const STANDARD_INPUT = '-'

interface AddOptions {
  readonly url: string
  readonly ingestUrl?: string
  readonly tokenFile?: string
  readonly ingestionKeyFile?: string
  readonly account?: string
  readonly zone?: string
  readonly replace?: true
}

interface Row {
  readonly name: string
  readonly current: boolean
  readonly url: string
  readonly ingest_url: string | null
  readonly account: string | null
  readonly tz: string | null
  readonly has_token: boolean
  readonly has_ingestion_key: boolean
}

const CONTEXTS: Listing<Row> = {
  columns: [
    { title: 'IN USE', text: ({ current }) => (current ? '*' : '') },
    { title: 'NAME', text: ({ name }) => name },
    { title: 'URL', text: ({ url }) => url },
    { title: 'ACCOUNT', text: ({ account }) => account ?? '-' },
    { title: 'TOKEN', text: ({ has_token: has }) => (has ? 'yes' : 'no') },
    { title: 'INGESTION KEY', text: ({ has_ingestion_key: has }) => (has ? 'yes' : 'no'), wide: true },
    { title: 'INGESTION URL', text: ({ ingest_url: url }) => url ?? '-', wide: true },
    { title: 'ZONE', text: ({ tz }) => tz ?? '-', wide: true },
  ],
  rawFields: ['name'],
  none: 'There are no contexts: commands use the server of this machine, or WEIR_URL.',
}

export function contextCommand(world: World): Command {
  const command = new Command('context')
    .summary('name servers, and choose the one that commands use')
    .description('Name servers with their credentials, and choose the one that commands use.')
    .addHelpText('after', HELP)
  command
    .command('add')
    .description('Add a context; the first one is used from then on.')
    .argument('<name>', 'name of the context')
    .requiredOption('--url <address>', 'address of the API, such as https://logs.example.org')
    .option('--ingest-url <address>', 'address for lines; default: that of the API')
    .option('--token-file <file>', 'file with the access token; "-": standard input')
    .option('--ingestion-key-file <file>', 'file with the ingestion key')
    .option('--account <id>', 'account for which an enterprise token acts')
    .option('--zone <zone>', 'zone of times, as with --tz')
    .option('--replace', 'replace a context of this name')
    .action(async (name: string, options: AddOptions) => add(name, options, world))
  command
    .command('use')
    .description('Use a context in all commands from now on.')
    .argument('<name>', `name of the context, or "${LOCAL}"`)
    .action(async (name: string) => use(name, world))
  withOutput(command.command('list'))
    .description('List the contexts, without their secrets.')
    .action(async (options: OutputOptions) => list(options, world))
  command
    .command('remove')
    .description('Remove a context with its secrets.')
    .argument('<name>', 'name of the context')
    .action(async (name: string) => remove(name, world))
  return command
}

async function add(name: string, options: AddOptions, world: World): Promise<void> {
  if (!NAME.test(name) || name === LOCAL)
    throw new CommandError(
      EXIT.usage,
      `"${name}" cannot name a context: use up to 64 letters, digits, dots, hyphens and underscores, and not "${LOCAL}".`,
    )
  const { current, contexts } = readContexts(world.env)
  if (Object.hasOwn(contexts, name) && !options.replace)
    throw new CommandError(EXIT.usage, `There is a context "${name}" already: add --replace to replace it.`)
  const context = await contextOf(options, world)
  await save({ current: current ?? name, contexts: { ...contexts, [name]: context } }, world)
  await note(
    world,
    `Added ${name}. ${current === null ? 'It is used from now on.' : `To use it: weir context use ${name}`}`,
  )
}

async function contextOf(options: AddOptions, world: World): Promise<Context> {
  const { url, ingestUrl, tokenFile, ingestionKeyFile, account, zone } = options
  const accessToken = await secret(tokenFile, 'WEIR_ACCESS_TOKEN', world)
  const ingestionKey = await secret(ingestionKeyFile, 'WEIR_INGESTION_KEY', world)
  return {
    url: address('--url', url),
    ...(ingestUrl !== undefined && { ingestUrl: address('--ingest-url', ingestUrl) }),
    ...(accessToken !== undefined && { accessToken }),
    ...(ingestionKey !== undefined && { ingestionKey }),
    ...(account !== undefined && { account }),
    ...(zone !== undefined && { tz: zone }),
  }
}

function address(option: string, given: string): string {
  const url = URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return given.replace(/\/+$/, '')
  throw new CommandError(
    EXIT.usage,
    `${option} "${given}" is not an address. Write it like https://logs.example.org.`,
  )
}

/** A secret is never an argument, because other users of the machine can see those. */
async function secret(
  file: string | undefined,
  variable: string,
  { env, stdin }: World,
): Promise<string | undefined> {
  if (file === undefined) return env[variable] || undefined
  const given = (file === STANDARD_INPUT ? await text(stdin) : await readFile(file, 'utf8')).trim()
  if (/^\S+$/.test(given)) return given
  throw new CommandError(
    EXIT.usage,
    `${file === STANDARD_INPUT ? 'Standard input' : file} does not contain a single secret.`,
  )
}

async function use(name: string, world: World): Promise<void> {
  const { contexts } = readContexts(world.env)
  if (name !== LOCAL) contextNamed(contexts, name)
  await save({ current: name === LOCAL ? null : name, contexts }, world)
  await note(world, name === LOCAL ? 'Commands use the server of this machine.' : `Commands use ${name}.`)
}

async function list(options: OutputOptions, world: World): Promise<void> {
  const { current, contexts } = readContexts(world.env)
  const rows = Object.entries(contexts).map(([name, context]) => rowOf(name, context, name === current))
  await writeListing(CONTEXTS, rows, options, world)
}

function rowOf(name: string, context: Context, current: boolean): Row {
  const { url, ingestUrl = null, account = null, tz = null, accessToken, ingestionKey } = context
  const has = { has_token: accessToken !== undefined, has_ingestion_key: ingestionKey !== undefined }
  return { name, current, url, ingest_url: ingestUrl, account, tz, ...has }
}

async function remove(name: string, world: World): Promise<void> {
  const { current, contexts } = readContexts(world.env)
  contextNamed(contexts, name)
  const { [name]: _, ...others } = contexts
  await save({ current: current === name ? null : current, contexts: others }, world)
  await note(world, `Removed ${printable(name)}.`)
}

async function save(contexts: Contexts, world: World): Promise<void> {
  const file = contextsFile(world.env)
  createFolders(dirname(file))
  writeAtomically(file, `${JSON.stringify(contexts, undefined, 2)}\n`)
}
