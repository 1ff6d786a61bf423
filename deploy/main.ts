import { resolve } from 'node:path'
import type { Logger } from 'pino'
import { isLoopback, SignInLinks } from '../api/auth/sign-in-links.ts'
import { EXIT } from './cli/command-error.ts'
import type { ClusterRole } from './cluster/cluster-role.ts'
import type { Credentials, DataDirectory } from './data-directory.ts'
import { firstSteps, howToReadCredentials, signInSentence } from './first-steps.ts'
import { endByForce } from './forced-end.ts'
import { stopGracefully } from './graceful-stop.ts'
import { reloadOnHangUp } from './hang-up.ts'
import { closeInstallation, type Installation, openInstallation } from './installation.ts'
import { type NewLink, OperatorSocket } from './operator/operator-socket.ts'
import { programLogger } from './program-logger.ts'
import { closeServers, listen, openServers, type Servers } from './servers.ts'
import { readSettings, type Settings, SettingsError, serviceLinks } from './settings/settings.ts'
import { runStore } from './store-role/store-role.ts'
import { RenewedTls } from './tls.ts'
import { VERSION } from './version.ts'
import { startFoldWatchdog } from './watchdog/fold-watchdog.ts'

/**
 * Runs a server role until a signal ends it. `all` is every role in one process, and the only one on the embedded log.
 * Errors of the start end the process with a sentence and an exit code: 2 when a setting is wrong, else 1.
 */
export async function runRole(role: string): Promise<void> {
  try {
    const settings = readSettings(process.env)
    const logger = programLogger(settings.logLevel)
    sayIgnored(serviceLinks(process.env), logger)
    if (settings.kafkaBrokers.length === 0 && role !== 'all' && role !== 'store') {
      throw new SettingsError([
        `only one process can own the embedded log: start "weir all" instead of "weir ${role}", or set KAFKA_BROKERS`,
      ])
    }
    const tls = await RenewedTls.open(settings, logger)
    tls?.follow()
    try {
      await runReloaded(role, settings, { logger, tls })
    } finally {
      tls?.close()
    }
  } catch (error) {
    if (!hasSentence(error)) throw error
    for (const sentence of error.message.split('\n')) console.error(`weir: ${sentence}`)
    process.exitCode = error instanceof SettingsError ? EXIT.usage : 1
  }
}

interface ProcessParts {
  readonly logger: Logger
  /** Absent: the process serves no HTTPS. */
  readonly tls: RenewedTls | undefined
}

async function runReloaded(role: string, settings: Settings, parts: ProcessParts): Promise<void> {
  const { logger, tls } = parts
  if (role === 'store') {
    reloadOnHangUp({ ...parts, onLevel: () => {} })
    return runStore(settings, logger, { tls, stopped: stopSignal(logger, true) })
  }
  const watchdog = startFoldWatchdog(settings.logLevel, logger)
  reloadOnHangUp({ ...parts, onLevel: level => watchdog.setLevel(level) })
  try {
    await (settings.kafkaBrokers.length > 0
      ? runInCluster(role as ClusterRole, settings, parts)
      : runAll(settings, parts))
  } finally {
    await watchdog.close()
  }
}

function sayIgnored(links: readonly string[], logger: Logger): void {
  if (links.length === 0) return
  logger.info(
    { names: links },
    'service links of the orchestrator are ignored, because they are not settings of Weir (enableServiceLinks: false removes them)',
  )
}

async function runInCluster(
  role: ClusterRole,
  settings: Settings,
  { logger, tls }: ProcessParts,
): Promise<void> {
  const stopped = stopSignal(logger, false)
  // Loaded on demand: an installation of one process does not need the clients of Kafka and of its registry.
  const { runOnKafka } = await import('./cluster/cluster-role.ts')
  await runOnKafka(role, settings, logger, { tls, stopped })
}

async function runAll(settings: Settings, { logger, tls }: ProcessParts): Promise<void> {
  const stopped = stopSignal(logger, holdsEngine(settings))
  const installation = await openInstallation(settings, logger)
  let servers: Servers | undefined
  let operator: OperatorSocket | undefined
  try {
    const serves = { lines: true, api: true }
    const signInLinks = linksOf(settings, installation)
    servers = await openServers(settings, { ...installation, serves, signInLinks }, tls, logger)
    // The servers listen before the engine works, so a start that cannot listen changes nothing. Requests before that are
    // safe.
    const credentials = { ...(await listen(settings, servers, logger)), ...installation.keys }
    const newLink: NewLink = token => signInLinks && newSignInLink(signInLinks, credentials.apiUrl, token)
    operator = await OperatorSocket.open(installation, logger, newLink)
    const { directory, created } = installation
    directory.writeCredentials(created ? { ...credentials, isNew: true } : credentials)
    logger.info(
      { version: VERSION, apiUrl: credentials.apiUrl, dataDirectory: settings.dataDirectory },
      'started',
    )
    await Promise.race([work(installation, credentials, newLink), stopped])
    await stopped
  } finally {
    await stop(installation, servers, operator, logger)
  }
}

/** Starts the engine as soon as the store is open, and reports when it has caught up. */
async function work(
  { opening, engine, created, directory, settings }: Installation,
  credentials: Credentials,
  newLink: NewLink,
): Promise<void> {
  await opening.whenOpen()
  engine.start()
  await engine.whenTaken()
  announce(credentials, created, directory, settings, newLink)
  if (created) directory.writeCredentials(credentials)
}

/** Answers outstanding requests, stores open batches, and writes a checkpoint. */
async function stop(
  installation: Installation,
  servers: Servers | undefined,
  operator: OperatorSocket | undefined,
  logger: Logger,
): Promise<void> {
  const consequence = 'the next start stores the remaining lines'
  const options = { logger, consequence, holdsEngine: holdsEngine(installation.settings) }
  await stopGracefully(options, async () => {
    await Promise.all([servers && closeServers(servers), operator?.close()])
    await installation.engine.stop()
    await closeInstallation(installation)
  })
}

/** Whether a process of all roles has the store within itself. */
function holdsEngine({ clickhouseUrl }: Settings): boolean {
  return clickhouseUrl === undefined
}

/** Resolves at the first signal that asks for a stop; a second one ends the process at once. */
function stopSignal(logger: Logger, holdsEngine: boolean): Promise<void> {
  return new Promise(done => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      process.on(signal, () => {
        if (asked) endByForce(holdsEngine)
        asked = true
        logger.info({ signal }, 'stopping')
        done()
      })
    }
  })
}

function announce(
  credentials: Credentials,
  created: boolean,
  { path }: DataDirectory,
  settings: Settings,
  newLink: NewLink,
): void {
  const { apiUrl } = credentials
  const pages = settings.console === 'on' ? `console: ${apiUrl}/console/, ` : ''
  const ready = `Weir is ready: ${apiUrl} (${pages}API page: ${apiUrl}/docs)`
  const isSeen = process.stdout.isTTY === true
  const first = () =>
    isSeen ? firstSteps(credentials, 'in the data folder') : howToReadCredentials(credentials, resolve(path))
  const link = isSeen ? newLink() : undefined
  const signIn = link === undefined ? '' : `\n\n${signInSentence(link)}`
  console.log(created ? `${ready}${signIn}\n\n${first()}` : ready + signIn)
}

/** Links are for the console of a server that this machine reaches by itself. */
function linksOf({ console, signInLink }: Settings, { clock, entropy, keys }: Installation) {
  if (console === 'off' || signInLink === 'off') return undefined
  return new SignInLinks({ clock, entropy, token: () => keys.accessToken })
}

/** @returns undefined if the server does not listen on loopback */
function newSignInLink(links: SignInLinks, apiUrl: string, token?: string): string | undefined {
  return isLoopback(new URL(apiUrl).hostname) ? links.create(apiUrl, token) : undefined
}

/** Errors whose message is written for the operator. */
function hasSentence(error: unknown): error is Error {
  const names = [
    'SettingsError',
    'DataDirectoryError',
    'LogError',
    'StoreError',
    'SealError',
    'FoldError',
    'ConfigurationLostError',
    'MarkUnreadableError',
  ]
  return error instanceof Error && names.includes(error.name)
}
