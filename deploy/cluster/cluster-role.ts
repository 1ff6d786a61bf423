import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { KeyAnswers } from '../../api/ingest/key-answers.ts'
import type { ConfigurationEnd } from '../../engine/configuration/configuration-end.ts'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { spreads } from '../../engine/configuration/entities.ts'
import { deadLetterRetentionMs } from '../../engine/configuration/kinds/dead-letter-settings.ts'
import { quotaLedgerOn } from '../../engine/configuration/kinds/quota-ledger.ts'
import { spreadReportsOn } from '../../engine/configuration/kinds/spread.ts'
import { lostTailSentence } from '../../engine/log/guarded-topic.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { FollowedTaps } from '../../engine/replay/taps/followed-taps.ts'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { endMarkTable } from '../../engine/store/end-mark-table.ts'
import { HOUR_MS } from '../../engine/times/duration.ts'
import { CutsOnTheLog } from '../../engine/worker/cuts-on-the-log.ts'
import { Engine } from '../../engine/worker/engine.ts'
import { configurationEnd, lossError } from '../configuration-guard.ts'
import { noteGivenRetention } from '../given-retention.ts'
import { makeGivenServiceKeys } from '../given-service-keys.ts'
import { stopGracefully } from '../graceful-stop.ts'
import { outboxPorts } from '../outbox.ts'
import { type Addresses, closeServers, listen, openServers, type Servers } from '../servers.ts'
import type { Settings } from '../settings/settings.ts'
import { connectionOf, type StoreOpening } from '../store-opening.ts'
import type { RenewedTls } from '../tls.ts'
import { VERSION } from '../version.ts'
import { type ClusterBase, followMarks, openClusterBase } from './cluster-base.ts'
import { partitionsOfCluster } from './cluster-status.ts'
import { openClusterStore } from './cluster-store.ts'
import { foundAccount } from './found-account.ts'

/** A role of a process that shares its log with others; `all` combines the three others. */
export type ClusterRole = 'all' | 'ingest' | 'api' | 'engine'

const LINGER_MS = 2_000

interface Running {
  /** Known end of the configuration. */
  readonly end: ConfigurationEnd | undefined
  /** A separate connection to the store for this purpose. */
  readonly ownConnection: StoreConnection | undefined
  readonly base: ClusterBase
  readonly keyAnswers: KeyAnswers | undefined
  readonly opening: StoreOpening | undefined
  readonly engine: Engine | undefined
}

/**
 * Runs one role on Kafka until it is asked to stop.
 *
 * @throws SettingsError, LogError, StoreError with a sentence that states the remedy
 */
export async function runOnKafka(
  role: ClusterRole,
  settings: Settings,
  logger: Logger,
  { tls, stopped }: { readonly tls: RenewedTls | undefined; readonly stopped: Promise<void> },
): Promise<void> {
  const base = await openClusterBase(settings, logger)
  const serves = { lines: role === 'all' || role === 'ingest', api: role === 'all' || role === 'api' }
  const keyAnswers = serves.lines ? new KeyAnswers({ ...base, topic: base.keys, logger }) : undefined
  let running: Running = {
    base,
    keyAnswers,
    opening: undefined,
    engine: undefined,
    end: undefined,
    ownConnection: undefined,
  }
  let servers: Servers | undefined
  const following = new AbortController()
  try {
    running = { ...running, ...(await openParts(role, base, logger)) }
    running = { ...running, ...(await openEnd(running, logger)) }
    for (const topic of [base.ingest, base.keyed.topic, base.outbox.topic]) {
      await topic.lookAtAll()
      for (const tail of topic.losses) logger.error({}, lostTailSentence(tail))
    }
    // The partition of an account may be in another process, so the state is read from the log.
    const inEffect = new CutsOnTheLog(base)
    const isSpread = (account: string) => base.configuration.get(spreads, account) !== undefined
    const catalogue = CATALOGUE.withSeal(base.configuration.seal)
    const taps = new FollowedTaps({ ...base, catalogue, logger, isSpread })
    const reported = () => partitionsOfCluster(settings)
    const parts = { ...running, ...base, inEffect, taps, reported, serves }
    servers = await openServers(settings, parts, tls, logger)
    const addresses = await listen(settings, servers, logger)
    logger.info({ version: VERSION, role, ...addresses }, 'started')
    if (serves.api) {
      await foundAccount(base, addresses)
      await makeGivenServiceKeys(settings, { ...base, logger })
      noteGivenRetention(settings, { ...base, logger })
    }
    void followMarks(base, logger, following.signal)
    base.configuration.follow(following.signal).catch(error => {
      logger.error({ err: error }, 'the configuration is no longer followed')
      process.exitCode = 1
      process.kill(process.pid, 'SIGTERM')
    })
    await Promise.race([work(role, running, addresses), stopped])
    await stopped
  } finally {
    following.abort()
    await stop(running, servers, logger)
  }
}

/**
 * Compares the configuration with its known end. If the store is unavailable, this happens once it answers; a process
 * that then finds a loss ends.
 *
 * @throws ConfigurationLostError, MarkUnreadableError
 */
async function openEnd(
  { base, opening }: Running,
  logger: Logger,
): Promise<Pick<Running, 'end' | 'ownConnection'>> {
  const { settings, configuration } = base
  // A role without store or search uses the store only for this, and the store may be unavailable.
  const ownConnection =
    opening === undefined ? await connectionOf({ settings, directory: undefined, logger }) : undefined
  const connection = (opening?.connection ?? ownConnection) as StoreConnection
  const end = configurationEnd({
    ...base,
    file: undefined,
    store: endMarkTable({ connection, seal: configuration.seal, isOpen: () => opening?.isOpen ?? true }),
    isShared: true,
    logger,
  })
  try {
    const lost = await end.findLoss()
    if (lost !== undefined) throw lossError(lost, configuration)
    await end.begin()
  } catch (error) {
    end.close()
    await ownConnection?.close()
    throw error
  }
  opening?.whenOpen().then(
    () => end.storeIsBack(),
    () => {}, // callers that wait for the store get the error
  )
  return { end, ownConnection }
}

async function openParts(
  role: ClusterRole,
  base: ClusterBase,
  logger: Logger,
): Promise<Pick<Running, 'opening' | 'engine'>> {
  const { clock, entropy, log, ingest, checkpoints, keyed, deadLetters, keys, settings } = base
  const { configuration, group } = base
  if (role === 'ingest') return { opening: undefined, engine: undefined }
  const wasFilled = await holdsRecords(base)
  const opening = await openClusterStore(base, wasFilled, logger)
  if (opening.isOpen) base.witness.store = opening.store
  if (role === 'api') return { opening, engine: undefined }
  const catalogue = CATALOGUE.withSeal(configuration.seal)
  const engine = new Engine({
    catalogue,
    log,
    ingest,
    checkpoints,
    keyed: { ...keyed, reports: spreadReportsOn(configuration) },
    deadLetters: { topic: deadLetters, retentionMs: () => deadLetterRetentionMs(configuration) },
    outbox: outboxPorts({
      ...base,
      catalogue,
      memoryBytes: settings.deliveryMemoryBytes,
      maxBytes: settings.outboxMaxBytes,
    }),
    quotas: quotaLedgerOn(configuration),
    keys,
    store: opening.store,
    clock,
    configuration: deployedConfiguration(catalogue, configuration),
    logger,
    // Names of workers are unique: a message that a broken link repeated is not taken for another worker's.
    workerName: `${hostname()}/${process.pid}/${entropy.bytes(4).toString('hex')}`,
    logRetentionMs: settings.logRetentionHours * HOUR_MS,
    assignment: group,
  })
  return { opening, engine }
}

/** Whether checkpoints show that batches were stored. */
async function holdsRecords({ checkpoints }: ClusterBase): Promise<boolean> {
  const bounds = await Promise.all(
    Array.from({ length: checkpoints.partitions }, (_, partition) => checkpoints.bounds(partition)),
  )
  return bounds.some(({ next }) => next > 0n)
}

async function work(
  role: ClusterRole,
  { base, opening, engine }: Running,
  { apiUrl }: Addresses,
): Promise<void> {
  const announce = () => console.log(`Weir is ready: ${apiUrl} (${role})`)
  // Without the store, lines are accepted and the configuration is served; searches answer that they must wait.
  if (engine === undefined) announce()
  await opening?.whenOpen()
  if (opening !== undefined) base.witness.store = opening.store
  if (engine === undefined) return
  engine.start()
  await engine.whenTaken()
  announce()
}

async function stop(
  { base, keyAnswers, opening, engine, end, ownConnection }: Running,
  servers: Servers | undefined,
  logger: Logger,
): Promise<void> {
  const consequence = 'another process stores the remaining lines'
  await stopGracefully({ logger, consequence, holdsEngine: false }, async () => {
    if (servers !== undefined) await closeServers(servers)
    await Promise.all([engine?.stop(), keyAnswers?.close()])
    end?.close()
    await Promise.all([opening?.close(), ownConnection?.close(), base.outbound.close()])
    if (engine === undefined) await base.group.close()
    await base.log.close()
  })
  // A connection that is still being made does not keep the process alive.
  setTimeout(() => process.exit(), LINGER_MS).unref()
}
