import type { AddressInfo } from 'node:net'
import { Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { KeyAnswers } from '../api/ingest/key-answers.ts'
import { RecentKeys } from '../api/ingest/recent-keys.ts'
import {
  bodyMetrics,
  codecMetrics,
  cutPauseMetrics,
  engineMetrics,
  logMetrics,
  storeMetrics,
} from '../api/operations/metrics.ts'
import { nodeMetrics } from '../api/operations/node-metrics.ts'
import { readiness } from '../api/operations/readiness.ts'
import {
  ingestPorts,
  logPorts,
  type RequestLimits,
  type ServerPorts,
  type ServerSettings,
} from '../api/ports.ts'
import { buildServer } from '../api/server.ts'
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
import type { Engine } from '../engine/worker/engine.ts'
import type { CutsInEffect } from '../schemas/log/deployed-configuration.ts'
import { installationOutbound } from './outbound/installation-outbound.ts'
import { type Settings, SettingsError } from './settings/settings.ts'
import type { StoreOpening } from './store-opening.ts'
import type { TlsFiles } from './tls.ts'
import { VERSION } from './version.ts'

/** Parts of a process that its servers use. */
export interface ServedParts {
  readonly log: Log
  readonly ingest: GuardedTopic
  readonly checkpoints: Topic
  readonly keyed: PartitionedTopics['keyed'] & { readonly topic: GuardedTopic }
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
  readonly serves: { readonly lines: boolean; readonly api: boolean }
}

export interface Servers {
  readonly api: FastifyInstance
  /** Present if ingestion has an address of its own. */
  readonly ingest: FastifyInstance | undefined
}

/** Builds the servers of a process. */
export async function openServers(
  settings: Settings,
  parts: ServedParts,
  tls: TlsFiles | undefined,
  logger: Logger,
): Promise<Servers> {
  const { configuration, clock, opening, engine, inEffect = engine, log, ingest, serves } = parts
  const store = opening?.store
  const registry = new Registry()
  logMetrics(registry, log)
  if (store !== undefined) storeMetrics(registry, store)
  if (engine !== undefined) {
    engineMetrics(registry, engine, { ingest, keyed: parts.keyed.topic })
    cutPauseMetrics(registry, engine)
    codecMetrics(registry, wasmCodec)
    nodeMetrics(CATALOGUE, registry, engine, configuration)
  }
  if (serves.lines) bodyMetrics(registry, wasmCodec)
  const keys = await recentKeys(parts)
  const servers: FastifyInstance[] = []
  const logParts = { ...parts, topics: parts, catalogue: CATALOGUE.withSeal(configuration.seal), logger }
  const ports: ServerPorts = {
    ...logPorts(logParts),
    registry,
    store,
    ingest: serves.lines ? ingestPorts(logParts, keys) : undefined,
    inEffect,
    taps: parts.taps,
    status: readiness({
      log,
      clock,
      store,
      engine: engine && { work: engine, ingest },
      configurationEnd: parts.end,
      guarded: [ingest, parts.keyed.topic],
    }),
    outbound: installationOutbound(settings, () =>
      servers.flatMap(server => server.addresses() as AddressInfo[]),
    ),
    only: serves.api ? undefined : 'operations',
    settings: serverSettings(settings, ingest.partitions, tls),
  }
  const api = await buildServer(ports)
  const second =
    settings.ingestPort === undefined ? undefined : await buildServer({ ...ports, only: 'ingest' })
  servers.push(api, ...(second === undefined ? [] : [second]))
  return { api, ingest: second }
}

async function recentKeys({ clock, opening, engine, keyAnswers }: ServedParts): Promise<RecentKeys> {
  const keys = new RecentKeys({
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

/** @throws SettingsError when it cannot listen on an address */
export async function listen(settings: Settings, servers: Servers): Promise<Addresses> {
  const { host, port, ingestPort } = settings
  const apiUrl = await listenOn(servers.api, settings, host, port)
  const ingestUrl =
    servers.ingest === undefined
      ? apiUrl
      : await listenOn(servers.ingest, settings, host, ingestPort as number)
  return { apiUrl, ingestUrl }
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
