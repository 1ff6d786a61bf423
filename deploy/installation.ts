import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Logger as PinoLogger } from 'pino'
import type { Clock } from '../engine/clock/clock.ts'
import { guardedClock } from '../engine/clock/guarded-clock.ts'
import { systemClock } from '../engine/clock/system-clock.ts'
import { bootstrap } from '../engine/configuration/bootstrap.ts'
import type { ConfigurationEnd } from '../engine/configuration/configuration-end.ts'
import { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import { deployedConfiguration } from '../engine/configuration/deployed-cuts.ts'
import { deadLetterRetentionMs } from '../engine/configuration/kinds/dead-letter-settings.ts'
import { quarantinedNodes } from '../engine/configuration/kinds/quarantine.ts'
import { quotaLedgerOn } from '../engine/configuration/kinds/quota-ledger.ts'
import { homesOfSpread, spreadReportsOn } from '../engine/configuration/kinds/spread.ts'
import type { LostConfiguration } from '../engine/configuration/lost-configuration.ts'
import { newKey, newShortId, newToken } from '../engine/configuration/mint.ts'
import { SealError } from '../engine/configuration/seal.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import { systemEntropy } from '../engine/entropy/system-entropy.ts'
import { wholeAssignment } from '../engine/log/assignment.ts'
import {
  GuardedTopic,
  type LookForLostTail,
  lostTailSentence,
  OLDER_CONFIGURATION,
} from '../engine/log/guarded-topic.ts'
import { LogError, type Topic } from '../engine/log/log.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../engine/log/partitioned-topics.ts'
import { openSegmentLog, type SegmentLog } from '../engine/log/segment-log.ts'
import { CATALOGUE } from '../engine/nodes/catalogue.ts'
import { outboxWitnesses } from '../engine/replay/lost-outbox-tail.ts'
import { findLostTail, findLostTailNow } from '../engine/replay/lost-tail.ts'
import { ReceivedPositions } from '../engine/replay/received-positions.ts'
import { LiveTaps } from '../engine/replay/taps/taps.ts'
import { endMarkTable } from '../engine/store/end-mark-table.ts'
import { HOUR_MS } from '../engine/times/duration.ts'
import { Engine } from '../engine/worker/engine.ts'
import { CONFIG_TOPIC } from '../schemas/log/topics.ts'
import { configurationEnd, lossError, olderStoreSentence } from './configuration-guard.ts'
import { type Credentials, DataDirectory, DataDirectoryError } from './data-directory.ts'
import { endMarkFile, markWaiver } from './end-mark-file.ts'
import { noteGivenRetention } from './given-retention.ts'
import { makeGivenServiceKeys } from './given-service-keys.ts'
import { LogEnds } from './log-ends.ts'
import { assertLogPresent, type InstallationUse, neverServed } from './log-presence.ts'
import { releaseInstallation } from './operator/release-installation.ts'
import { installationOutbound, type OwnListener } from './outbound/installation-outbound.ts'
import type { NetworkOutbound } from './outbound/network-outbound.ts'
import { outboxPorts } from './outbox.ts'
import { type Settings, SettingsError } from './settings/settings.ts'
import { StoreOpening } from './store-opening.ts'

const GIB = 1024 ** 3
/** Default size of the log: the smaller of this and half of the free disk space. */
const LOG_MAX_BYTES = 20 * GIB

const MIN_SEGMENT_BYTES = 1024 ** 2
const MAX_SEGMENT_BYTES = 64 * 1024 ** 2

/** The credentials without the addresses, which are known only once the program listens. */
export type Keys = Omit<Credentials, 'apiUrl' | 'ingestUrl' | 'isNew'>

/** The parts of a running installation, from the data folder to the engine. */
export interface Installation {
  readonly settings: Settings
  readonly directory: DataDirectory
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: SegmentLog
  readonly ingest: GuardedTopic
  readonly checkpoints: Topic
  readonly keyed: PartitionedTopics['keyed'] & { readonly topic: GuardedTopic }
  readonly deadLetters: Topic
  readonly outbox: PartitionedTopics['outbox'] & { readonly topic: GuardedTopic }
  readonly outbound: NetworkOutbound
  /** Present listeners of the process: nothing connects to them. */
  readonly listeners: OwnListener[]
  readonly configurationTopic: Topic
  readonly configuration: ConfigurationLog
  readonly ends: LogEnds
  /** Positions that other partitions, and dead letters, have received from a partition. */
  readonly received: ReceivedPositions
  readonly opening: StoreOpening
  readonly end: ConfigurationEnd
  /** Missing part of the configuration log; only set for an installation that is inspected. */
  readonly lostConfiguration: LostConfiguration | undefined
  readonly engine: Engine
  readonly taps: LiveTaps
  readonly keys: Keys
  /** True until a start has shown the credentials to the operator. */
  readonly created: boolean
}

/** Parts that are there before anything is opened on the log. */
type Base = Pick<Installation, 'directory' | 'clock' | 'entropy' | 'log'>

/** Parts that the engine runs on. */
type EngineParts = Pick<
  Installation,
  | 'log'
  | 'ingest'
  | 'checkpoints'
  | 'keyed'
  | 'deadLetters'
  | 'outbox'
  | 'outbound'
  | 'configuration'
  | 'opening'
  | 'clock'
  | 'entropy'
  | 'taps'
>

/**
 * Opens all parts of the program in the order of their dependencies. If a part cannot be opened, the earlier ones are
 * closed again.
 *
 * @throws DataDirectoryError, LogError, StoreError with a sentence that states the remedy
 */
export async function openInstallation(
  settings: Settings,
  logger: PinoLogger,
  use: InstallationUse = 'serve',
): Promise<Installation> {
  const directory = DataDirectory.open(settings.dataDirectory)
  try {
    assertLogPresent(directory, use)
    await releaseInstallation(directory)
    return await openInDirectory(settings, directory, logger, use)
  } catch (error) {
    directory.close()
    throw error
  }
}

async function openInDirectory(
  settings: Settings,
  directory: DataDirectory,
  logger: PinoLogger,
  use: InstallationUse,
): Promise<Installation> {
  const clock = guardedClock(systemClock())
  const entropy = systemEntropy()
  const maxBytes = settings.logMaxBytes ?? (await defaultLogBytes(directory.path))
  const log = await openSegmentLog({
    directory: directory.logPath,
    clock,
    entropy,
    maxBytes,
    segmentBytes: segmentBytesOf(maxBytes, settings.partitions),
  })
  try {
    return await openOnLog(settings, { directory, clock, entropy, log }, logger, use)
  } catch (error) {
    await log.close()
    throw error
  }
}

async function openOnLog(
  settings: Settings,
  base: Base,
  logger: PinoLogger,
  use: InstallationUse,
): Promise<Installation> {
  const { directory, clock, log } = base
  const topics = await partitionedTopics(settings, directory, log)
  const { checkpoints, deadLetters } = topics
  const { configurationTopic, configuration } = await openConfiguration(settings, base, logger, use)
  const ownLog = { logId: topics.ingest.logId, wasFilled: await holdsRecords(checkpoints) }
  const ends = LogEnds.open(directory.path)
  if (ends.isDamaged || (!ends.isKnown && (await holdsRecords(topics.ingest))))
    logger.warn(
      {},
      `log-ends.json is ${ends.isDamaged ? 'damaged' : 'missing'} and is written again: if the log has lost its end, only the store and the checkpoints can show it`,
    )
  const opening = await StoreOpening.begin(ownLog, { settings, directory, clock, logger, configuration })
  const received = new ReceivedPositions(topics, () => homesOfSpread(configuration, topics.ingest.partitions))
  const guarded = (topic: Topic, checkpointsOf: Topic) =>
    guardedTopic(topic, checkpointsOf, { configuration, ends, received, opening, clock })
  const ingest = guarded(topics.ingest, checkpoints)
  const keyed = { ...topics.keyed, topic: guarded(topics.keyed.topic, topics.keyed.checkpoints) }
  const outbox = { ...topics.outbox, topic: guardedOutbox(topics.outbox, ends, clock) }
  const end = configurationEnd({
    configuration,
    ingest,
    checkpoints,
    file: endMarkFile(directory.endMarkPath, configuration.seal),
    store: endMarkTable({
      connection: opening.connection,
      seal: configuration.seal,
      isOpen: () => opening.isOpen,
      waiver: markWaiver(directory),
    }),
    note: ends.noteOf(configurationTopic),
    isShared: false,
    clock,
    logger,
  })
  const begin = async () => {
    const begun = await start(settings, { ...base, configuration, end }, logger, use)
    await reportLostTails([ingest, keyed.topic, outbox.topic], logger)
    return begun
  }
  const started = await begin().catch(async (error: unknown) => {
    end.close()
    await opening.close()
    await ends.close()
    throw error
  })
  if (use === 'serve')
    opening.whenOpen().then(
      () => end.storeIsBack(),
      () => {}, // callers that wait for the store get the error
    )
  const listeners: OwnListener[] = []
  const outbound = installationOutbound(settings, ingest.logId, () =>
    listeners.flatMap(listener => listener.addresses()),
  )
  const sending = { outbox, outbound, listeners }
  const parts = { ...base, ingest, checkpoints, keyed, deadLetters, ...sending, configuration, opening }
  const taps = new LiveTaps(CATALOGUE, clock)
  const engine = newEngine(settings, { ...parts, taps }, logger)
  return { settings, ...parts, configurationTopic, ends, received, end, engine, taps, ...started }
}

/** Opens the configuration with the key that encrypted its secrets. */
async function openConfiguration(
  settings: Settings,
  { directory, clock, entropy, log }: Base,
  logger: PinoLogger,
  use: InstallationUse,
): Promise<Pick<Installation, 'configurationTopic' | 'configuration'>> {
  const topic = await log.topic(CONFIG_TOPIC, 1)
  const secretKey =
    settings.secretKey === undefined
      ? directory.secretKey(use === 'inspect' || (await holdsRecords(topic)) ? 'used' : 'new')
      : Buffer.from(settings.secretKey, 'hex')
  try {
    const configuration = await ConfigurationLog.open({
      topic,
      clock,
      entropy,
      secretKey,
      logger,
      accountCharacters: settings.maxAccountCharacters,
      changeBytesPerHour: settings.changeBytesPerHour,
    })
    return { configurationTopic: topic, configuration }
  } catch (error) {
    throw error instanceof SealError ? wrongSecretKey(settings, directory, error) : error
  }
}

/** Brings the configuration into the state that the settings ask for. An installation that is inspected is only read. */
async function start(
  settings: Settings,
  parts: Pick<Installation, 'directory' | 'clock' | 'entropy' | 'configuration' | 'end'>,
  logger: PinoLogger,
  use: InstallationUse,
): Promise<Pick<Installation, 'keys' | 'created' | 'lostConfiguration'>> {
  const { directory, clock, entropy, configuration, end } = parts
  // Nothing is written to the configuration before this check.
  const lostConfiguration = await end.findLoss()
  if (lostConfiguration !== undefined && use === 'serve') throw lossError(lostConfiguration, configuration)
  if (end.olderStore !== undefined) logger.error({}, olderStoreSentence(end.olderStore))
  if (use === 'inspect') return { ...keptKeys(directory, configuration), lostConfiguration }
  await end.begin()
  const first = await firstStart(settings, directory, configuration, { clock, entropy })
  await makeGivenServiceKeys(settings, { configuration, clock, entropy, logger })
  noteGivenRetention(settings, { configuration, logger })
  return { ...first, lostConfiguration }
}

async function reportLostTails(topics: readonly GuardedTopic[], logger: PinoLogger): Promise<void> {
  for (const topic of topics) {
    await topic.lookAtAll()
    for (const tail of topic.losses) logger.error({}, lostTailSentence(tail))
  }
  if (topics.some(({ losses }) => losses.length > 0)) logger.warn({}, OLDER_CONFIGURATION)
}

function newEngine(settings: Settings, parts: EngineParts, logger: PinoLogger): Engine {
  const { log, ingest, checkpoints, keyed, deadLetters, configuration, opening, clock, taps } = parts
  const catalogue = CATALOGUE.withSeal(configuration.seal)
  return new Engine({
    catalogue,
    log,
    ingest,
    checkpoints,
    keyed: { ...keyed, reports: spreadReportsOn(configuration) },
    deadLetters: { topic: deadLetters, retentionMs: () => deadLetterRetentionMs(configuration) },
    outbox: outboxPorts({ ...parts, catalogue, memoryBytes: settings.deliveryMemoryBytes }),
    quotas: quotaLedgerOn(configuration),
    store: opening.store,
    clock,
    configuration: deployedConfiguration(catalogue, configuration),
    logger,
    workerName: `${hostname()}/${process.pid}`,
    logRetentionMs: settings.logRetentionHours * HOUR_MS,
    assignment: wholeAssignment(ingest.partitions),
    watch: taps,
  })
}

/**
 * A topic that accepts nothing for a partition whose log ends before its known end. Checkpoints, the store, the folder,
 * dead letters and receivers of events know that end.
 */
function guardedTopic(
  topic: Topic,
  checkpoints: Topic,
  {
    configuration,
    ends,
    received,
    opening,
    clock,
  }: Pick<Installation, 'configuration' | 'ends' | 'received' | 'opening' | 'clock'>,
): GuardedTopic {
  const mark = async (partition: number) => ends.of(topic, partition)
  const witnesses = { topic, checkpoints, mark, received }
  const look: LookForLostTail = async (partition, floor) => {
    const store = opening.isOpen ? opening.store : undefined
    if (ends.isKnown) return findLostTailNow({ ...witnesses, store }, partition, floor)
    // For a folder of an earlier program, or a restored one, only the store knows the end of every partition.
    if (store === undefined && (await topic.bounds(partition)).next > 0n)
      throw new LogError(
        'LOG_UNAVAILABLE',
        `Only the store knows the end of partition ${partition} of ${topic.name}, and it does not answer yet.`,
        { retriable: true },
      )
    return findLostTail({ ...witnesses, store }, partition, floor)
  }
  const onAppended = (partition: number, next: bigint) => ends.note(topic, partition, next)
  return new GuardedTopic(topic, {
    look,
    monotonicMs: () => clock.monotonicMs(),
    onAppended,
    quarantinedNodes: partition => quarantinedNodes(configuration, topic.name, partition),
  })
}

/** The topic of the outbox, which accepts nothing behind a lost end. Its checkpoints and the folder know that end. */
function guardedOutbox(outbox: PartitionedTopics['outbox'], ends: LogEnds, clock: Clock): GuardedTopic {
  const { topic } = outbox
  const witnesses = outboxWitnesses(outbox, async partition => ends.of(topic, partition))
  return new GuardedTopic(topic, {
    look: (partition, floor) => findLostTail(witnesses, partition, floor),
    monotonicMs: () => clock.monotonicMs(),
    onAppended: (partition, next) => ends.note(topic, partition, next),
  })
}

async function partitionedTopics(
  { partitions }: Settings,
  directory: DataDirectory,
  log: SegmentLog,
): Promise<PartitionedTopics> {
  try {
    return await openPartitionedTopics(log, partitions)
  } catch (error) {
    if (!(error instanceof LogError) || error.code !== 'LOG_PARTITIONS_DIFFER') throw error
    throw new SettingsError([
      `WEIR_PARTITIONS is ${partitions}, but the log in ${directory.logPath} was created with another number. ${error.message} ` +
        'Set WEIR_PARTITIONS to the number of the log.',
    ])
  }
}

function wrongSecretKey(
  { secretKey }: Settings,
  { secretKeyPath, logPath }: DataDirectory,
  cause: SealError,
): DataDirectoryError | SettingsError {
  const sentence = `is not the key that encrypted the secrets on the log in ${logPath}`
  if (secretKey === undefined)
    return new DataDirectoryError(
      `${secretKeyPath} ${sentence}: restore the file from a backup, or set WEIR_SECRET_KEY if the log was written with it`,
      { cause },
    )
  const remedy = existsSync(secretKeyPath)
    ? `remove the setting, so that the key in ${secretKeyPath} is used, or set the earlier key`
    : 'set the earlier key'
  return new SettingsError([`WEIR_SECRET_KEY ${sentence}: ${remedy}`])
}

/** Closes the parts that `openInstallation` opened, last first. The engine was stopped before. */
export async function closeInstallation(installation: Installation): Promise<void> {
  const { opening, end, log, ends, directory, outbound } = installation
  end.close()
  await Promise.all([opening.close(), outbound.close()])
  await log.close()
  await ends.close()
  directory.close()
}

/** Whether anything was ever written to the topic, kept or not. */
async function holdsRecords(topic: Topic): Promise<boolean> {
  for (let partition = 0; partition < topic.partitions; partition++)
    if ((await topic.bounds(partition)).next > 0n) return true
  return false
}

/**
 * Writes the credentials to the data folder before the configuration log accepts them. A start that is killed in between
 * uses them again, so no account remains whose tokens are only known as hashes.
 */
async function firstStart(
  settings: Settings,
  directory: DataDirectory,
  configuration: ConfigurationLog,
  ports: { readonly clock: Clock; readonly entropy: Entropy },
): Promise<{ keys: Keys; created: boolean }> {
  const { entropy } = ports
  const kept = directory.readCredentials()
  const keys: Keys = {
    accountId: kept?.accountId ?? settings.bootstrapAccountId ?? newShortId(entropy),
    accessToken: kept?.accessToken ?? settings.bootstrapAccessToken ?? newToken('sts', entropy),
    enterpriseAccessToken:
      kept?.enterpriseAccessToken ?? settings.bootstrapEnterpriseAccessToken ?? newToken('ste', entropy),
    ingestionKey: kept?.ingestionKey ?? settings.bootstrapIngestionKey ?? newKey(entropy),
    serviceKey: kept?.serviceKey ?? settings.bootstrapServiceKey ?? newKey(entropy),
  }
  const isNew = configuration.nextOffset === 0n
  if (kept === undefined && !isNew) throw credentialsGone(directory)
  if (kept === undefined) directory.writeCredentials({ apiUrl: '', ingestUrl: '', ...keys, isNew: true })
  await bootstrap(configuration, ports, { ...keys, retentionDays: settings.retentionDays })
  return { keys, created: kept === undefined || kept.isNew === true }
}

/** Credentials of an installation that is inspected, independent of its configuration. Nothing is written. */
function keptKeys(
  directory: DataDirectory,
  configuration: ConfigurationLog,
): { keys: Keys; created: boolean } {
  const keys = directory.readCredentials()
  if (keys !== undefined) return { keys, created: false }
  throw configuration.nextOffset === 0n ? neverServed(directory) : credentialsGone(directory)
}

function credentialsGone({ path }: DataDirectory): DataDirectoryError {
  return new DataDirectoryError(
    `${path}/credentials.json is missing, and tokens cannot be recovered from the log: restore the file from a backup`,
  )
}

/** Space is freed by whole segments, so a small log has small ones. */
function segmentBytesOf(maxBytes: number, partitions: number): number {
  return Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, Math.floor(maxBytes / (16 * partitions))))
}

async function defaultLogBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return Math.min(LOG_MAX_BYTES, Math.floor((bavail * bsize) / 2))
}
