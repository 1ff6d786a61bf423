import { resolve } from 'node:path'
import { type Logger, pino } from 'pino'
import { EXIT } from './cli/command-error.ts'
import type { ClusterRole } from './cluster/cluster-role.ts'
import type { Credentials, DataDirectory } from './data-directory.ts'
import { firstSteps, howToReadCredentials } from './first-steps.ts'
import { endByForce } from './forced-end.ts'
import { stopGracefully } from './graceful-stop.ts'
import { closeInstallation, type Installation, openInstallation } from './installation.ts'
import { OperatorSocket } from './operator/operator-socket.ts'
import { listen, openServers, type Servers } from './servers.ts'
import { readSettings, type Settings, SettingsError, serviceLinks } from './settings/settings.ts'
import { runStore } from './store-role/store-role.ts'
import { readTls } from './tls.ts'
import { VERSION } from './version.ts'

/**
 * Runs a server role until a signal ends it. `all` is every role in one process, and the only one on the embedded log.
 * Errors of the start end the process with a sentence and an exit code: 2 when a setting is wrong, else 1.
 */
export async function runRole(role: string): Promise<void> {
  try {
    const settings = readSettings(process.env)
    const logger = newLogger(settings)
    sayIgnored(serviceLinks(process.env), logger)
    if (role === 'store') return await runStore(settings, logger, stopSignal(logger, true))
    if (settings.kafkaBrokers.length > 0) {
      const stopped = stopSignal(logger, false)
      // Loaded on demand: an installation of one process does not need the clients of Kafka and of its registry.
      const { runOnKafka } = await import('./cluster/cluster-role.ts')
      return await runOnKafka(role as ClusterRole, settings, logger, stopped)
    }
    if (role !== 'all') {
      throw new SettingsError([
        `only one process can own the embedded log: start "weir all" instead of "weir ${role}", or set KAFKA_BROKERS`,
      ])
    }
    await runAll(settings, logger)
  } catch (error) {
    if (!hasSentence(error)) throw error
    for (const sentence of error.message.split('\n')) console.error(`weir: ${sentence}`)
    process.exitCode = error instanceof SettingsError ? EXIT.usage : 1
  }
}

function sayIgnored(links: readonly string[], logger: Logger): void {
  if (links.length === 0) return
  logger.info(
    { names: links },
    'service links of the orchestrator are ignored, because they are not settings of Weir (enableServiceLinks: false removes them)',
  )
}

async function runAll(settings: Settings, logger: Logger): Promise<void> {
  const tls = readTls(settings)
  const stopped = stopSignal(logger, holdsEngine(settings))
  const installation = await openInstallation(settings, logger)
  let servers: Servers | undefined
  let operator: OperatorSocket | undefined
  try {
    const serves = { lines: true, api: true }
    servers = await openServers(settings, { ...installation, serves }, tls, logger)
    operator = await OperatorSocket.open(installation, logger)
    // The servers listen before the engine works, so a start that cannot listen changes nothing. Requests before that are
    // safe.
    const credentials = { ...(await listen(settings, servers)), ...installation.keys }
    const { directory, created } = installation
    directory.writeCredentials(created ? { ...credentials, isNew: true } : credentials)
    logger.info(
      { version: VERSION, apiUrl: credentials.apiUrl, dataDirectory: settings.dataDirectory },
      'started',
    )
    await Promise.race([work(installation, credentials), stopped])
    await stopped
  } finally {
    await stop(installation, servers, operator, logger)
  }
}

/** Starts the engine as soon as the store is open, and reports when it has caught up. */
async function work(
  { opening, engine, created, directory }: Installation,
  credentials: Credentials,
): Promise<void> {
  await opening.whenOpen()
  engine.start()
  await engine.whenTaken()
  announce(credentials, created, directory)
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
    await Promise.all([servers?.api.close(), servers?.ingest?.close(), operator?.close()])
    await installation.engine.stop()
    await closeInstallation(installation)
  })
}

/** Whether a process of all roles has the store within itself. */
function holdsEngine({ clickhouseUrl }: Settings): boolean {
  return clickhouseUrl === undefined
}

/** Resolves at the first signal; a second one ends the process at once. */
function stopSignal(logger: Logger, holdsEngine: boolean): Promise<void> {
  return new Promise(done => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) endByForce(holdsEngine)
        asked = true
        logger.info({ signal }, 'stopping')
        done()
      })
    }
  })
}

function announce(credentials: Credentials, created: boolean, { path }: DataDirectory): void {
  const ready = `Weir is ready: ${credentials.apiUrl} (API page: ${credentials.apiUrl}/docs)`
  const isSeen = process.stdout.isTTY === true
  const first = () =>
    isSeen ? firstSteps(credentials, 'in the data folder') : howToReadCredentials(credentials, resolve(path))
  console.log(created ? `${ready}\n\n${first()}` : ready)
}

function newLogger({ logLevel }: Settings): Logger {
  const redact = ['req.headers.authorization', 'req.headers.apikey', 'req.headers.servicekey']
  if (!process.stdout.isTTY) return pino({ level: logLevel, redact })
  return pino({
    level: logLevel,
    redact,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname' } },
  })
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
