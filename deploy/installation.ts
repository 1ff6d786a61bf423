import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { hostname } from 'node:os'
import type { Logger as PinoLogger } from 'pino'
import type { Clock } from '../engine/clock/clock.ts'
import { guardedClock } from '../engine/clock/guarded-clock.ts'
import { systemClock } from '../engine/clock/system-clock.ts'
import { bootstrap } from '../engine/configuration/bootstrap.ts'
import { ConfigurationLog } from '../engine/configuration/configuration-log.ts'
import { deployedConfiguration } from '../engine/configuration/deployed-cuts.ts'
import { newKey, newShortId, newToken } from '../engine/configuration/mint.ts'
import type { Entropy } from '../engine/entropy/entropy.ts'
import { systemEntropy } from '../engine/entropy/system-entropy.ts'
import type { Log, Topic } from '../engine/log/log.ts'
import { openSegmentLog } from '../engine/log/segment-log.ts'
import { CHECKPOINT_TOPIC, CONFIG_TOPIC, INGEST_TOPIC } from '../engine/log/topics.ts'
import { Engine } from '../engine/runtime/engine.ts'
import { openClickHouseStore } from '../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../engine/store/connection.ts'
import { openEmbeddedConnection } from '../engine/store/embedded-connection.ts'
import { openServerConnection } from '../engine/store/server-connection.ts'
import { type Store, StoreError } from '../engine/store/store.ts'
import { type Credentials, DataDirectory, DataDirectoryError } from './data-directory.ts'
import type { Settings } from './settings.ts'

const GIB = 1024 ** 3
const HOUR_MS = 3_600_000
/** Default room for the log: the smaller of this and half of the free disk. */
const LOG_MAX_BYTES = 20 * GIB

const MIN_SEGMENT_BYTES = 1024 ** 2
const MAX_SEGMENT_BYTES = 64 * 1024 ** 2

/** What the credentials say beside the addresses, which are known only once the program listens. */
export type Keys = Omit<Credentials, 'apiUrl' | 'ingestUrl'>

/** The parts of a running installation, from the data folder up to the engine. */
export interface Installation {
  readonly directory: DataDirectory
  readonly clock: Clock
  readonly entropy: Entropy
  readonly log: Log
  readonly ingest: Topic
  readonly configuration: ConfigurationLog
  readonly store: Store
  readonly engine: Engine
  readonly keys: Keys
  /** True at the very first start, when the credentials are new. */
  readonly created: boolean
}

/**
 * Opens everything that the program stands on, in the order in which it depends on each other. When a part cannot be
 * opened, those before it are closed again.
 *
 * @throws DataDirectoryError, LogError, StoreError with a sentence that says what to do
 */
export async function openInstallation(settings: Settings, logger: PinoLogger): Promise<Installation> {
  const directory = DataDirectory.open(settings.dataDirectory)
  try {
    return await openInDirectory(settings, directory, logger)
  } catch (error) {
    directory.close()
    throw error
  }
}

async function openInDirectory(
  settings: Settings,
  directory: DataDirectory,
  logger: PinoLogger,
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
    return await openOnLog(settings, { directory, clock, entropy, log }, logger)
  } catch (error) {
    await log.close()
    throw error
  }
}

async function openOnLog(
  settings: Settings,
  base: Pick<Installation, 'directory' | 'clock' | 'entropy' | 'log'>,
  logger: PinoLogger,
): Promise<Installation> {
  const { directory, clock, entropy, log } = base
  const ingest = await log.topic(INGEST_TOPIC, settings.partitions)
  const checkpoints = await log.topic(CHECKPOINT_TOPIC, settings.partitions)
  const secretKey =
    settings.secretKey === undefined ? directory.secretKey() : Buffer.from(settings.secretKey, 'hex')
  const topic = await log.topic(CONFIG_TOPIC, 1)
  const configuration = await ConfigurationLog.open({ topic, clock, entropy, secretKey, logger })
  const { keys, created } = await firstStart(settings, directory, configuration, { clock, entropy })
  const store = await openStore(settings, directory, ingest.logId, await holdsRecords(checkpoints))
  const engine = new Engine({
    log,
    ingest,
    checkpoints,
    store,
    clock,
    configuration: deployedConfiguration(configuration),
    logger,
    workerName: `${hostname()}/${process.pid}`,
    logRetentionMs: settings.logRetentionHours * HOUR_MS,
  })
  return { ...base, ingest, configuration, store, engine, keys, created }
}

/** Ends what `openInstallation` opened, last first. The engine has been stopped before. */
export async function closeInstallation({ store, log, directory }: Installation): Promise<void> {
  await store.close()
  await log.close()
  directory.close()
}

/**
 * A log whose checkpoints say that batches were stored needs the store that has them: their lines are not read again.
 * An embedded store that is gone is noticed before a new one is made in its place, which a restore would mix with.
 */
async function openStore(
  settings: Settings,
  directory: DataDirectory,
  logId: string,
  wasFilled: boolean,
): Promise<Store> {
  const embedded = settings.clickhouseUrl === undefined
  const lost = (cause?: unknown) =>
    new DataDirectoryError(
      `${embedded ? directory.storePath : `the database ${settings.clickhouseDatabase} at CLICKHOUSE_URL`} is gone or empty, ` +
        `and the log in ${directory.logPath} says that lines were stored there: restore it from the backup that ` +
        'this log belongs to, or start with a new data folder (WEIR_DATA_DIR)',
      { cause },
    )
  if (embedded && wasFilled && !existsSync(directory.storePath)) throw lost()
  const store = openClickHouseStore(await openConnection(settings, directory))
  try {
    await store.open(logId, wasFilled)
  } catch (error) {
    await store.close()
    throw error instanceof StoreError && error.code === 'STORE_LOST' ? lost(error) : error
  }
  return store
}

async function openConnection(settings: Settings, directory: DataDirectory): Promise<StoreConnection> {
  if (settings.clickhouseUrl === undefined) return openEmbeddedConnection({ path: directory.storePath })
  return openServerConnection({
    url: settings.clickhouseUrl,
    username: settings.clickhouseUser,
    password: settings.clickhousePassword,
    database: settings.clickhouseDatabase,
  })
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
  if (kept === undefined && !isNew) {
    throw new DataDirectoryError(
      `${directory.path}/credentials.json is gone, and tokens cannot be read back from the log: restore the file from a backup`,
    )
  }
  if (kept === undefined) directory.writeCredentials({ apiUrl: '', ingestUrl: '', ...keys })
  const { created } = await bootstrap(configuration, ports, keys)
  return { keys, created }
}

/** Room is freed a segment at a time: a small log has small ones. */
function segmentBytesOf(maxBytes: number, partitions: number): number {
  return Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, Math.floor(maxBytes / (16 * partitions))))
}

async function defaultLogBytes(path: string): Promise<number> {
  const { bavail, bsize } = await statfs(path)
  return Math.min(LOG_MAX_BYTES, Math.floor((bavail * bsize) / 2))
}
