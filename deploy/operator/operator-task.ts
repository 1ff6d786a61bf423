import type { VerificationEvent, VerificationReport } from '../../engine/replay/verify/verification-report.ts'
import type { Installation } from '../installation.ts'
import type { Settings } from '../settings.ts'
import { acceptInstallationLoss } from './accept-installation-loss.ts'
import type { AcceptLossTask } from './accept-loss-task.ts'
import { type BackupEvent, type BackupSummary, backUp, backupRefusal } from './backup-installation.ts'
import { verifyInstallation } from './verify-installation.ts'

/** What an operator can have done to an installation, at work or not. */
export type OperatorTask =
  | { readonly task: 'verify' }
  | { readonly task: 'backup'; readonly directory: string }
  | AcceptLossTask

/** How it goes; the last one says how it ended. */
export type OperatorEvent =
  | VerificationEvent
  | BackupEvent
  | { readonly type: 'verified'; readonly report: VerificationReport }
  | { readonly type: 'backed-up'; readonly summary: BackupSummary }
  | { readonly type: 'loss-accepted'; readonly records: number }
  | { readonly type: 'failed'; readonly message: string }

/** Why a task is refused with these settings: to be asked before the store is waited for. */
export function refusalOf({ task }: OperatorTask, settings: Settings): string | undefined {
  return task === 'backup' ? backupRefusal(settings) : undefined
}

export async function runTask(
  installation: Installation,
  task: OperatorTask,
  signal: AbortSignal,
  report: (event: OperatorEvent) => void,
): Promise<void> {
  try {
    if (task.task === 'verify')
      report({ type: 'verified', report: await verifyInstallation(installation, { signal, report }) })
    else if (task.task === 'accept-loss')
      report({ type: 'loss-accepted', records: await acceptInstallationLoss(installation, task) })
    else
      report({ type: 'backed-up', summary: await backUp(installation, task.directory, { signal, report }) })
  } catch (error) {
    report({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}
