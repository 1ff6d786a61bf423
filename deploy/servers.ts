import type { AddressInfo } from 'node:net'
import { Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { SignInLinks } from '../api/auth/sign-in-links.ts'
import type { KeyAnswers } from '../api/ingest/key-answers.ts'
import { RecentAnswers } from '../api/ingest/recent-answers.ts'
import { deliveryMetrics } from '../api/operations/delivery-metrics.ts'
import {
  bodyMetrics,
  codecMetrics,
  cutPauseMetrics,
  engineMetrics,
  logMetrics,
  scriptMetrics,
  storeMetrics,
  turnMetrics,
} from '../api/operations/metrics.ts'
import { nodeMetrics } from '../api/operations/node-metrics.ts'
import { processMetrics } from '../api/operations/process-metrics.ts'
import { readiness } from '../api/operations/readiness.ts'
import {
  ingestPorts,
  logPorts,
  type RequestLimits,
  type ServerPorts,
  type ServerSettings,
} from '../api/ports.ts'
import { buildServer } from '../api/server.ts'
import type { SystemParts } from '../api/system/system-status.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { ConfigurationEnd } from '../engine/configuration/configuration-end.ts'
import type { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import { wasmCodec } from '../engine/lines/wasm/wasm-codec.ts'
import type { GuardedTopic } from '../engine/log/guarded-topic.ts'
import type { Log, Topic } from '../engine/log/log.ts'
import type { PartitionedTopics } from '../engine/log/partitioned-topics.ts'
import { CATALOGUE } from '../engine/nodes/catalogue.ts'
import type { Taps } from '../engine/replay/taps/taps.ts'
import { scriptCalls } from '../engine/scripts/script-calls.ts'
import type { Engine } from '../engine/worker/engine.ts'
import type { CutsInEffect } from '../schemas/log/deployed-configuration.ts'
import { BuiltConsole } from './console/built-console.ts'
import type { OwnListener } from './outbound/installation-outbound.ts'
import type { NetworkOutbound } from './outbound/network-outbound.ts'
import { reachable } from './reachable-address.ts'
import { type Settings, SettingsError } from './settings/settings.ts'
import type { StoreOpening } from './store-opening.ts'
import type { RenewedTls, TlsFiles, TlsServer } from './tls.ts'
import { VERSION } from './version.ts'
import { slowestTurn } from './watchdog/slowest-turn.ts'

/** Parts of a process that its servers use. */
export interface ServedParts {
  readonly log: Log
  readonly ingest: GuardedTopic
  readonly checkpoints: Topic
  readonly keyed: PartitionedTopics['keyed'] & { readonly topic: GuardedTopic }
  readonly outbox: PartitionedTopics['outbox'] & { readonly topic: GuardedTopic }
  readonly outbound: NetworkOutbound
  /** Receives the servers. */
  readonly listeners: OwnListener[]
  readonly deadLetters: Topic
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  /** Absent in roles without store or search. */
  readonly opening?: StoreOpening | undefined
  /** Known end of the configuration log. */
  readonly end?: ConfigurationEnd | undefined
  /** Absent in roles without an engine. */
  readonly engine?: Engine | undefined
  /** Absent where events of pipelines cannot be watched. */
  readonly taps?: Taps | undefined
  /** Absent where no other process accepts lines for this log. */
  readonly keyAnswers?: KeyAnswers | undefined
  /** Knowledge of cuts in effect; default: that of the engine. */
  readonly inEffect?: CutsInEffect | undefined
  /** Links that sign the local user in to the console; absent where there are none. */
  readonly signInLinks?: SignInLinks | undefined
  /** Progress of all partitions; absent if no other process works on the log. */
  readonly reported?: SystemParts['reported']
  readonly serves: { readonly lines: boolean; readonly api: boolean }
}

export interface Servers {
  readonly api: FastifyInstance
  /** Present if ingestion has an address of its own. */
  readonly ingest: FastifyInstance | undefined
  /** Present if metrics and health have an address of their own. */
  readonly metrics: FastifyInstance | undefined
}

/** Builds the servers of a process. */
export async function openServers(
  settings: Settings,
  parts: ServedParts,
  tls: RenewedTls | undefined,
  logger: Logger,
): Promise<Servers> {
  const { configuration, clock, opening, engine, inEffect = engine, log, ingest, serves } = parts
  const store = opening?.store
  const registry = new Registry()
  processMetrics(registry, { version: VERSION, roles: rolesOf(parts) })
  logMetrics(registry, log)
  if (store !== undefined) storeMetrics(registry, store)
  if (engine !== undefined) {
    engineMetrics(registry, engine, { ingest, keyed: parts.keyed.topic })
    cutPauseMetrics(registry, engine)
    codecMetrics(registry, wasmCodec)
    scriptMetrics(registry, scriptCalls)
    turnMetrics(registry, slowestTurn)
    nodeMetrics(CATALOGUE, registry, engine, configuration)
    if (engine.outbox !== undefined) deliveryMetrics(registry, engine.outbox, clock)
  }
  if (serves.lines) bodyMetrics(registry, wasmCodec)
  const keys = await recentKeys(parts)
  const logParts = { ...parts, topics: parts, catalogue: CATALOGUE.withSeal(configuration.seal), logger }
  const ports: ServerPorts = {
    ...logPorts(logParts),
    registry,
    store,
    ingest: serves.lines ? ingestPorts(logParts, keys) : undefined,
    console: serves.api && settings.console === 'on' ? BuiltConsole.open(logger) : undefined,
    signInLinks: parts.signInLinks,
    inEffect,
    taps: parts.taps,
    status: readiness({
      log,
      clock,
      store,
      engine: engine && { work: engine, ingest },
      lines: serves.lines ? ingest : undefined,
      configurationEnd: parts.end,
      guarded: [ingest, parts.keyed.topic, parts.outbox.topic],
    }),
    system: {
      startedAtMs: clock.wallMs(),
      roles: rolesOf(parts),
      log,
      ingest,
      keyed: parts.keyed.topic,
      engine,
      reported: parts.reported,
    },
    outbound: parts.outbound,
    checks: parts.outbound,
    only: serves.api ? undefined : 'operations',
    settings: serverSettings(settings, ingest.partitions, tls?.files),
  }
  const api = await buildServer(ports)
  const second =
    settings.ingestPort === undefined ? undefined : await buildServer({ ...ports, only: 'ingest' })
  const metrics =
    settings.metricsPort === undefined
      ? undefined
      : await buildServer({ ...ports, ingest: undefined, only: 'operations' })
  const servers = { api, ingest: second, metrics }
  // With a certificate, all of them are servers for HTTPS.
  for (const { server } of all(servers)) tls?.renewAt(server as unknown as TlsServer)
  const listeners = all(servers).map(server => ({ addresses: () => server.addresses() as AddressInfo[] }))
  parts.listeners.push(...listeners)
  return servers
}

function all({ api, ingest, metrics }: Servers): FastifyInstance[] {
  return [api, ingest, metrics].filter(server => server !== undefined)
}

/** Answers open requests, and closes all servers. */
export async function closeServers(servers: Servers): Promise<void> {
  await Promise.all(all(servers).map(server => server.close()))
}

function rolesOf({ serves, engine }: ServedParts): SystemParts['roles'] {
  return [
    ...(serves.lines ? (['ingest'] as const) : []),
    ...(serves.api ? (['api'] as const) : []),
    ...(engine === undefined ? [] : (['engine'] as const)),
  ]
}

async function recentKeys({ clock, opening, engine, keyAnswers }: ServedParts): Promise<RecentAnswers> {
  const keys = new RecentAnswers({
    clock,
    // While the store is unavailable, nothing reads the log. Senders do not wait, and exact repeats are recognised later.
    judgeKey: (account, idempotency, partition) =>
      opening?.isOpen && engine ? engine.judgeKey(account, idempotency, partition) : 'new',
    announce: keyAnswers && (answer => keyAnswers.announce(answer)),
  })
  await keyAnswers?.teach(keys)
  return keys
}

function serverSettings(settings: Settings, partitions: number, tls: TlsFiles | undefined): ServerSettings {
  return {
    version: VERSION,
    partitions,
    bodyLimitBytes: settings.bodyLimitBytes,
    ingestHost: settings.ingestHost,
    maxObjectBytes: settings.maxObjectBytes,
    corsOrigins: settings.corsOrigins,
    tails: { perProcess: settings.maxTails, perAccount: settings.maxTailsPerAccount },
    maxTapsPerAccount: settings.maxTapsPerAccount,
    maxExportLines: settings.maxExportLines,
    trustedProxies: settings.trustedProxies,
    tls,
    destinations: destinationSettings(settings),
    maxIngestionKeys: settings.maxIngestionKeys,
    maxServiceKeys: settings.maxServiceKeys,
    maxMemberKeys: settings.maxMemberKeys,
    suspensionTokenMinutes: settings.suspensionTokenMinutes,
    allowServiceKeyCreation: settings.allowServiceKeyCreation === 'on',
    checkArchiving: settings.checkArchiving === 'on',
    limits: requestLimits(settings),
  }
}

/** Addresses at which a process can be reached. */
export interface Addresses {
  readonly apiUrl: string
  readonly ingestUrl: string
}

/**
 * Opens the ports of all servers. That of metrics is last: it only answers once the others listen.
 *
 * @throws SettingsError when it cannot listen on an address
 */
export async function listen(settings: Settings, servers: Servers, logger: Logger): Promise<Addresses> {
  const { api, ingest, metrics } = servers
  const open = (app: FastifyInstance, name: PortName, port: number | undefined) =>
    listenOn(app, settings, { name, port: port as number })
  const apiUrl = await open(api, 'WEIR_PORT', settings.port)
  const ingestUrl =
    ingest === undefined ? apiUrl : await open(ingest, 'WEIR_INGEST_PORT', settings.ingestPort)
  if (metrics !== undefined) {
    const metricsUrl = await open(metrics, 'WEIR_METRICS_PORT', settings.metricsPort)
    logger.info({ metricsUrl }, 'metrics and health are served')
  }
  return { apiUrl, ingestUrl }
}

type PortName = 'WEIR_PORT' | 'WEIR_INGEST_PORT' | 'WEIR_METRICS_PORT'

async function listenOn(
  app: FastifyInstance,
  settings: Settings,
  { name, port }: { readonly name: PortName; readonly port: number },
): Promise<string> {
  const { host } = settings
  try {
    await app.listen({ host, port })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    const why = code === 'EADDRINUSE' ? 'another program listens there' : message
    throw new SettingsError([`cannot listen on ${host}:${port} (WEIR_HOST, ${name}): ${why}`])
  }
  const address = app.server.address() as AddressInfo
  const scheme = settings.tlsCertificate === undefined ? 'http' : 'https'
  return `${scheme}://${reachable(address.address)}:${address.port}`
}

function requestLimits(settings: Settings): RequestLimits {
  const rate = (perSecond: number | undefined, burst: number | undefined) =>
    perSecond === undefined ? undefined : { perSecond, burst: burst ?? perSecond }
  return {
    api: rate(settings.rateLimitApi, settings.rateLimitApiBurst),
    ingest: rate(settings.rateLimitIngest, settings.rateLimitIngestBurst),
    exportsPerAccount: settings.maxExportsPerAccount,
  }
}

function destinationSettings({ host, port, ingestPort, ingestHost, logHostPattern }: Settings) {
  return {
    ownHost: ingestHost ?? `${host}:${ingestPort ?? port}`,
    ...(logHostPattern && { installationHosts: logHostPattern }),
  }
}
