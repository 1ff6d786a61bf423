import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Credentials } from '../data-directory.ts'
import { CommandError, EXIT } from './command-error.ts'
import type { World } from './world.ts'

const CREDENTIAL_NAMES: readonly (keyof Credentials)[] = [
  'apiUrl',
  'ingestUrl',
  'accountId',
  'accessToken',
  'enterpriseAccessToken',
  'ingestionKey',
  'serviceKey',
]

/** A secret and its origin, so that a refusal can name the place to check. */
export interface Secret {
  readonly value: string
  readonly origin: string
}

export interface Address {
  readonly url: string
  readonly secret: Secret
  /** Short id of the account that an enterprise token acts for. */
  readonly account?: string
}

export function dataFolder(world: World): string {
  return resolve(world.env.WEIR_DATA_DIR || 'weir-data')
}

/** Address and credentials of the API: WEIR_URL and WEIR_ACCESS_TOKEN, else the local credentials. */
export function apiAddress(world: World): Address {
  const url = world.env.WEIR_URL
  return {
    url: url ? serviceUrl('WEIR_URL', url) : localUrl(world, 'apiUrl'),
    secret: secret(
      world,
      'WEIR_ACCESS_TOKEN',
      'accessToken',
      url ? { variable: 'WEIR_URL', url } : undefined,
    ),
    ...(world.account !== undefined && { account: world.account }),
  }
}

/**
 * Service key of the account, which some requests need in addition to a token: WEIR_SERVICE_KEY, else the local credentials.
 *
 * @throws CommandError when there is none for this service
 */
export function serviceKey(world: World): string {
  const { WEIR_SERVICE_KEY: given, WEIR_URL: url } = world.env
  if (given) return given
  const found = url ? undefined : localCredentials(world).serviceKey
  if (found) return found
  throw new CommandError(
    EXIT.usage,
    'This command needs a service key of the account in addition to the token: set WEIR_SERVICE_KEY ("weir key list" shows them).',
  )
}

/** Address for lines: WEIR_INGEST_URL, else WEIR_URL (one address serves both), else the local credentials. */
export function ingestAddress(world: World): Address {
  const variable = world.env.WEIR_INGEST_URL ? 'WEIR_INGEST_URL' : 'WEIR_URL'
  const url = world.env[variable]
  return {
    url: url ? serviceUrl(variable, url) : localUrl(world, 'ingestUrl'),
    secret: secret(world, 'WEIR_INGESTION_KEY', 'ingestionKey', url ? { variable, url } : undefined),
  }
}

function secret(
  world: World,
  variable: string,
  member: 'accessToken' | 'ingestionKey',
  given: { variable: string; url: string } | undefined,
): Secret {
  const value = world.env[variable]
  if (value) return { value, origin: world.origins?.[variable] ?? variable }
  const credentials = localCredentials(world)
  // Credentials of this machine's service must not be sent to another one.
  if (given && !sameOrigin(given.url, credentials.apiUrl) && !sameOrigin(given.url, credentials.ingestUrl)) {
    throw new CommandError(
      EXIT.unreachable,
      `${given.variable} is the address of another service than that of ${credentialsFile(world)}: set ${variable}, too.`,
    )
  }
  return { value: credentials[member], origin: credentialsFile(world) }
}

export function credentialsFile(world: World): string {
  return join(dataFolder(world), 'credentials.json')
}

/** @throws CommandError with a sentence when the file is missing, unreadable or incomplete */
export function localCredentials(world: World): Credentials {
  const file = credentialsFile(world)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new CommandError(EXIT.unreachable, missingFileSentence(file, error), { cause: error })
  }
  const parsed = parseObject(text)
  const missing = CREDENTIAL_NAMES.filter(name => typeof parsed?.[name] !== 'string')
  if (parsed && missing.length === 0) return parsed as unknown as Credentials
  throw new CommandError(
    EXIT.unreachable,
    `${file} is damaged (${missing.join(', ')} missing). Start the server again, or set WEIR_URL, ` +
      'WEIR_ACCESS_TOKEN and WEIR_INGESTION_KEY.',
  )
}

/** Remedy for a file that cannot be read. */
export function missingFileSentence(file: string, error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code
  if (code === 'EACCES' || code === 'EPERM') {
    return `${file} can only be read by the user that runs the server: run the command as that user, or set WEIR_URL, WEIR_ACCESS_TOKEN and WEIR_INGESTION_KEY.`
  }
  return (
    `There are no credentials in ${file}. Start the server on this machine once with "npm start", or set ` +
    'WEIR_DATA_DIR to its data folder, or WEIR_URL with WEIR_ACCESS_TOKEN and WEIR_INGESTION_KEY.'
  )
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** @throws CommandError when the server has never listened, so that its addresses are not known yet */
function localUrl(world: World, member: 'apiUrl' | 'ingestUrl'): string {
  const url = localCredentials(world)[member]
  if (url !== '') return url
  throw new CommandError(
    EXIT.unreachable,
    `The server of ${dataFolder(world)} has not come up yet. Wait for its line "Weir is ready", or see in its output why it stopped.`,
  )
}

function serviceUrl(variable: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new CommandError(
      EXIT.usage,
      `${variable} "${text}" is not an address. Write it like http://127.0.0.1:8080.`,
    )
  }
  return text.replace(/\/+$/, '')
}

function sameOrigin(left: string, right: string): boolean {
  return URL.canParse(left) && URL.canParse(right) && new URL(left).origin === new URL(right).origin
}
