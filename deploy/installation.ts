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
import { quotaLedgerOn } from '../engine/configuration/kinds/quota-ledger.ts'
import { spreadReportsOn } from '../engine/configuration/kinds/spread.ts'
import type { LostTail } from '../engine/configuration/lost-tail.ts'
import { newKey, newShortId, newToken } from '../engine/configuration/mint.ts'
import { SealError } from '../engine/configuration/seal.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import { systemEntropy } from '../engine/entropy/system-entropy.ts'
import { GuardedTopic, type LookForLostTail, lostTailSentence } from '../engine/log/guarded-topic.ts'
import { LogError, type Topic } from '../engine/log/log.ts'
import { openPartitionedTopics, type PartitionedTopics } from '../engine/log/partitioned-topics.ts'
import { openSegmentLog, type SegmentLog } from '../engine/log/segment-log.ts'
import { findLostTail, findLostTailNow } from '../engine/replay/lost-tail.ts'
import { ReceivedPositions } from '../engine/replay/received-positions.ts'
import { LiveTaps } from '../engine/replay/taps/taps.ts'
import { endMarkTable } from '../engine/store/end-mark-table.ts'
import { HOUR_MS } from '../engine/times/duration.ts'
import { wholeAssignment } from '../engine/worker/assignment.ts'
import { Engine } from '../engine/worker/engine.ts'
import { CONFIG_TOPIC } from '../schemas/log/topics.ts'
import { configurationEnd, lossError } from './configuration-guard.ts'
import { type Credentials, DataDirectory, DataDirectoryError } from './data-directory.ts'
import { endMarkFile } from './end-mark-file.ts'
import { noteGivenRetention } from './given-retention.ts'
import { makeGivenServiceKeys } from './given-service-keys.ts'
import { LogEnds } from './log-ends.ts'
import { assertLogPresent, type InstallationUse } from './log-presence.ts'
import { releaseInstallation } from './operator/release-installation.ts'
import { type Settings, SettingsError } from './settings.ts'
import { StoreOpening } from './store-opening.ts'

const GIB = 1024 ** 3
/** Default room for the log: the smaller of this and half of the free disk. */
const LOG_MAX_BYTES = 20 * GIB

const MIN_SEGMENT_BYTES = 1024 ** 2
const MAX_SEGMENT_BYTES = 64 * 1024 ** 2

/** What the credentials say beside the addresses, which are known only once the program listens. */
export type Keys = Omit<Credentials, 'apiUrl' | 'ingestUrl' | 'isNew'>

/** The parts of a running installation, from the data folder up to the engine. */
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
  readonly configurationTopic: Topic
  readonly configuration: ConfigurationLog
  readonly ends: LogEnds
  /** What keyed partitions have of lost records. */
  readonly received: ReceivedPositions
  readonly opening: StoreOpening
  readonly end: ConfigurationEnd
  /** What the configuration log lacks; only of an installation that is inspected. */
  readonly lostConfiguration: LostTail | undefined
  readonly engine: Engine
  readonly taps: LiveTaps
  readonly keys: Keys
  /** True until a start has come so far as to tell the operator the credentials. */
  readonly created: boolean
}

/**
 * Opens everything that the program stands on, in the order in which it depends on each other. When a part cannot be
 * opened, those before it are closed again.
 *
 * @throws DataDirectoryError, LogError, StoreError with a sentence that says what to do
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
  base: Pick<Installation, 'directory' | 'clock' | 'entropy' | 'log'>,
  logger: PinoLogger,
  use: InstallationUse,
): Promise<Installation> {
  const { directory, clock, entropy, log } = base
  const topics = await partitionedTopics(settings, directory, log)
  const { checkpoints, deadLetters } = topics
  const configurationTopic = await log.topic(CONFIG_TOPIC, 1)
  const secretKey =
    settings.secretKey === undefined
      ? directory.secretKey((await holdsRecords(configurationTopic)) ? 'used' : 'new')
      : Buffer.from(settings.secretKey, 'hex')
  const configuration = await ConfigurationLog.open({
    topic: configurationTopic,
    clock,
    entropy,
    secretKey,
    logger,
  }).catch((error: unknown) => {
    throw error instanceof SealError ? wrongSecretKey(settings, directory, error) : error
  })
  const ownLog = { logId: topics.ingest.logId, wasFilled: await holdsRecords(checkpoints) }
  const opening = await StoreOpening.begin(ownLog, { settings, directory, clock, logger })
  const ends = LogEnds.open(directory.path)
  const received = new ReceivedPositions(topics.keyed)
  const guarded = (topic: Topic, checkpointsOf: Topic) =>
    guardedTopic(topic, checkpointsOf, { ends, received, opening, clock })
  const ingest = guarded(topics.ingest, checkpoints)
  const keyed = { ...topics.keyed, topic: guarded(topics.keyed.topic, topics.keyed.checkpoints) }
  const end = configurationEnd({
    configuration,
    ingest,
    checkpoints,
    file: endMarkFile(directory.endMarkPath, configuration.seal),
    store: endMarkTable(opening.connection, configuration.seal, () => opening.isOpen),
    isShared: false,
    clock,
    logger,
  })
  const started = await (async () => {
    // Nothing is written to the configuration before that.
    const lost = await end.findLoss()
    if (lost !== undefined && use === 'serve') throw lossError(lost, configuration)
    if (lost !== undefined) return { ...keptKeys(directory), lost }
    if (use === 'serve') await end.begin()
    const first = await firstStart(settings, directory, configuration, { clock, entropy })
    if (use === 'serve') {
      await makeGivenServiceKeys(settings, { configuration, clock, entropy, logger })
      noteGivenRetention(settings, { configuration, logger })
    }
    return { ...first, lost }
  })().catch(async (error: unknown) => {
    end.close()
    await opening.close()
    await ends.close()
    throw error
  })
  const { keys, created, lost } = started
  for (const topic of [ingest, keyed.topic]) {
    await topic.lookAtAll()
    for (const tail of topic.losses) logger.error({}, lostTailSentence(tail))
  }
  if (use === 'serve')
    opening.whenOpen().then(
      () => end.storeIsBack(),
      () => {}, // Whoever waits for the store hears of it.
    )
  const taps = new LiveTaps(clock)
  const engine = new Engine({
    log,
    ingest,
    checkpoints,
    keyed: { ...keyed, reports: spreadReportsOn(configuration) },
    deadLetters: { topic: deadLetters, retentionMs: () => deadLetterRetentionMs(configuration) },
    quotas: quotaLedgerOn(configuration),
    store: opening.store,
    clock,
    configuration: deployedConfiguration(configuration),
    logger,
    workerName: `${hostname()}/${process.pid}`,
    logRetentionMs: settings.logRetentionHours * HOUR_MS,
    assignment: wholeAssignment(ingest.partitions),
    watch: taps,
  })
  return {
    settings,
    ...base,
    ingest,
    checkpoints,
    keyed,
    deadLetters,
    configurationTopic,
    configuration,
    ends,
    received,
    opening,
    end,
    lostConfiguration: lost,
    engine,
    taps,
    keys,
    created,
  }
}

/** A topic that takes nothing where its log ends before what checkpoints, the store, the folder and keyed partitions know. */
function guardedTopic(
  topic: Topic,
  checkpoints: Topic,
  { ends, received, opening, clock }: Pick<Installation, 'ends' | 'received' | 'opening' | 'clock'>,
): GuardedTopic {
  const mark = async (partition: number) => ends.of(topic, partition)
  const witnesses = { topic, checkpoints, mark, received }
  const look: LookForLostTail = async (partition, floor) => {
    const store = opening.isOpen ? opening.store : undefined
    if (ends.isKnown) return findLostTailNow({ ...witnesses, store }, partition, floor)
    // Of a folder of an earlier program, or one that was restored, only the store knows all.
    if (store === undefined && (await topic.bounds(partition)).next > 0n)
      throw new LogError(
        'LOG_UNAVAILABLE',
        `Where partition ${partition} of ${topic.name} must end is known to the store alone, which does not answer yet.`,
        { retriable: true },
      )
    return findLostTail({ ...witnesses, store }, partition, floor)
  }
  const onAppended = (partition: number, next: bigint) => ends.note(topic, partition, next)
  return new GuardedTopic(topic, { look, monotonicMs: () => clock.monotonicMs(), onAppended })
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
      `WEIR_PARTITIONS is ${partitions}, which the log in ${directory.logPath} was not made with. ${error.message} ` +
        'Set WEIR_PARTITIONS to the number that it has.',
    ])
  }
}

function wrongSecretKey(
  { secretKey }: Settings,
  { secretKeyPath, logPath }: DataDirectory,
  cause: SealError,
): DataDirectoryError | SettingsError {
  const sentence = `is not the key that secrets on the log in ${logPath} were written with`
  if (secretKey === undefined)
    return new DataDirectoryError(
      `${secretKeyPath} ${sentence}: restore the file from a backup, or set WEIR_SECRET_KEY when the log was written with one`,
      { cause },
    )
  const remedy = existsSync(secretKeyPath)
    ? `remove the setting, so that the key in ${secretKeyPath} is taken, or set the one of before`
    : 'set the one of before'
  return new SettingsError([`WEIR_SECRET_KEY ${sentence}: ${remedy}`])
}

/** Ends what `openInstallation` opened, last first. The engine has been stopped before. */
export async function closeInstallation({ opening, end, log, ends, directory }: Installation): Promise<void> {
  end.close()
  await opening.close()
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
 * The credentials are written to the data folder before the configuration log takes them: a start that is killed
 * in between uses them again, so nobody is ever locked out of an account whose tokens only a hash remembers.
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

/** Of an installation that is looked at, whatever its configuration says. */
function keptKeys(directory: DataDirectory): { keys: Keys; created: boolean } {
  const keys = directory.readCredentials()
  if (keys === undefined) throw credentialsGone(directory)
  return { keys, created: false }
}

function credentialsGone({ path }: DataDirectory): DataDirectoryError {
  return new DataDirectoryError(
    `${path}/credentials.json is gone, and tokens cannot be read back from the log: restore the file from a backup`,
  )
}

/** Room is freed a segment at a time: a small log has small ones. */
function segmentBytesOf(maxBytes: number, partitions: number): number {
  return Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, Math.floor(maxBytes / (16 * partitions))))
}

async function defaultLogBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return Math.min(LOG_MAX_BYTES, Math.floor((bavail * bsize) / 2))
}
