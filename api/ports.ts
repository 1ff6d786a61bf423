import type { Registry } from '@prometheus-io/client'
import type { FastifyBaseLogger } from 'fastify'
import type { Clock } from '../engine/clock/clock.ts'
import type { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import { lineRouting } from '../engine/configuration/kinds/line-routing.ts'
import { CatalogueBatchRules } from '../engine/delivery/destinations/catalogue-batch-rules.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import type { PartitionedTopics } from '../engine/log/partitioned-topics.ts'
import { Producer } from '../engine/log/producer.ts'
import type { Catalogue } from '../engine/nodes/contract/catalogue.ts'
import type { NodeSettings } from '../engine/nodes/contract/node-declaration.ts'
import type { KafkaOutbound } from '../engine/outbound/kafka-exchange.ts'
import type { Outbound } from '../engine/outbound/outbound.ts'
import type { DeadLetterTopics } from '../engine/replay/dead-letters/dead-letter-queue.ts'
import { type FollowingFolds, PresentMemory } from '../engine/replay/present-memory.ts'
import { seenByRules } from '../engine/replay/tail/line-visibility.ts'
import { LiveTails } from '../engine/replay/tail/live-tails.ts'
import type { Taps } from '../engine/replay/taps/taps.ts'
import type { Store } from '../engine/store/store.ts'
import { LoopTurns } from '../engine/turns/loop-turns.ts'
import type { OutboxWorkers } from '../engine/worker/outbox/outbox-workers.ts'
import { PresentDeliveries } from '../engine/worker/outbox/present-deliveries.ts'
import { deploymentReporter } from '../engine/worker/reported-deployments.ts'
import type { CutsInEffect } from '../schemas/log/deployed-configuration.ts'
import { ConfigurationAuthenticator } from './auth/authenticator.ts'
import { Sessions } from './auth/session.ts'
import type { SignInLinks } from './auth/sign-in-links.ts'
import { TokenUses } from './auth/token-uses.ts'
import type { ConfigurationSettings } from './configuration/configuration-ports.ts'
import { Reach } from './configuration/reach.ts'
import type { ConsoleFiles } from './console/console-files.ts'
import type { PlaceLimits } from './http/connection-places.ts'
import type { Rate } from './http/rate-limit.ts'
import type { IngestPorts } from './ingest/ingest-ports.ts'
import { IngestWriter } from './ingest/ingest-writer.ts'
import type { RecentAnswers } from './ingest/recent-answers.ts'
import type { ServiceStatus } from './operations/readiness.ts'
import { ownHosts } from './pipeline/log-hosts.ts'
import type { ReplayPorts } from './pipeline/replay-ports.ts'
import { CountedTaps } from './pipeline/taps/counted-taps.ts'
import { ConcurrentExports } from './search/concurrent-exports.ts'
import type { SystemParts } from './system/system-status.ts'
import { OpenTails } from './tail/open-tails.ts'

/** Parts of a process that a server uses. */
export interface ServerPorts {
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly logger: FastifyBaseLogger
  readonly status: ServiceStatus
  readonly system: SystemParts
  /** Cuts that the engine of this process has in effect; absent where none runs. */
  readonly inEffect?: CutsInEffect | undefined
  /** Absent if events of pipelines cannot be observed. */
  readonly taps?: Taps | undefined
  /** Lines as they are accepted. */
  readonly tails: LiveTails
  readonly registry: Registry
  /** Topics of failed events, and of the lines that they are replayed into. */
  readonly deadLetters: DeadLetterTopics
  /** Topics that are read again, with the state before them. */
  readonly replay: ReplayPorts
  /** Present state of nodes. */
  readonly memory: PresentMemory
  /** Present deliveries of nodes. */
  readonly deliveries: PresentDeliveries
  readonly settings: ServerSettings
  /** Connections to addresses that users name. */
  readonly outbound: Pick<Outbound, 'connect'>
  /** Carries the requests of checks; absent: destinations are not checked. */
  readonly checks?: (Pick<Outbound, 'request'> & KafkaOutbound) | undefined
  /** Absent: the server does not accept lines. */
  readonly ingest?: IngestPorts | undefined
  /** Absent: the server has no console. */
  readonly console?: ConsoleFiles | undefined
  /** Absent: nobody signs in by a link. */
  readonly signInLinks?: SignInLinks | undefined
  /** Absent: the server neither searches nor counts. */
  readonly store?: Store | undefined
  /**
   * `ingest`: only lines and health, without metrics, for a second address that more people reach. `operations`: without the API,
   * for a process of another role.
   */
  readonly only?: 'ingest' | 'operations' | undefined
}

export interface ServerSettings extends ConfigurationSettings {
  /** Number of partitions of the lines' topic. */
  readonly partitions: number
  readonly version: string
  readonly bodyLimitBytes: number
  /** Host, with a port if needed, at which senders reach ingestion; absent: that of this server. */
  readonly ingestHost?: string | undefined
  /** Limit of the body of an object of `/v1/config`. */
  readonly maxObjectBytes: number
  readonly corsOrigins: readonly string[]
  readonly tails: PlaceLimits
  readonly maxTapsPerAccount: number
  /** Bound on the lines of one `/v1/export`. */
  readonly maxExportLines: number
  /** Addresses or networks whose `x-forwarded-for` is trusted. */
  readonly trustedProxies: readonly string[]
  readonly tls?: { readonly cert: string | Buffer; readonly key: string | Buffer } | undefined
  readonly destinations?: NodeSettings | undefined
  /** An absent limit does not apply. */
  readonly limits?: RequestLimits | undefined
  /** Whether a host that a node names, as written, is this installation; see `ownHosts`. */
  readonly isOwnHost?: ((host: string) => boolean) | undefined
}

/** Limits of one credential, or account, at one server. */
export interface RequestLimits {
  readonly api?: Rate | undefined
  readonly ingest?: Rate | undefined
  readonly exportsPerAccount?: number | undefined
}

/** Everything that the routes of one server can use, as `app.ports`. */
export interface Ports extends ServerPorts {
  readonly taps: CountedTaps | undefined
  readonly authenticator: ConfigurationAuthenticator
  readonly sessions: Sessions
  readonly uses: TokenUses
  readonly reach: Reach
  readonly openTails: OpenTails
  /** Settings of the operator for nodes. */
  readonly nodeSettings: NodeSettings
  readonly isOwnHost: (host: string) => boolean
  /** Absent: any number of exports of an account run at once. */
  readonly exports: ConcurrentExports | undefined
  /** Turns of simulations, explanations and previews, which together take one turn after the other. */
  readonly replayTurns: LoopTurns
  /** Turns of reading bodies and of printing lists. */
  readonly bodyTurns: LoopTurns
}

declare module 'fastify' {
  interface FastifyInstance {
    readonly ports: Ports
  }
}

/** Adds the ports that the routes of one server share. */
export function sharedPorts(given: ServerPorts): Ports {
  const { configuration, clock, tails, settings } = given
  const { destinations: nodeSettings = {}, isOwnHost = ownHosts(nodeSettings.ownHost) } = settings
  const uses = new TokenUses(given)
  const authenticator = new ConfigurationAuthenticator(configuration, clock, uses)
  const most = settings.limits?.exportsPerAccount
  return {
    ...given,
    taps: given.taps && new CountedTaps(given.taps),
    uses,
    authenticator,
    sessions: new Sessions({ seal: configuration.seal, clock, logId: configuration.topic.logId }),
    reach: new Reach(given),
    openTails: new OpenTails({ configuration, authenticator, clock, tails, limits: settings.tails }),
    nodeSettings,
    isOwnHost,
    exports: most === undefined ? undefined : new ConcurrentExports(most),
    replayTurns: new LoopTurns(clock),
    bodyTurns: new LoopTurns(clock),
  }
}

/** Log of an installation as a process has opened it. */
export interface LogParts {
  readonly topics: PartitionedTopics
  readonly catalogue: Catalogue
  readonly configuration: ConfigurationLog
  readonly clock: Clock
  readonly entropy: Entropy
  readonly logger: FastifyBaseLogger
  /** Absent if no engine runs in this process. */
  readonly engine?:
    | (FollowingFolds & {
        readonly pin: NonNullable<ReplayPorts['pin']>
        readonly outbox?: OutboxWorkers | undefined
      })
    | undefined
}

/** Builds the ports that read the log. */
export function logPorts(
  parts: LogParts,
): Pick<
  ServerPorts,
  | 'catalogue'
  | 'configuration'
  | 'clock'
  | 'entropy'
  | 'logger'
  | 'deadLetters'
  | 'replay'
  | 'memory'
  | 'deliveries'
  | 'tails'
> {
  const { topics, catalogue, configuration, clock, entropy, logger, engine } = parts
  const { ingest, checkpoints, keyed, deadLetters, outbox } = topics
  const rules = new CatalogueBatchRules(catalogue)
  return {
    catalogue,
    configuration,
    clock,
    entropy,
    logger,
    deadLetters: { topic: deadLetters, ingest },
    replay: {
      catalogue,
      ingest,
      checkpoints,
      keyed,
      outbox,
      pin: engine && ((partition, offset) => engine.pin(partition, offset)),
    },
    memory: new PresentMemory({ catalogue, topics, engine, clock }),
    deliveries: new PresentDeliveries({ ...outbox, rules, clock, outbox: engine?.outbox }),
    tails: new LiveTails({
      catalogue,
      ingest,
      checkpoints,
      configuration,
      clock,
      logger,
      isSeen: seenByRules(configuration),
    }),
  }
}

/** Builds the ports of ingestion, which append to the log. */
export function ingestPorts(
  { topics: { ingest: topic }, catalogue, configuration, clock, entropy }: LogParts,
  keys: RecentAnswers,
): IngestPorts {
  return {
    logId: topic.logId,
    writer: new IngestWriter({ topic, producer: new Producer({ topic, clock, entropy }) }),
    partitionOf: lineRouting(configuration, topic.partitions),
    keys,
    reportDeployment: deploymentReporter(catalogue, topic, configuration),
  }
}
