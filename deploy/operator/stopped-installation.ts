import { pino } from 'pino'
import { LogError } from '../../engine/log/log.ts'
import { StoreError } from '../../engine/store/store.ts'
import { closeInstallation, openInstallation } from '../installation.ts'
import { readSettings } from '../settings/settings.ts'
import { BackupError } from './backup-manifest.ts'
import { type OperatorEvent, type OperatorTask, refusalOf, runTask } from './operator-task.ts'

function otherSettings(cause: LogError): LogError {
  const sentence = 'use the settings of the server for this command, including WEIR_PARTITIONS'
  return new LogError(cause.code, `${cause.message.replace(/\.$/, '')}: ${sentence}`, { cause })
}

export interface StoppedInstallation {
  run(signal: AbortSignal, report: (event: OperatorEvent) => void): Promise<void>
  close(): Promise<void>
}

/**
 * Takes the data folder as a server would, without starting the engine.
 *
 * @param task task to run: impossible ones are refused before anything is opened
 * @throws BackupError, SettingsError, DataDirectoryError, LogError, StoreError with a sentence, also when a server has
 *   the folder
 */
export async function openStopped(
  environment: Readonly<Record<string, string | undefined>>,
  task: OperatorTask,
): Promise<StoppedInstallation> {
  const silent = pino({ level: 'silent' })
  const settings = readSettings(environment)
  const refusal = refusalOf(task, settings)
  if (refusal !== undefined) throw new BackupError(refusal)
  const installation = await openInstallation(settings, silent, 'inspect').catch(error => {
    throw error instanceof LogError && error.code === 'LOG_PARTITIONS_DIFFER' ? otherSettings(error) : error
  })
  if (!installation.opening.isOpen) {
    await closeInstallation(installation)
    throw new StoreError(
      'UNAVAILABLE',
      'the ClickHouse server of CLICKHOUSE_URL does not answer: try again once it does',
    )
  }
  return {
    run: (signal, report) => runTask(installation, task, signal, report),
    close: () => closeInstallation(installation),
  }
}
