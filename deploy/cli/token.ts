import { Command, InvalidArgumentError, Option } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import { SECOND_MS } from '../../engine/times/duration.ts'
import { timeSpanMs } from '../../engine/times/time-span.ts'
import type { IssuedToken, TokenRecord } from '../../schemas/http/account/token-api.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import type { ExitCode } from './command-error.ts'
import { apiAddress } from './connection.ts'
import { oneNamed } from './one-named.ts'
import { type Listing, type OutputOptions, withOutput, writeListing } from './output/output.ts'
import { watchable } from './output/watch.ts'
import { furtherVerbs } from './resources/resource-command.ts'
import { TOKEN } from './resources/resources.ts'
import { printable } from './table.ts'
import { timesOf } from './times/times.ts'
import { note, type World, write } from './world.ts'

const HELP = `
A secret is printed once, alone on standard output; information about it goes to standard error.
A token is given by its id, the beginning of its id, or its name. With WEIR_ACCESS_TOKEN set to an
enterprise token, the commands apply to tokens of the enterprise.

Examples:
  weir token create deployer --scope member --expires 90d
  WEIR_INGESTION_KEY=$(weir token create shipper --scope ingest) weir ship app.log
  weir token create ann --kind user --email ann@example.org
  weir token list
  weir token rotate deployer --grace 1h
  weir token revoke deployer`

const URL = '/v1/config/tokens'

interface JsonOption {
  readonly json?: true
}

interface CreateOptions extends JsonOption {
  readonly kind?: string
  readonly scope?: string
  readonly expires?: string
  readonly email?: string
}

export function tokenCommand(world: World, finish: (code: ExitCode) => void): Command {
  const command = new Command('token')
    .summary('create, list, rotate and revoke access tokens')
    .description('Create, list, rotate and revoke access tokens.')
    .addHelpText('after', HELP)
  command
    .command('create')
    .description('Create an access token and print its secret, only once.')
    .argument('<name>', 'name of the token')
    .addOption(
      new Option('--kind <kind>', "kind of token; default: the requesting token's").choices([
        'user',
        'service',
        'enterprise',
      ]),
    )
    .addOption(
      new Option(
        '--scope <scope>',
        "scope; never wider than the requesting token's, which is the default",
      ).choices(['owner', 'admin', 'member', 'readonly', 'ingest']),
    )
    .option('--expires <when>', 'expiry: 90d, 12h, 2026-12-31; default: never')
    .option('--email <address>', 'member who gets the personal token')
    .option('--json', 'print the token as a JSON object')
    .action(async (name: string, options: CreateOptions) => create(name, options, world))
  watchable(withOutput(command.command('list'), 'print them as a JSON array'))
    .description('List the access tokens of the account, or your own if you are not an admin.')
    .action(async (options: OutputOptions) => list(options, world))
  command
    .command('rotate')
    .description('Give an access token a new secret and print it, only once. The old one stops working.')
    .argument('<token>', 'id or name')
    .option('--grace <time>', 'time for which the old secret keeps working: 10m, at most 24h', readGrace, 0)
    .option('--json', 'print the token as a JSON object')
    .action(async (wanted: string, options: JsonOption & { grace: number }) => rotate(wanted, options, world))
  command
    .command('revoke')
    .description('Revoke an access token permanently.')
    .argument('<token>', 'id or name')
    .option('--json', 'print the answer of the service as it is')
    .action(async (wanted: string, options: JsonOption) => revoke(wanted, options, world))
  for (const each of furtherVerbs(TOKEN, world, finish)) command.addCommand(each)
  return command
}

function readGrace(text: string): number {
  const ms = timeSpanMs(text)
  if (ms === undefined) throw new InvalidArgumentError('Write it like 10m or 1h.')
  return Math.round(ms / 1000)
}

async function create(name: string, options: CreateOptions, world: World): Promise<void> {
  const { kind, scope, expires, email } = options
  const body = {
    name,
    ...(kind !== undefined && { kind }),
    ...(scope !== undefined && { scope }),
    ...(expires !== undefined && { expires: await readExpires(expires, world) }),
    ...(email !== undefined && { email }),
  }
  const issued = await client(world).json(URL, { method: 'POST', body })
  await show(issued as unknown as IssuedToken, 'Created', options, world)
}

/** A span as seconds from now, because the clock of the server decides; any other time as it is. */
async function readExpires(text: string, world: World): Promise<string | number> {
  const ms = timeSpanMs(text.replace(/^\+/, ''))
  if (ms !== undefined) return Math.max(1, Math.round(ms / SECOND_MS))
  return new Date((await timesOf(world)).read('--expires', text, 'start', 'future')).toISOString()
}

async function rotate(wanted: string, options: JsonOption & { grace: number }, world: World): Promise<void> {
  const api = client(world)
  const issued = await api.json(`${URL}/${await tokenId(api, wanted)}/rotate`, {
    method: 'POST',
    body: { grace_s: options.grace },
  })
  await show(issued as unknown as IssuedToken, 'Rotated', options, world)
}

async function show(issued: IssuedToken, what: string, { json }: JsonOption, world: World): Promise<void> {
  if (json) return write(world.stdout, `${jsonText(issued)}\n`)
  const end = issued.expires_at === null ? 'does not expire' : `expires at ${issued.expires_at}`
  const old = issued.previous_secret_until
  await note(
    world,
    `${what} ${printable(issued.name)} (${issued.id}). It has the rights of ${article(issued.right ?? 'nobody')}, and ${end}. ` +
      `${old === null ? '' : `The old secret works until ${old}. `}The secret is not shown again:`,
  )
  await write(world.stdout, `${issued.token}\n`)
}

function article(right: string): string {
  if (right === 'ingest') return 'a sender of lines'
  return `${/^[aeiou]/.test(right) ? 'an' : 'a'} ${right}${right === 'readonly' ? ' user' : ''}`
}

async function list(options: OutputOptions, world: World): Promise<void> {
  const tokens = await tokensOf(client(world))
  if (options.json) return write(world.stdout, `${jsonText(tokens)}\n`)
  await writeListing(TOKENS, tokens, options, world)
}

const TOKENS: Listing<TokenRecord> = {
  columns: [
    { title: 'ID', text: token => token.id },
    { title: 'NAME', text: token => token.name },
    { title: 'KIND', text: token => token.kind },
    { title: 'OF', text: token => token.email ?? '-' },
    { title: 'MAY', text: token => token.right ?? 'nothing' },
    { title: 'ENDS', text: token => token.expires_at ?? 'never' },
    { title: 'LAST USED', text: token => token.last_used_at ?? 'never' },
    { title: 'CREATED', text: token => token.created_at, wide: true },
  ],
  rawFields: ['id'],
  none: 'There are no tokens.',
}

async function revoke(wanted: string, { json }: JsonOption, world: World): Promise<void> {
  const api = client(world)
  const answer = await api.json(`${URL}/${await tokenId(api, wanted)}`, { method: 'DELETE' })
  await write(world.stdout, json ? `${jsonText(answer)}\n` : 'Revoked: it no longer works.\n')
}

function client(world: World): ApiClient {
  return apiClient(apiAddress(world), world)
}

async function tokensOf(api: ApiClient): Promise<TokenRecord[]> {
  return (await api.json(URL)) as unknown as TokenRecord[]
}

async function tokenId(api: ApiClient, wanted: string): Promise<string> {
  const { id } = oneNamed(await tokensOf(api), wanted, {
    called: 'token',
    listedBy: 'weir token list',
    idOf: token => token.id,
    nameOf: token => token.name,
  })
  return encodeURIComponent(id)
}
