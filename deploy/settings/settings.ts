import { readFileSync } from 'node:fs'
import { suggestion } from '../../engine/nearest-word.ts'
import type { Declaration, SettingsOf } from './declaration.ts'
import { HTTP_SETTINGS, httpProblems } from './http-settings.ts'
import { INSTALLATION_SETTINGS } from './installation-settings.ts'
import { KAFKA_SETTINGS, kafkaProblems, registryProblems } from './kafka-settings.ts'
import { LIMIT_SETTINGS, limitProblems } from './limit-settings.ts'
import { LOG_SETTINGS } from './log-settings.ts'
import { Unreadable } from './setting-values.ts'
import { STORE_SETTINGS } from './store-settings.ts'

/**
 * Every setting is declared once in this folder. Only this file reads the environment. A setting can also be given as
 * `<NAME>_FILE`, the path of a file with its value.
 */

const DECLARATIONS = {
  ...INSTALLATION_SETTINGS,
  ...HTTP_SETTINGS,
  ...LIMIT_SETTINGS,
  ...LOG_SETTINGS,
  ...KAFKA_SETTINGS,
  ...STORE_SETTINGS,
} as const

export type Settings = SettingsOf<typeof DECLARATIONS>

/** All problems with the settings, one sentence each, so that they can be fixed at once. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError'
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

type Environment = Readonly<Record<string, string | undefined>>

/** Settings of the command line, which the server ignores. */
const OTHERS_ALLOWED = new Set([
  'WEIR_URL',
  'WEIR_INGEST_URL',
  'WEIR_ACCESS_TOKEN',
  'WEIR_INGESTION_KEY',
  'WEIR_SERVICE_KEY',
  'WEIR_TZ',
  'WEIR_CONTEXT',
])

/**
 * Service links: variables by which an orchestrator gives every container the addresses of other services. For a service
 * "weir" they are WEIR_SERVICE_HOST, WEIR_SERVICE_PORT(_<name>), WEIR_PORT_8080_TCP(_PROTO|_PORT|_ADDR) and
 * WEIR_PORT=tcp://10.0.0.1:8080, and for "weir-ingest" the same with WEIR_INGEST_.
 */
const SERVICE_LINK =
  /^WEIR_(?:\w+_)?(?:SERVICE_HOST|SERVICE_PORT(?:_\w+)?|PORT_\d+_(?:TCP|UDP|SCTP)(?:_\w+)?)$/
/** A service link with the name of a setting is recognised by its value, which is not a port. */
const LINKED_PORT = /^WEIR_(?:\w+_)?PORT$/
const LINK = /^(?:tcp|udp|sctp):\/\//

/** Names of the variables that are service links of an orchestrator and not settings. */
export function serviceLinks(environment: Environment): string[] {
  return Object.keys(environment).filter(
    name => SERVICE_LINK.test(name) || (LINKED_PORT.test(name) && LINK.test(environment[name] ?? '')),
  )
}

/** @throws SettingsError with a sentence for every setting that cannot be used; service links are ignored */
export function readSettings(given: Environment): Settings {
  const links = new Set(serviceLinks(given))
  const environment = Object.fromEntries(Object.entries(given).filter(([name]) => !links.has(name)))
  const problems: string[] = []
  const settings: Record<string, unknown> = {}
  for (const [member, declaration] of Object.entries<Declaration<unknown>>(DECLARATIONS)) {
    settings[member] = readOne(declaration, environment, problems)
  }
  problems.push(...unknownSettings(environment))
  // Each declaration gave its member.
  const read = settings as unknown as Settings
  problems.push(...httpProblems(read))
  if (read.kafkaBrokers.length > 0) problems.push(...kafkaProblems(read))
  problems.push(...registryProblems(read), ...limitProblems(read))
  if (problems.length > 0) throw new SettingsError(problems)
  return read
}

/**
 * Reads the log level alone, which can change while a process runs.
 *
 * @throws SettingsError when its text cannot be used
 */
export function readLogLevel(environment: Environment): Settings['logLevel'] {
  const problems: string[] = []
  const level = readOne(DECLARATIONS.logLevel, environment, problems)
  if (problems.length > 0) throw new SettingsError(problems)
  return level as Settings['logLevel']
}

function readOne(declaration: Declaration<unknown>, environment: Environment, problems: string[]): unknown {
  const { name, read, fallback } = declaration
  try {
    const value = settingText(name, environment)
    return value === undefined || value === '' ? fallback : read(value)
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    problems.push(`${name} ${error.message}`)
    return fallback
  }
}

function settingText(name: string, environment: Environment): string | undefined {
  const path = environment[`${name}_FILE`]
  if (path === undefined || path === '') return environment[name]
  if (environment[name]) throw new Unreadable(`and ${name}_FILE are both set: remove one of them`)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new Unreadable(`cannot be read from ${name}_FILE: ${(cause as Error).message}`)
  }
}

function unknownSettings(environment: Environment): string[] {
  const known = new Set(Object.values<Declaration<unknown>>(DECLARATIONS).map(({ name }) => name))
  const problems: string[] = []
  for (const name of Object.keys(environment)) {
    if (!name.startsWith('WEIR_') || OTHERS_ALLOWED.has(name)) continue
    if (!known.has(name) && !known.has(name.replace(/_FILE$/, '')))
      problems.push(`${name} is not a setting of Weir${suggestion(name, [...known])}`)
  }
  return problems
}

/** A setting, for guides and packages. */
export interface DescribedSetting {
  readonly name: string
  readonly summary: string
  /** Value when it is not set, as text; empty: none. */
  readonly fallback: string
  readonly isSecret: boolean
}

export function describeSettings(): readonly DescribedSetting[] {
  return Object.values<Declaration<unknown>>(DECLARATIONS).map(
    ({ name, summary, fallback, secret: isSecret = false }) => ({
      ...{ name, summary, isSecret },
      fallback: fallback === undefined ? '' : String(fallback),
    }),
  )
}
