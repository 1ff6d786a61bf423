import type { AddressInfo } from 'node:net'
import { Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import { type Logger, pino } from 'pino'
import { IngestWriter } from '../api/ingest/ingest-writer.ts'
import { engineMetrics, logMetrics } from '../api/operations/metrics.ts'
import { nodeMetrics } from '../api/operations/node-metrics.ts'
import { readiness } from '../api/operations/readiness.ts'
import { buildServer, type ServerPorts } from '../api/server.ts'
import { Producer } from '../engine/log/producer.ts'
import { partitionOfAccount } from '../engine/log/topics.ts'
import type { Credentials } from './data-directory.ts'
import { firstSteps } from './first-steps.ts'
import { closeInstallation, type Installation, openInstallation } from './installation.ts'
import { OperatorSocket } from './operator/operator-socket.ts'
import { readSettings, type Settings, SettingsError } from './settings.ts'
import { runStore } from './store-role/store-role.ts'
import { readTls, type TlsFiles } from './tls.ts'
import { VERSION } from './version.ts'

/** After that a graceful stop gives up: nothing is lost, the next start has a little to repeat. */
const STOP_WITHIN_MS = 9_500

/**
 * Runs a server role until a signal ends it: `all` is every role in one process, on the embedded log.
 * Troubles of the start end the process with a sentence and exit code 1.
 */
export async function runRole(role: string): Promise<void> {
  try {
    const settings = readSettings(process.env)
    if (role === 'store') {
      const logger = newLogger(settings)
      return await runStore(settings, logger, stopSignal(logger))
    }
    if (role !== 'all') {
      throw new SettingsError([
        `the embedded log has one process that owns it: start "weir all" instead of "weir ${role}"`,
      ])
    }
    await runAll(settings)
  } catch (error) {
    if (!hasSentence(error)) throw error
    for (const sentence of error.message.split('\n')) console.error(`weir: ${sentence}`)
    process.exitCode = 1
  }
}

async function runAll(settings: Settings): Promise<void> {
  const logger = newLogger(settings)
  const tls = readTls(settings)
  const stopped = stopSignal(logger)
  const installation = await openInstallation(settings, logger)
  let servers: Servers | undefined
  let operator: OperatorSocket | undefined
  try {
    servers = await openServers(settings, installation, tls, logger)
    operator = await OperatorSocket.open(installation, logger)
    // A start that cannot listen has not worked on anything yet. Requests that come before the workers are safe.
    const credentials = await listen(settings, installation, servers)
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

/** Puts the engine to work as soon as the store is open, and says so once it has caught up. */
async function work(
  { opening, engine, created, directory }: Installation,
  credentials: Credentials,
): Promise<void> {
  await opening.whenOpen()
  engine.start()
  await engine.whenTaken()
  announce(credentials, created)
  if (created) directory.writeCredentials(credentials)
}

interface Servers {
  readonly api: FastifyInstance
  /** Only with a second address for ingestion. */
  readonly ingest: FastifyInstance | undefined
  readonly writer: IngestWriter
}

async function openServers(
  settings: Settings,
  installation: Installation,
  tls: TlsFiles | undefined,
  logger: Logger,
): Promise<Servers> {
  const { configuration, clock, entropy, opening, engine, log, ingest } = installation
  const { store } = opening
  const registry = new Registry()
  logMetrics(registry, log)
  engineMetrics(registry, engine, ingest)
  nodeMetrics(registry, engine, configuration)
  const writer = new IngestWriter({
    topic: ingest,
    producer: new Producer({ topic: ingest, clock, entropy }),
    partitionOfAccount: account => partitionOfAccount(account, ingest.partitions),
  })
  const ports: ServerPorts = {
    configuration,
    clock,
    entropy,
    logger,
    registry,
    store,
    ingest: {
      writer,
      // Nobody reads the log while the store is away: senders are not kept waiting, exact repeats are told later.
      judgeKey: (account, idempotency) => (opening.isOpen ? engine.judgeKey(account, idempotency) : 'new'),
    },
    inEffect: engine,
    status: readiness({
      log,
      clock,
      store,
      engine: {
        get status() {
          return engine.status
        },
        ingest,
      },
    }),
    settings: {
      version: VERSION,
      bodyLimitBytes: settings.bodyLimitBytes,
      corsOrigins: settings.corsOrigins,
      trustedProxies: settings.trustedProxies,
      tls,
      destinations: destinationSettings(settings),
    },
  }
  const api = await buildServer(ports)
  const second =
    settings.ingestPort === undefined ? undefined : await buildServer({ ...ports, only: 'ingest' })
  return { api, ingest: second, writer }
}

/** Listens, and writes the addresses to the credentials that local tools read. */
async function listen(
  settings: Settings,
  installation: Installation,
  servers: Servers,
): Promise<Credentials> {
  const { host, port, ingestPort } = settings
  const apiUrl = await listenOn(servers.api, settings, host, port)
  const ingestUrl =
    servers.ingest === undefined
      ? apiUrl
      : await listenOn(servers.ingest, settings, host, ingestPort as number)
  const credentials = { apiUrl, ingestUrl, ...installation.keys }
  installation.directory.writeCredentials(
    installation.created ? { ...credentials, isNew: true } : credentials,
  )
  return credentials
}

async function listenOn(
  app: FastifyInstance,
  settings: Settings,
  host: string,
  port: number,
): Promise<string> {
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'another program listens there' : message
    throw new SettingsError([`cannot listen on ${host}:${port} (WEIR_HOST, WEIR_PORT): ${why}`])
  }
  const address = app.server.address() as AddressInfo
  const scheme = settings.tlsCertificate === undefined ? 'http' : 'https'
  return `${scheme}://${reachable(address.address)}:${address.port}`
}

/** An address that a client on this machine can use. */
function reachable(address: string): string {
  if (address === '0.0.0.0' || address === '::') return '127.0.0.1'
  return address.includes(':') ? `[${address}]` : address
}

function destinationSettings({ host, port, ingestPort, ingestHost, logHostPattern }: Settings) {
  return {
    ingestHost: ingestHost ?? `${host}:${ingestPort ?? port}`,
    ...(logHostPattern && { logHostPattern }),
  }
}

/** Answers what is in flight, stores what is open, writes a checkpoint. */
async function stop(
  installation: Installation,
  servers: Servers | undefined,
  operator: OperatorSocket | undefined,
  logger: Logger,
): Promise<void> {
  const startedMs = performance.now()
  const late = setTimeout(() => {
    logger.error({}, 'stopping took too long: what is not stored yet is stored after the next start')
    process.exit(1)
  }, STOP_WITHIN_MS)
  await Promise.all([servers?.api.close(), servers?.ingest?.close(), operator?.close()])
  await installation.engine.stop()
  await closeInstallation(installation)
  clearTimeout(late)
  logger.info({ tookMs: Math.round(performance.now() - startedMs) }, 'stopped')
}

/** Resolves at the first signal; a second one ends the process at once. */
function stopSignal(logger: Logger): Promise<void> {
  return new Promise(done => {
    let asked = false
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (asked) process.exit(1)
        asked = true
        logger.info({ signal }, 'stopping')
        done()
      })
    }
  })
}

function announce(credentials: Credentials, created: boolean): void {
  const ready = `Weir is ready: ${credentials.apiUrl} (API page: ${credentials.apiUrl}/docs)`
  console.log(created ? `${ready}\n\n${firstSteps(credentials)}` : ready)
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
  const names = ['SettingsError', 'DataDirectoryError', 'LogError', 'StoreError', 'SealError', 'FoldError']
  return error instanceof Error && names.includes(error.name)
}
