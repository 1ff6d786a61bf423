import { existsSync } from 'node:fs'
import type { Logger } from 'pino'
import { BackOff } from '../engine/clock/back-off.ts'
import type { Clock } from '../engine/clock/clock.ts'
import { enterpriseOfAccount } from '../engine/configuration/enterprise-accounts.ts'
import type { ConfigurationView } from '../engine/configuration/kind.ts'
import { type ClickHouseStore, openClickHouseStore } from '../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../engine/store/connection.ts'
import { openEmbeddedConnection } from '../engine/store/embedded-connection.ts'
import { serverConnection } from '../engine/store/server-connection.ts'
import { StoreError, type StoreErrorCode } from '../engine/store/store.ts'
import { MINUTE_MS } from '../engine/times/duration.ts'
import { type DataDirectory, DataDirectoryError } from './data-directory.ts'
import { endWith } from './forced-end.ts'
import { type Settings, SettingsError } from './settings/settings.ts'

/** A start without an answer for this time continues without the store. */
const FIRST_ANSWER_MS = 2_000
const PAUSES = { firstMs: 200, longestMs: 5_000 }
const REMIND_EVERY_MS = MINUTE_MS
const REASON_CHARACTERS = 200

export interface StoreOpeningPorts {
  readonly settings: Settings
  /** Absent when the store is a server. */
  readonly directory: DataDirectory | undefined
  readonly clock: Clock
  readonly logger: Logger
  readonly configuration: ConfigurationView
}

/** The log that the store belongs to; its checkpoints show whether batches were stored. */
export interface OwnLog {
  readonly logId: string
  readonly wasFilled: boolean
  /**
   * Called when the store was filled from another log. It may open the store for that log.
   *
   * @throws the error that ends the start
   */
  readonly onOtherLog?: (store: ClickHouseStore, error: StoreError) => Promise<void>
}

/**
 * Opens the store. If a ClickHouse server is unavailable, the program accepts lines nevertheless and tries again until
 * the server answers. A refusal of the server, or any error of the embedded store, ends the start.
 */
export class StoreOpening {
  readonly store: ClickHouseStore
  /** The store's own connection to its engine, for audits and copies. */
  readonly connection: StoreConnection
  readonly #ports: StoreOpeningPorts
  readonly #stop = new AbortController()
  readonly #away = Promise.withResolvers<void>()
  #warnedAtMs: number | undefined
  #isOpen = false
  /** @see whenOpen */
  #opened: Promise<void> = Promise.resolve()

  private constructor(connection: StoreConnection, ports: StoreOpeningPorts) {
    const { configuration } = ports
    const enterpriseOf = (account: string) => enterpriseOfAccount(configuration, account) ?? account
    this.store = openClickHouseStore(connection, ports.clock, enterpriseOf)
    this.connection = connection
    this.#ports = ports
  }

  /**
   * Resolves once the store is open, or known to be unavailable.
   *
   * @throws DataDirectoryError, SettingsError, StoreError with a sentence that states the remedy
   */
  static async begin(log: OwnLog, ports: StoreOpeningPorts): Promise<StoreOpening> {
    const { settings, directory } = ports
    // Detected before a new store replaces it, which a restore would be mixed with.
    if (
      directory !== undefined &&
      settings.clickhouseUrl === undefined &&
      log.wasFilled &&
      !existsSync(directory.storePath)
    )
      throw storeLost(ports)
    const opening = new StoreOpening(await connectionOf(ports), ports)
    opening.#opened = opening.#open(log)
    // Later callers that wait for it get the error.
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

  /** @throws like `begin`, for a server that has answered since and refuses */
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

  async #open({ logId, wasFilled, onOtherLog }: OwnLog): Promise<void> {
    const { clock, logger, settings } = this.#ports
    const backOff = new BackOff(clock, PAUSES)
    for (;;) {
      try {
        await this.store.open(logId, wasFilled).catch(async (error: unknown) => {
          const isOther = error instanceof StoreError && error.code === 'STORE_OF_ANOTHER_LOG'
          if (!isOther || onOtherLog === undefined) throw error
          await onOtherLog(this.store, error)
        })
        this.#isOpen = true
        if (this.#warnedAtMs !== undefined)
          logger.info({}, 'the ClickHouse server answers: the store is open')
        return
      } catch (error) {
        const isAway = settings.clickhouseUrl !== undefined && error instanceof StoreError && error.retriable
        if (!isAway || this.#stop.signal.aborted) throw sentenceOf(error, this.#ports)
        this.#noteAway(error.message)
        await backOff.pause(this.#stop.signal)
      }
    }
  }

  /** Repeats the same message only now and then. */
  #noteAway(reason: string): void {
    const { clock, logger, settings } = this.#ports
    this.#away.resolve()
    const nowMs = clock.monotonicMs()
    if (this.#warnedAtMs !== undefined && nowMs - this.#warnedAtMs < REMIND_EVERY_MS) return
    this.#warnedAtMs = nowMs
    logger.warn(
      // An answer that does not come from ClickHouse may be a page of any length.
      { reason: reason.replace(/\s+/g, ' ').slice(0, REASON_CHARACTERS) },
      `the ClickHouse server at ${settings.clickhouseUrl} (CLICKHOUSE_URL) does not answer properly: lines are ` +
        'accepted in the meantime, and are stored and found once it does',
    )
  }
}

/** Connection to the configured store; nothing is sent to a server yet. @throws SettingsError */
export async function connectionOf({
  settings,
  directory,
  logger,
}: Pick<StoreOpeningPorts, 'settings' | 'directory' | 'logger'>): Promise<StoreConnection> {
  if (settings.clickhouseUrl === undefined) {
    if (directory === undefined) throw new SettingsError(['CLICKHOUSE_URL must be set'])
    return openEmbeddedConnection({
      path: directory.storePath,
      warn: sentence => logger.warn({}, sentence),
      onUnwrittenMerge: sentence => endWith(sentence, logger),
    }).catch((cause: unknown) => {
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

/** Remedies for the refusals of a server. */
const SERVER_SENTENCES: Partial<Record<StoreErrorCode, (settings: Settings) => string>> = {
  LOGIN_REFUSED: ({ clickhouseUser }) =>
    `refuses the user ${clickhouseUser}: check CLICKHOUSE_USER and CLICKHOUSE_PASSWORD`,
  DATABASE_MISSING: ({ clickhouseDatabase, clickhouseUser }) =>
    `has no database ${clickhouseDatabase}, and the user ${clickhouseUser} is not allowed to create it: create it, or use another (CLICKHOUSE_DATABASE)`,
  RIGHT_MISSING: ({ clickhouseDatabase, clickhouseUser }) =>
    `denies the user ${clickhouseUser} rights that Weir needs: grant it all rights on the database ${clickhouseDatabase}`,
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

/** The engine does not start on the folder: a table cannot be attached, or the disk refuses an operation. */
export function storeUnopened(
  { storePath }: Pick<DataDirectory, 'storePath'>,
  cause: unknown,
): DataDirectoryError | SettingsError {
  const { message, cause: inner } = cause as Error
  if ((cause as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND')
    return new SettingsError([
      'CLICKHOUSE_URL must be set, because the embedded store is not part of this installation (the image "slim", or a system without the package chdb)',
    ])
  const reason = (inner instanceof Error ? inner.message : message)
    .replace(/\s+/g, ' ')
    .slice(0, REASON_CHARACTERS)
  return new DataDirectoryError(
    `the store in ${storePath} cannot be opened. If the disk is full or a right is missing, correct that; otherwise keep a copy of ` +
      `the data folder as it is and restore a backup ("A damaged part of the store" in the operator's guide). The engine says: ${reason}`,
    { cause },
  )
}

/**
 * If checkpoints of the log show that batches were stored, the store that contains them is needed: their lines are not
 * read again.
 */
function storeLost({ settings, directory }: StoreOpeningPorts, cause?: unknown): DataDirectoryError {
  const where =
    settings.clickhouseUrl === undefined && directory !== undefined
      ? directory.storePath
      : `the database ${settings.clickhouseDatabase} at CLICKHOUSE_URL`
  return new DataDirectoryError(
    `${where} is missing or empty, but the log ${directory === undefined ? 'on Kafka' : `in ${directory.logPath}`} shows that ` +
      'lines were stored there: restore it from the backup that this log belongs to, or start with ' +
      (directory === undefined ? 'new topics (KAFKA_TOPIC_PREFIX)' : 'a new data folder (WEIR_DATA_DIR)'),
    { cause },
  )
}
