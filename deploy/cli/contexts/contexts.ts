import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommandError, EXIT } from '../command-error.ts'
import type { World } from '../world.ts'

/** A server with the credentials for it. Members that are missing come from the environment. */
export interface Context {
  readonly url: string
  readonly ingestUrl?: string
  readonly accessToken?: string
  readonly ingestionKey?: string
  /** Account for which an enterprise token acts. */
  readonly account?: string
  /** Zone of times. */
  readonly tz?: string
}

export interface Contexts {
  /** Name of the one in use; null: none, so that commands find this machine's server. */
  readonly current: string | null
  readonly contexts: Readonly<Record<string, Context>>
}

/** Name for this machine's server, which needs no context. */
export const LOCAL = 'local'

const NONE: Contexts = { current: null, contexts: {} }

/** Folder of the user's own settings; undefined where the user has no home. */
function folderOf(env: World['env']): string | undefined {
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'weir')
  return env.HOME ? join(env.HOME, '.config', 'weir') : undefined
}

/** @throws CommandError where the user has no home */
export function contextsFile(env: World['env']): string {
  const folder = folderOf(env)
  if (folder !== undefined) return join(folder, 'contexts.json')
  throw new CommandError(
    EXIT.usage,
    'Contexts are kept in the home of the user: set HOME or XDG_CONFIG_HOME.',
  )
}

/** @throws CommandError for a file that cannot be read */
export function readContexts(env: World['env']): Contexts {
  if (folderOf(env) === undefined) return NONE
  const file = contextsFile(env)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return NONE
    throw error
  }
  try {
    const { current, contexts } = JSON.parse(text) as Partial<Contexts>
    return { current: current ?? null, contexts: contexts ?? {} }
  } catch {
    throw new CommandError(EXIT.usage, `${file} is not JSON: correct or remove it.`)
  }
}

/**
 * The context that a command uses. `--use` comes first; then variables that name a server, WEIR_CONTEXT, the variable that
 * names a data folder, and the context in use.
 *
 * @param wanted value of `--use`
 * @throws CommandError when there is no such context
 */
export function chosenContext(
  env: World['env'],
  wanted: string | undefined,
): (Context & { readonly name: string }) | undefined {
  if (wanted === undefined && (env.WEIR_URL || env.WEIR_INGEST_URL)) return undefined
  const given = wanted ?? (env.WEIR_CONTEXT || undefined)
  if (given === LOCAL || (given === undefined && env.WEIR_DATA_DIR)) return undefined
  const { current, contexts } = readContexts(env)
  const name = given ?? current
  if (name === null) return undefined
  return { name, ...contextNamed(contexts, name) }
}

/** @throws CommandError when there is no such context */
export function contextNamed(contexts: Contexts['contexts'], name: string): Context {
  const context = Object.hasOwn(contexts, name) ? contexts[name] : undefined
  if (context !== undefined) return context
  const names = Object.keys(contexts)
  throw new CommandError(
    EXIT.usage,
    `There is no context "${name}"${names.length === 0 ? '' : `; there are ${names.join(', ')}`}. "weir context add" makes one.`,
  )
}

/** Variables that name a server, unset. */
export const NO_SERVER: World['env'] = {
  WEIR_URL: undefined,
  WEIR_INGEST_URL: undefined,
  WEIR_ACCESS_TOKEN: undefined,
  WEIR_INGESTION_KEY: undefined,
}

/** Variables that a context stands for. Secrets that it lacks stay as they are; a zone in the environment is kept. */
export function environmentOf(context: Context, env: World['env']): World['env'] {
  const { url, ingestUrl, accessToken, ingestionKey, tz } = context
  return {
    WEIR_URL: url,
    WEIR_INGEST_URL: ingestUrl,
    ...(accessToken !== undefined && { WEIR_ACCESS_TOKEN: accessToken }),
    ...(ingestionKey !== undefined && { WEIR_INGESTION_KEY: ingestionKey }),
    ...(tz !== undefined && !env.WEIR_TZ && { WEIR_TZ: tz }),
  }
}
