import { ConfigurationAuthenticator } from '../../api/auth/authenticator.ts'
import { BodyRoom } from '../../api/http/bodies/body-room.ts'
import { AccessKeys } from '../../api/ingest/access-keys.ts'
import { GatewayRouteStates } from '../../api/ingest/gateway-route-states.ts'
import { IngestFront } from '../../api/ingest/ingest-front.ts'
import { IngestWriter } from '../../api/ingest/ingest-writer.ts'
import { IngestionHolds } from '../../api/ingest/ingestion-holds.ts'
import { PushFront } from '../../api/ingest/push-front.ts'
import { RecentAnswers } from '../../api/ingest/recent-answers.ts'
import type { Clock } from '../../engine/clock/clock.ts'
import { acceptConfigurationLoss } from '../../engine/configuration/accept-loss.ts'
import { ConfigurationEnd } from '../../engine/configuration/configuration-end.ts'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import type { MarkKeeper } from '../../engine/configuration/end-mark.ts'
import { ConfigurationRejected } from '../../engine/configuration/rejection.ts'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { Assignment } from '../../engine/log/assignment.ts'
import { GuardedTopic, TailLostError } from '../../engine/log/guarded-topic.ts'
import type { Log, Topic } from '../../engine/log/log.ts'
import { Producer } from '../../engine/log/producer.ts'
import type { Logger } from '../../engine/logger.ts'
import type { Catalogue } from '../../engine/nodes/contract/catalogue.ts'
import { findLostTailNow } from '../../engine/replay/lost-tail.ts'
import type { Store } from '../../engine/store/store.ts'
import { CutsOnTheLog } from '../../engine/worker/cuts-on-the-log.ts'
import { Engine } from '../../engine/worker/engine.ts'
import { knownCuts } from '../../engine/worker/known-cuts.ts'
import { deploymentReporter } from '../../engine/worker/reported-deployments.ts'
import { CHECKPOINT_TOPIC, CONFIG_TOPIC, INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import type { Fronts } from './front-door.ts'
import type { RememberingSeal } from './remembering-seal.ts'
import type { Actor } from './scheduler.ts'

export const BODY_LIMIT_BYTES = 2_097_152
const LOG_RETENTION_MS = 1_800_000
/** Time until an operator tries again. */
const OPERATOR_MS = 1_000

export interface ProcessPorts {
  readonly log: Log
  readonly store: Store
  readonly clock: Clock
  readonly entropy: Entropy
  readonly seal: RememberingSeal
  readonly catalogue: Catalogue
  readonly partitions: number
  /** true: it reads the deployments in effect from the log; false: its own engine knows them. */
  readonly asksLog: boolean
  readonly assignment: Assignment
  /** Absent where the end of the configuration is not recorded. */
  readonly endMark: MarkKeeper | undefined
  /** Whether something of the configuration may be missing. */
  mayRefuse(): boolean
  /** Called when a store that was unavailable knows more than the configuration has. */
  onLost(): void
  /** Lowest offset beyond all that a partition ever had, as the data folder knows it. */
  logEnd(partition: number): bigint
  /** Whether the world has lost the end of a log. */
  hasLostTail(): boolean
}

/** One process of the program: intake, configuration and engine, assembled as in its composition root. */
export class SimulatedProcess {
  readonly actor: Actor
  /** Messages that no fault explains. */
  readonly alarms: string[] = []
  fronts: Fronts | undefined
  engine: Engine | undefined
  configuration: ConfigurationLog | undefined
  isStopping = false
  #ingest: GuardedTopic | undefined
  readonly #ports: ProcessPorts
  readonly #stop = new AbortController()

  constructor(actor: Actor, ports: ProcessPorts) {
    this.actor = actor
    this.#ports = ports
  }

  get isAlive(): boolean {
    return !this.actor.dead
  }

  /** Whether it takes requests. */
  get listens(): boolean {
    return this.isAlive && !this.isStopping && this.fronts !== undefined
  }

  /** Ends the process at once: none of its work continues. */
  kill(): void {
    this.actor.dead = true
  }

  /** Resolves when the engine has been started. It retries while the log or the store is unavailable. */
  async start(): Promise<void> {
    const { log, store, clock, entropy, catalogue, partitions, assignment, asksLog } = this.#ports
    const topic = await log.topic(INGEST_TOPIC, partitions)
    const checkpoints = await log.topic(CHECKPOINT_TOPIC, partitions)
    const mark = async (partition: number) => this.#ports.logEnd(partition)
    const ingest = new GuardedTopic(topic, {
      look: (partition, floor) => findLostTailNow({ topic, checkpoints, store, mark }, partition, floor),
      monotonicMs: () => clock.monotonicMs(),
    })
    this.#ingest = ingest
    const configuration = await this.#wholeConfiguration({ ingest, checkpoints })
    configuration.follow(this.#stop.signal).catch(error => this.#alarm(error))
    const engine = new Engine({
      catalogue,
      log,
      ingest,
      checkpoints,
      store,
      clock,
      configuration: deployedConfiguration(catalogue, configuration),
      logger: this.#logger(),
      workerName: this.actor.name,
      logRetentionMs: LOG_RETENTION_MS,
      assignment,
    })
    const writer = new IngestWriter({
      topic: ingest,
      producer: new Producer({ topic: ingest, clock, entropy }),
    })
    this.configuration = configuration
    const taking = {
      writer,
      partitionOf: ({ account }: { readonly account: string }) => partitionOfAccount(account, partitions),
      clock,
      bodyLimitBytes: BODY_LIMIT_BYTES,
    }
    const inflating = new BodyRoom(BODY_LIMIT_BYTES)
    const authenticator = new ConfigurationAuthenticator(configuration, clock, { note() {} })
    const keys = new RecentAnswers({
      clock,
      judgeKey: (account, idempotency, partition) => engine.judgeKey(account, idempotency, partition),
    })
    const inEffect = asksLog ? new CutsOnTheLog({ ingest, clock, configuration }) : engine
    const gatewayRoutes = new GatewayRouteStates({
      catalogue,
      configuration,
      clock,
      inEffect,
      reportDeployment: deploymentReporter(catalogue, ingest, configuration),
    })
    const accessKeys = new AccessKeys(catalogue, configuration)
    const holds = new IngestionHolds(catalogue, configuration)
    this.fronts = {
      ingest: new IngestFront({ ...taking, authenticator, keys, holds }, inflating),
      push: new PushFront({ ...taking, catalogue, accessKeys, gatewayRoutes }, inflating),
    }
    engine.start()
    this.engine = engine
  }

  /** The configuration, once it is complete or an operator has accepted the missing part. */
  async #wholeConfiguration(topics: {
    readonly ingest: Topic
    readonly checkpoints: Topic
  }): Promise<ConfigurationLog> {
    const { log, clock, entropy, seal, endMark, mayRefuse, onLost } = this.#ports
    for (;;) {
      const configuration = await ConfigurationLog.open({
        topic: await log.topic(CONFIG_TOPIC, 1),
        clock,
        entropy,
        secretKey: seal,
        logger: this.#logger(),
      })
      if (endMark === undefined) return configuration
      const known = () => knownCuts(topics.ingest, topics.checkpoints)
      const end = new ConfigurationEnd({
        configuration,
        file: undefined,
        store: endMark,
        knownCuts: known,
        isShared: true,
        clock,
        logger: this.#logger(),
        onLost,
        onUnreadable: error => this.#alarm(error),
      })
      this.#stop.signal.addEventListener('abort', () => end.close())
      const lost = await end.findLoss()
      if (lost === undefined) {
        await end.begin()
        return configuration
      }
      if (!mayRefuse())
        this.alarms.push(`a whole configuration is refused: ${lost.from} to ${lost.to}, by ${lost.witnesses}`)
      await acceptConfigurationLoss(configuration, lost, await known()).catch(error => {
        // Another process has accepted it in the meantime.
        if (!(error instanceof ConfigurationRejected)) this.#alarm(error)
      })
      await clock.sleep(OPERATOR_MS)
    }
  }

  /** Learns how far the partitions have come, as processes of a cluster do every second. */
  async noteEnds(): Promise<void> {
    const { partitions, logEnd } = this.#ports
    for (let partition = 0; partition < partitions; partition++)
      await this.#ingest?.noteMark(partition, logEnd(partition)).catch(error => this.#alarm(error))
  }

  /** Stops gracefully: stores the lines read so far, and writes a checkpoint. */
  async stop(): Promise<void> {
    this.isStopping = true
    this.#stop.abort('stopped')
    await this.engine?.stop()
  }

  #logger(): Logger {
    return {
      debug() {},
      info() {},
      warn() {},
      error: (details, message) => this.#alarm((details as { err?: unknown }).err ?? message),
    }
  }

  #alarm(error: unknown): void {
    if (isExpected(error)) return
    if (error instanceof TailLostError && this.#ports.hasLostTail()) return
    this.alarms.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
  }
}

/** Whether faults of the world cause this error and the engine recovers by itself. */
function isExpected(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error.name === 'ReplacedError') return true
  if (error.name === 'FoldError' && /in the future of this machine's clock/.test(error.message)) return true
  // While a process was paused, others may have stored and trimmed its next records.
  if (error.name === 'FoldError' && /but its newest checkpoint needs/.test(error.message)) return true
  if ((error as { code?: string }).code === 'LOG_OFFSET_OUT_OF_RANGE') return true
  return (error as { retriable?: boolean }).retriable === true
}
