import { pino } from 'pino'
import type { Clock } from '../../engine/clock/clock.ts'
import { acceptConfigurationLoss } from '../../engine/configuration/accept-loss.ts'
import type { ConfigurationEnd } from '../../engine/configuration/configuration-end.ts'
import type { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { LostConfiguration } from '../../engine/configuration/lost-configuration.ts'
import { ConfigurationRejected } from '../../engine/configuration/rejection.ts'
import { acceptLossCommand } from '../../engine/log/guarded-topic.ts'
import type { Topic } from '../../engine/log/log.ts'
import { endMarkTable } from '../../engine/store/end-mark-table.ts'
import { StoreError } from '../../engine/store/store.ts'
import { knownCuts } from '../../engine/worker/known-cuts.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { ConfigurationLostError, configurationEnd } from '../configuration-guard.ts'
import { closeInstallation, openInstallation } from '../installation.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import type { StoreOpening } from '../store-opening.ts'

/** The command may wait longer than a start does. */
const STORE_PATIENCE_MS = 30_000

/** First and last missing offset, as named by the refusal of a start. */
export interface NamedOffsets {
  readonly from: bigint
  readonly to: bigint
}

interface Opened {
  readonly configuration: ConfigurationLog
  readonly end: ConfigurationEnd
  readonly ingest: Topic
  readonly checkpoints: Topic
}

/**
 * Continues without events that the configuration log has lost, for an installation without running processes.
 *
 * @returns offset of the next event
 * @throws ConfigurationLostError when other events are missing than were named; SettingsError, DataDirectoryError,
 *   LogError, StoreError with a sentence
 */
export async function acceptLossOfConfiguration(
  environment: Readonly<Record<string, string | undefined>>,
  named: NamedOffsets,
): Promise<bigint> {
  const settings = readSettings(environment)
  return settings.kafkaBrokers.length > 0 ? onKafka(settings, named) : inDataFolder(settings, named)
}

async function inDataFolder(settings: Settings, named: NamedOffsets): Promise<bigint> {
  const installation = await openInstallation(settings, silent(), 'inspect')
  try {
    await openInTime(installation)
    // The check is repeated: a store that was slow at first may know more.
    return await accept(installation, await installation.end.findLoss(), named)
  } finally {
    await closeInstallation(installation)
  }
}

async function onKafka(settings: Settings, named: NamedOffsets): Promise<bigint> {
  // Loaded on demand, as in main.ts.
  const { openClusterBase } = await import('../cluster/cluster-base.ts')
  const { openStoreOfFormerLog } = await import('../cluster/cluster-store.ts')
  const base = await openClusterBase(settings, silent())
  const { log, checkpoints, configuration, group, clock } = base
  const opening = await openStoreOfFormerLog(base, silent())
  const end = configurationEnd({
    ...base,
    file: undefined,
    store: endMarkTable({
      connection: opening.connection,
      seal: configuration.seal,
      isOpen: () => opening.isOpen,
    }),
    isShared: true,
    logger: silent(),
  })
  try {
    await openInTime({ opening, clock })
    const lost = await end.findLoss()
    return await accept({ ...base, end, checkpoints }, lost, named)
  } finally {
    end.close()
    await opening.close()
    await group.close()
    await log.close()
  }
}

/** @throws StoreError when the store, which knows the end of the configuration, does not answer */
async function openInTime({ opening, clock }: { opening: StoreOpening; clock: Clock }): Promise<void> {
  const patience = new AbortController()
  await Promise.race([opening.whenOpen(), clock.sleep(STORE_PATIENCE_MS, patience.signal)])
  patience.abort()
  if (!opening.isOpen) throw storeAway()
}

async function accept(
  { configuration, end, ingest, checkpoints }: Opened,
  lost: LostConfiguration | undefined,
  { from, to }: NamedOffsets,
): Promise<bigint> {
  if (lost === undefined)
    throw new ConfigurationLostError(
      'nothing is missing from the configuration log: there is no loss to accept',
    )
  if (lost.from !== from || lost.to !== to)
    throw new ConfigurationLostError(
      `events ${from} to ${to} of the configuration log are not the missing ones, and nothing was changed: if the missing ones cannot be ` +
        `restored, run "${acceptLossCommand({ topic: CONFIG_TOPIC, partition: 0, ...lost })}"`,
    )
  try {
    await acceptConfigurationLoss(configuration, lost, await knownCuts(ingest, checkpoints))
  } catch (error) {
    if (!(error instanceof ConfigurationRejected)) throw error
    throw new ConfigurationLostError(
      'another process has changed the configuration at the same moment: stop every process of this installation and try again',
      { cause: error },
    )
  }
  await end.begin()
  await end.whenMarked()
  return configuration.nextOffset
}

function silent() {
  return pino({ level: 'silent' })
}

function storeAway(): StoreError {
  return new StoreError(
    'UNAVAILABLE',
    'the ClickHouse server of CLICKHOUSE_URL does not answer, but knows the end of the configuration: try again once it does',
  )
}
