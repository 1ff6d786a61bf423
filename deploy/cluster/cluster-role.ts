import { hostname } from 'node:os'
import type { Logger } from 'pino'
import { KeyAnswers } from '../../api/ingest/key-answers.ts'
import { deadLetterRetentionMs } from '../../engine/configuration/dead-letter-settings.ts'
import { deployedConfiguration } from '../../engine/configuration/deployed-cuts.ts'
import { spreads } from '../../engine/configuration/entities.ts'
import { quotaLedgerOn } from '../../engine/configuration/quota-ledger.ts'
import { spreadReportsOn } from '../../engine/configuration/spread.ts'
import { CutsOnTheLog } from '../../engine/runtime/cuts-on-the-log.ts'
import { Engine } from '../../engine/runtime/engine.ts'
import { FollowedTaps } from '../../engine/runtime/followed-taps.ts'
import { noteGivenRetention } from '../given-retention.ts'
import { makeGivenServiceKeys } from '../given-service-keys.ts'
import { type Addresses, listen, openServers, type Servers } from '../servers.ts'
import type { Settings } from '../settings.ts'
import { StoreOpening } from '../store-opening.ts'
import { readTls } from '../tls.ts'
import { VERSION } from '../version.ts'
import { type ClusterBase, openClusterBase } from './cluster-base.ts'
import { foundAccount } from './found-account.ts'

/** A role of a process that shares its log with others; `all` is the three others in one. */
export type ClusterRole = 'all' | 'ingest' | 'api' | 'engine'

/** After that a graceful stop gives up: nothing is lost, another process has a little to repeat. */
const STOP_WITHIN_MS = 9_500
const HOUR_MS = 3_600_000
const LINGER_MS = 2_000

interface Running {
  readonly base: ClusterBase
  readonly keyAnswers: KeyAnswers | undefined
  readonly opening: StoreOpening | undefined
  readonly engine: Engine | undefined
}

/**
 * Runs one role on Kafka until it is told to stop.
 *
 * @throws SettingsError, LogError, StoreError with a sentence that says what to do
 */
export async function runOnKafka(
  role: ClusterRole,
  settings: Settings,
  logger: Logger,
  stopped: Promise<void>,
): Promise<void> {
  const tls = readTls(settings)
  const base = await openClusterBase(settings, logger)
  const serves = { lines: role === 'all' || role === 'ingest', api: role === 'all' || role === 'api' }
  const keyAnswers = serves.lines ? new KeyAnswers({ ...base, topic: base.keys, logger }) : undefined
  let running: Running = { base, keyAnswers, opening: undefined, engine: undefined }
  let servers: Servers | undefined
  const following = new AbortController()
  try {
    running = { ...running, ...(await openParts(role, base, logger)) }
    // The partition of an account may be in another process, so this is asked of the log.
    const inEffect = new CutsOnTheLog(base)
    const isSpread = (account: string) => base.configuration.get(spreads, account) !== undefined
    const taps = new FollowedTaps({ ...base, logger, isSpread })
    servers = await openServers(settings, { ...running, ...base, inEffect, taps, serves }, tls, logger)
    const addresses = await listen(settings, servers)
    logger.info({ version: VERSION, role, ...addresses }, 'started')
    if (serves.api) {
      await foundAccount(base, addresses)
      await makeGivenServiceKeys(settings, { ...base, logger })
      noteGivenRetention(settings, { ...base, logger })
    }
    base.configuration.follow(following.signal).catch(error => {
      logger.error({ err: error }, 'the configuration is not followed any more')
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

async function openParts(
  role: ClusterRole,
  base: ClusterBase,
  logger: Logger,
): Promise<Pick<Running, 'opening' | 'engine'>> {
  const { settings, clock, entropy, log, ingest, checkpoints, keyed, deadLetters, keys } = base
  const { configuration, group } = base
  if (role === 'ingest') return { opening: undefined, engine: undefined }
  const wasFilled = await holdsRecords(base)
  const opening = await StoreOpening.begin(
    { logId: ingest.logId, wasFilled },
    { settings, directory: undefined, clock, logger },
  )
  if (role === 'api') return { opening, engine: undefined }
  const engine = new Engine({
    log,
    ingest,
    checkpoints,
    keyed: { ...keyed, reports: spreadReportsOn(configuration) },
    deadLetters: { topic: deadLetters, retentionMs: () => deadLetterRetentionMs(configuration) },
    quotas: quotaLedgerOn(configuration),
    keys,
    store: opening.store,
    clock,
    configuration: deployedConfiguration(configuration),
    logger,
    // No two workers have the same: one that was repeated by a broken link is not taken for another's.
    workerName: `${hostname()}/${process.pid}/${entropy.bytes(4).toString('hex')}`,
    logRetentionMs: settings.logRetentionHours * HOUR_MS,
    assignment: group,
  })
  return { opening, engine }
}

/** Whether checkpoints say that batches were stored. */
async function holdsRecords({ checkpoints }: ClusterBase): Promise<boolean> {
  const bounds = await Promise.all(
    Array.from({ length: checkpoints.partitions }, (_, partition) => checkpoints.bounds(partition)),
  )
  return bounds.some(({ next }) => next > 0n)
}

async function work(role: ClusterRole, { opening, engine }: Running, { apiUrl }: Addresses): Promise<void> {
  const announce = () => console.log(`Weir is ready: ${apiUrl} (${role})`)
  // Without the store lines are taken and the configuration is served; searches say that they must wait.
  if (engine === undefined) announce()
  await opening?.whenOpen()
  if (engine === undefined) return
  engine.start()
  await engine.whenTaken()
  announce()
}

async function stop(
  { base, keyAnswers, opening, engine }: Running,
  servers: Servers | undefined,
  logger: Logger,
): Promise<void> {
  const startedMs = performance.now()
  const late = setTimeout(() => {
    logger.error({}, 'stopping took too long: what is not stored yet is stored by another process')
    process.exit(1)
  }, STOP_WITHIN_MS)
  await Promise.all([servers?.api.close(), servers?.ingest?.close()])
  await Promise.all([engine?.stop(), keyAnswers?.close()])
  await opening?.close()
  await base.log.close()
  clearTimeout(late)
  logger.info({ tookMs: Math.round(performance.now() - startedMs) }, 'stopped')
  // A connection that was being made in the last instant does not keep the process.
  setTimeout(() => process.exit(), LINGER_MS).unref()
}
