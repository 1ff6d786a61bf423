import { pino } from 'pino'
import { StoreError } from '../../engine/store/store.ts'
import { closeInstallation, openInstallation } from '../installation.ts'
import { readSettings } from '../settings.ts'
import { type OperatorEvent, type OperatorTask, runTask } from './operator-task.ts'

export interface StoppedInstallation {
  run(task: OperatorTask, signal: AbortSignal, report: (event: OperatorEvent) => void): Promise<void>
  close(): Promise<void>
}

/**
 * Takes the data folder as a server would, without putting the engine to work.
 *
 * @throws SettingsError, DataDirectoryError, LogError, StoreError with a sentence, also when a server has the folder
 */
export async function openStopped(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<StoppedInstallation> {
  const installation = await openInstallation(readSettings(environment), pino({ level: 'silent' }))
  if (!installation.opening.isOpen) {
    await closeInstallation(installation)
    throw new StoreError(
      'UNAVAILABLE',
      'the ClickHouse server of CLICKHOUSE_URL does not answer: try again once it does',
    )
  }
  return {
    run: (task, signal, report) => runTask(installation, task, signal, report),
    close: () => closeInstallation(installation),
  }
}
