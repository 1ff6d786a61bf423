import type { AddressInfo } from 'node:net'
import { Registry } from '@prometheus-io/client'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { IngestWriter } from '../api/ingest/ingest-writer.ts'
import type { KeyAnswers } from '../api/ingest/key-answers.ts'
import { RecentKeys } from '../api/ingest/recent-keys.ts'
import { cutPauseMetrics, engineMetrics, logMetrics, storeMetrics } from '../api/operations/metrics.ts'
import { nodeMetrics } from '../api/operations/node-metrics.ts'
import { readiness } from '../api/operations/readiness.ts'
import { buildServer, type RequestLimits, type ServerPorts } from '../api/server.ts'
import type { Clock } from '../engine/clock/clock.ts'
import type { ConfigurationEnd } from '../engine/configuration/configuration-end.ts'
import type { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import { lineRouting } from '../engine/configuration/kinds/line-routing.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import type { GuardedTopic } from '../engine/log/guarded-topic.ts'
import type { Log, Topic } from '../engine/log/log.ts'
import type { PartitionedTopics } from '../engine/log/partitioned-topics.ts'
import { Producer } from '../engine/log/producer.ts'
import { PresentMemory } from '../engine/replay/present-memory.ts'
import { seenByRules } from '../engine/replay/tail/line-visibility.ts'
import { LiveTails } from '../engine/replay/tail/live-tails.ts'
import type { Taps } from '../engine/replay/taps/taps.ts'
import type { Engine } from '../engine/worker/engine.ts'
import { deploymentTeller } from '../engine/worker/told-deployments.ts'
import type { CutsInEffect } from '../schemas/log/cuts.ts'
import { installationOutbound } from './outbound/installation-outbound.ts'
import { type Settings, SettingsError } from './settings.ts'
import type { StoreOpening } from './store-opening.ts'
import type { TlsFiles } from './tls.ts'
import { VERSION } from './version.ts'

/** What the servers of a process stand on. */
export interface ServedParts {
  readonly log: Log
  readonly ingest: GuardedTopic
  readonly checkpoints: Topic
  readonly keyed: PartitionedTopics['keyed'] & { readonly topic: GuardedTopic }
  readonly deadLetters: Topic
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  /** Absent where nothing is stored or searched. */
  readonly opening?: StoreOpening | undefined
  /** What is known of the end of the configuration log. */
  readonly end?: ConfigurationEnd | undefined
  /** Absent where none runs. */
  readonly engine?: Engine | undefined
  /** Absent where events of pipelines cannot be seen. */
  readonly taps?: Taps | undefined
  /** Absent where no other process takes lines of this log. */
  readonly keyAnswers?: KeyAnswers | undefined
  /** What is known of changes that hold; the engine's own knowledge unless something else is named. */
  readonly inEffect?: CutsInEffect | undefined
  readonly serves: { readonly lines: boolean; readonly api: boolean }
}

export interface Servers {
  readonly api: FastifyInstance
  /** Only with a second address for ingestion. */
  readonly ingest: FastifyInstance | undefined
}

/** Builds the servers of a process. */
export async function openServers(
  settings: Settings,
  parts: ServedParts,
  tls: TlsFiles | undefined,
  logger: Logger,
): Promise<Servers> {
  const { configuration, clock, entropy, opening, engine, inEffect = engine, log, ingest, serves } = parts
  const store = opening?.store
  const registry = new Registry()
  logMetrics(registry, log)
  if (store !== undefined) storeMetrics(registry, store)
  if (engine !== undefined) {
    engineMetrics(registry, engine, { ingest, keyed: parts.keyed.topic })
    cutPauseMetrics(registry, engine)
    nodeMetrics(registry, engine, configuration)
  }
  const writer = new IngestWriter({
    topic: ingest,
    producer: new Producer({ topic: ingest, clock, entropy }),
  })
  const { keyAnswers } = parts
  const keys = new RecentKeys({
    clock,
    // Nobody reads the log while the store is away: senders are not kept waiting, exact repeats are told later.
    judgeKey: (account, idempotency, partition) =>
      opening?.isOpen && engine ? engine.judgeKey(account, idempotency, partition) : 'new',
    tell: keyAnswers && (answer => keyAnswers.tell(answer)),
  })
  await keyAnswers?.teach(keys)
  const servers: FastifyInstance[] = []
  const ports: ServerPorts = {
    configuration,
    clock,
    entropy,
    logger,
    registry,
    deadLetters: { topic: parts.deadLetters, ingest },
    replay: {
      ingest,
      checkpoints: parts.checkpoints,
      keyed: parts.keyed,
      pin: engine && ((partition, offset) => engine.pin(partition, offset)),
    },
    memory: new PresentMemory({ topics: parts, engine, clock }),
    store,
    ingest: serves.lines
      ? {
          writer,
          partitionOf: lineRouting(configuration, ingest.partitions),
          keys,
          tellDeployment: deploymentTeller(ingest, configuration),
        }
      : undefined,
    inEffect,
    taps: parts.taps,
    tails: new LiveTails({ ...parts, logger, isSeen: seenByRules(configuration) }),
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
    settings: {
      version: VERSION,
      partitions: ingest.partitions,
      bodyLimitBytes: settings.bodyLimitBytes,
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
    },
  }
  const api = await buildServer(ports)
  const second =
    settings.ingestPort === undefined ? undefined : await buildServer({ ...ports, only: 'ingest' })
  servers.push(api, ...(second === undefined ? [] : [second]))
  return { api, ingest: second }
}

/** Where a process can be reached. */
export interface Addresses {
  readonly apiUrl: string
  readonly ingestUrl: string
}

/** @throws SettingsError when an address cannot be listened on */
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
    ingestHost: ingestHost ?? `${host}:${ingestPort ?? port}`,
    ...(logHostPattern && { logHostPattern }),
  }
}
