import { Command, InvalidArgumentError, Option } from 'commander'
import { jsonText } from '../../engine/json/json-text.ts'
import type { IssuedToken, TokenRecord } from '../../schemas/http/account/token-api.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { type ApiClient, apiClient } from './api-client.ts'
import { CommandError, EXIT } from './command-error.ts'
import { apiAddress } from './connection.ts'
import { durationMs } from './duration.ts'
import { type Column, printable, tableLines } from './table.ts'
import { type World, write } from './world.ts'

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
  readonly expires?: string | number
  readonly email?: string
}

export function tokenCommand(world: World): Command {
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
    .option('--expires <when>', 'expiry: 90d, 12h, 2026-12-31; default: never', readExpires)
    .option('--email <address>', 'member who gets the personal token')
    .option('--json', 'print the token as a JSON object')
    .action(async (name: string, options: CreateOptions) => create(name, options, world))
  command
    .command('list')
    .description('List the access tokens of the account, or your own if you are not an admin.')
    .option('--json', 'print them as a JSON array')
    .action(async (options: JsonOption) => list(options, world))
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
  return command
}

function readExpires(text: string): string | number {
  const ms = durationMs(text)
  return ms === undefined ? text : Math.max(1, Math.round(ms / 1000))
}

function readGrace(text: string): number {
  const ms = durationMs(text)
  if (ms === undefined) throw new InvalidArgumentError('Write it like 10m or 1h.')
  return Math.round(ms / 1000)
}

async function create(name: string, options: CreateOptions, world: World): Promise<void> {
  const { kind, scope, expires, email } = options
  const body = {
    name,
    ...(kind !== undefined && { kind }),
    ...(scope !== undefined && { scope }),
    ...(expires !== undefined && { expires }),
    ...(email !== undefined && { email }),
  }
  const issued = await client(world).json(URL, { method: 'POST', body })
  await show(issued as unknown as IssuedToken, 'Created', options, world)
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
  if (json) return write(world.stdout, `${jsonText(issued as unknown as JsonObject)}\n`)
  const end = issued.expires_at === null ? 'does not expire' : `expires at ${issued.expires_at}`
  const old = issued.previous_secret_until
  await write(
    world.stderr,
    `${what} ${printable(issued.name)} (${issued.id}). It has the rights of ${article(issued.right ?? 'nobody')}, and ${end}. ` +
      `${old === null ? '' : `The old secret works until ${old}. `}The secret is not shown again:\n`,
  )
  await write(world.stdout, `${issued.token}\n`)
}

function article(right: string): string {
  if (right === 'ingest') return 'a sender of lines'
  return `${/^[aeiou]/.test(right) ? 'an' : 'a'} ${right}${right === 'readonly' ? ' user' : ''}`
}

async function list({ json }: JsonOption, world: World): Promise<void> {
  const tokens = await tokensOf(client(world))
  if (json) return write(world.stdout, `${jsonText(tokens as unknown as JsonObject[])}\n`)
  if (tokens.length === 0) return write(world.stdout, 'There are no tokens.\n')
  const columns: Column<TokenRecord>[] = [
    { title: 'ID', text: token => token.id },
    { title: 'NAME', text: token => token.name },
    { title: 'KIND', text: token => token.kind },
    { title: 'OF', text: token => token.email ?? '-' },
    { title: 'MAY', text: token => token.right ?? 'nothing' },
    { title: 'ENDS', text: token => token.expires_at ?? 'never' },
    { title: 'LAST USED', text: token => token.last_used_at ?? 'never' },
  ]
  const colours = world.stdout.isTTY === true && !world.env.NO_COLOR
  await write(world.stdout, `${tableLines(columns, tokens, colours).join('\n')}\n`)
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
  const tokens = await tokensOf(api)
  const named = tokens.filter(({ id, name }) => id === wanted || name === wanted)
  const matching = named.length > 0 ? named : tokens.filter(({ id }) => id.startsWith(wanted))
  if (matching.length === 1) return encodeURIComponent((matching[0] as TokenRecord).id)
  throw new CommandError(
    EXIT.usage,
    matching.length === 0
      ? `There is no token "${wanted}"; "weir token list" shows all tokens.`
      : `"${wanted}" can be any of ${matching.map(({ id }) => id).join(', ')}: give the id.`,
  )
}
