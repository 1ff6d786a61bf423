import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import type { Clock } from '../engine/clock/clock.ts'
import { openClickHouseStore } from '../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../engine/store/connection.ts'
import { openEmbeddedConnection } from '../engine/store/embedded-connection.ts'
import { serverConnection } from '../engine/store/server-connection.ts'
import { type Store, StoreError, type StoreErrorCode } from '../engine/store/store.ts'
import { type DataDirectory, DataDirectoryError } from './data-directory.ts'
import { type Settings, SettingsError } from './settings.ts'

/** A start that has had no answer for so long goes on without. */
const FIRST_ANSWER_MS = 2_000
const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 5_000
const REMIND_EVERY_MS = 60_000
const REASON_CHARACTERS = 200

export interface StoreOpeningPorts {
  readonly settings: Settings
  /** Absent where the store is a server. */
  readonly directory: DataDirectory | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** The log that the store belongs to, and whether its checkpoints say that batches were stored. */
export interface OwnLog {
  readonly logId: string
  readonly wasFilled: boolean
}

/**
 * Opens the store. A ClickHouse server that is away does not keep the program from taking lines: it is tried until it
 * answers. One that says no, and whatever is wrong with the embedded store, ends the start.
 */
export class StoreOpening {
  readonly store: Store
  /** The store's own way to its engine: for audits and copies of it. */
  readonly connection: StoreConnection
  readonly #ports: StoreOpeningPorts
  readonly #stop = new AbortController()
  readonly #away = Promise.withResolvers<void>()
  #toldAtMs: number | undefined
  #isOpen = false
  /** @see whenOpen */
  #opened: Promise<void> = Promise.resolve()

  private constructor(connection: StoreConnection, ports: StoreOpeningPorts) {
    this.store = openClickHouseStore(connection)
    this.connection = connection
    this.#ports = ports
  }

  /**
   * Resolves once the store is open, or known to be away.
   *
   * @throws DataDirectoryError, SettingsError, StoreError with a sentence that says what to do
   */
  static async begin(log: OwnLog, ports: StoreOpeningPorts): Promise<StoreOpening> {
    const { settings, directory } = ports
    // Noticed before a new one is made in its place, which a restore would mix with.
    if (
      directory !== undefined &&
      settings.clickhouseUrl === undefined &&
      log.wasFilled &&
      !existsSync(directory.storePath)
    )
      throw storeLost(ports)
    const opening = new StoreOpening(await connectionOf(ports), ports)
    opening.#opened = opening.#open(log)
    // Who waits for it later hears of it then.
    opening.#opened.catch(() => {})
    try {
      await opening.#openOrAway()
    } catch (error) {
      await opening.close()
      throw error
    }
    return opening
  }

  /** Whether workers may use the store. */
  get isOpen(): boolean {
    return this.#isOpen
  }

  /** @throws as `begin`, of a server that has answered since and says no */
  whenOpen(): Promise<void> {
    return this.#opened
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.store.close()
  }

  async #openOrAway(): Promise<void> {
    const { settings, clock } = this.#ports
    if (settings.clickhouseUrl === undefined) return this.#opened
    const patience = new AbortController()
    const late = clock.sleep(FIRST_ANSWER_MS, patience.signal).then(() => {
      if (!patience.signal.aborted) this.#noteAway(`no answer for ${FIRST_ANSWER_MS / 1000} s`)
    })
    try {
      await Promise.race([this.#opened, this.#away.promise, late])
    } finally {
      patience.abort()
    }
  }

  async #open({ logId, wasFilled }: OwnLog): Promise<void> {
    const { clock, logger, settings } = this.#ports
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      try {
        await this.store.open(logId, wasFilled)
        this.#isOpen = true
        if (this.#toldAtMs !== undefined) logger.info({}, 'the ClickHouse server answers: the store is open')
        return
      } catch (error) {
        const isAway = settings.clickhouseUrl !== undefined && error instanceof StoreError && error.retriable
        if (!isAway || this.#stop.signal.aborted) throw sentenceOf(error, this.#ports)
        this.#noteAway(error.message)
        await clock.sleep(pauseMs, this.#stop.signal)
      }
    }
  }

  /** Says the same again only now and then. */
  #noteAway(reason: string): void {
    const { clock, logger, settings } = this.#ports
    this.#away.resolve()
    const nowMs = clock.monotonicMs()
    if (this.#toldAtMs !== undefined && nowMs - this.#toldAtMs < REMIND_EVERY_MS) return
    this.#toldAtMs = nowMs
    logger.warn(
      // What answers instead of a server may be a page of any length.
      { reason: reason.replace(/\s+/g, ' ').slice(0, REASON_CHARACTERS) },
      `the ClickHouse server at ${settings.clickhouseUrl} (CLICKHOUSE_URL) does not answer as one: lines are ` +
        'taken meanwhile, and stored and found once it does',
    )
  }
}

/** The way to the store of the settings; of a server nothing is sent yet. @throws SettingsError */
export async function connectionOf({
  settings,
  directory,
}: Pick<StoreOpeningPorts, 'settings' | 'directory'>): Promise<StoreConnection> {
  if (settings.clickhouseUrl === undefined) {
    if (directory === undefined) throw new SettingsError(['CLICKHOUSE_URL must be set'])
    return openEmbeddedConnection({ path: directory.storePath }).catch((cause: unknown) => {
      throw cause instanceof StoreError ? cause : storeUnopened(directory, cause)
    })
  }
  return serverConnection({
    url: settings.clickhouseUrl,
    username: settings.clickhouseUser,
    password: settings.clickhousePassword,
    database: settings.clickhouseDatabase,
  })
}

/** What to do about a server that says no. */
const SERVER_SENTENCES: Partial<Record<StoreErrorCode, (settings: Settings) => string>> = {
  LOGIN_REFUSED: ({ clickhouseUser }) =>
    `does not let the user ${clickhouseUser} in: check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD`,
  DATABASE_MISSING: ({ clickhouseDatabase, clickhouseUser }) =>
    `has no database ${clickhouseDatabase}, and the user ${clickhouseUser} may not create it: create it, or name another (CLICKHOUSE_DATABASE)`,
  RIGHT_MISSING: ({ clickhouseDatabase, clickhouseUser }) =>
    `denies the user ${clickhouseUser} what Weir needs: grant it everything on the database ${clickhouseDatabase}`,
  NOT_TRUSTED: () =>
    'has a certificate that is not trusted: set NODE_EXTRA_CA_CERTS to the PEM file of its authority',
}

function sentenceOf(error: unknown, ports: StoreOpeningPorts): unknown {
  if (!(error instanceof StoreError)) return error
  if (error.code === 'STORE_LOST') return storeLost(ports, error)
  const { clickhouseUrl } = ports.settings
  const sentence = SERVER_SENTENCES[error.code]
  if (clickhouseUrl === undefined || sentence === undefined) return error
  return new SettingsError([
    `the ClickHouse server at ${clickhouseUrl} (CLICKHOUSE_URL) ${sentence(ports.settings)}. It says: ${error.message.trim()}`,
  ])
}

/** The engine does not come up on the folder: a table of it cannot be attached, or the disk refuses something. */
function storeUnopened({ storePath }: DataDirectory, cause: unknown): DataDirectoryError {
  const { message, cause: inner } = cause as Error
  const reason = (inner instanceof Error ? inner.message : message)
    .replace(/\s+/g, ' ')
    .slice(0, REASON_CHARACTERS)
  return new DataDirectoryError(
    `the store in ${storePath} cannot be opened: where the disk is full or a right is missing mend that; else keep a copy of ` +
      `the data folder as it is and restore a backup ("A damaged part of the store" in the operator's guide). The engine says: ${reason}`,
    { cause },
  )
}

/** A log whose checkpoints say that batches were stored needs the store that has them: their lines are not read again. */
function storeLost({ settings, directory }: StoreOpeningPorts, cause?: unknown): DataDirectoryError {
  const where =
    settings.clickhouseUrl === undefined && directory !== undefined
      ? directory.storePath
      : `the database ${settings.clickhouseDatabase} at CLICKHOUSE_URL`
  return new DataDirectoryError(
    `${where} is gone or empty, and the log ${directory === undefined ? 'on Kafka' : `in ${directory.logPath}`} says that ` +
      'lines were stored there: restore it from the backup that this log belongs to, or start with ' +
      (directory === undefined ? 'new topics (KAFKA_TOPIC_PREFIX)' : 'a new data folder (WEIR_DATA_DIR)'),
    { cause },
  )
}
