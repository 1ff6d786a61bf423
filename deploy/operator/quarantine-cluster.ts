import { pino } from 'pino'
import { newestQuarantines, type Quarantine } from '../../engine/configuration/kinds/quarantine.ts'
import { endMarkTable } from '../../engine/store/end-mark-table.ts'
import { StoreError } from '../../engine/store/store.ts'
import { openClusterBase } from '../cluster/cluster-base.ts'
import { openStoreOfFormerLog } from '../cluster/cluster-store.ts'
import { configurationEnd } from '../configuration-guard.ts'
import { readSettings } from '../settings/settings.ts'
import { quarantineInInstallation } from './quarantine-installation.ts'
import type { QuarantineTask } from './quarantine-task.ts'

/**
 * Lists the records in quarantine in a cluster, the newest first. The store is not needed.
 *
 * @throws SettingsError, LogError with a sentence
 */
export async function quarantinesOfCluster(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<readonly Quarantine[]> {
  const { log, configuration, group } = await openClusterBase(
    readSettings(environment),
    pino({ level: 'silent' }),
  )
  try {
    return newestQuarantines(configuration)
  } finally {
    await group.close()
    await log.close()
  }
}

/**
 * Puts a record of a cluster into quarantine at one node, with or without running processes.
 *
 * @returns whether a revision of a pipeline of the record's account has the node
 * @throws SettingsError, QuarantineError, ConfigurationLostError, LogError, StoreError with a sentence
 */
export async function quarantineInCluster(
  environment: Readonly<Record<string, string | undefined>>,
  task: QuarantineTask,
): Promise<boolean> {
  const logger = pino({ level: 'silent' })
  const base = await openClusterBase(readSettings(environment), logger)
  const { log, configuration, group, witness } = base
  try {
    const opening = await openStoreOfFormerLog(base, logger)
    const { connection } = opening
    const store = endMarkTable({ connection, seal: configuration.seal, isOpen: () => opening.isOpen })
    const end = configurationEnd({ ...base, file: undefined, store, isShared: true, logger })
    try {
      if (!opening.isOpen)
        throw new StoreError(
          'UNAVAILABLE',
          'the store of CLICKHOUSE_URL does not answer: try again once it does',
        )
      witness.store = opening.store
      const lostConfiguration = await end.findLoss()
      return await quarantineInInstallation({ ...base, opening, end, lostConfiguration }, task)
    } finally {
      end.close()
      await opening.close()
    }
  } finally {
    await group.close()
    await log.close()
  }
}
