import { newestQuarantines, type Quarantine } from '../../engine/configuration/kinds/quarantine.ts'
import type { VerificationEvent, VerificationReport } from '../../engine/replay/verify/verification-report.ts'
import type { Installation } from '../installation.ts'
import type { Settings } from '../settings/settings.ts'
import { acceptInstallationLoss } from './accept-installation-loss.ts'
import type { AcceptLossTask } from './accept-loss-task.ts'
import { type BackupEvent, type BackupSummary, backUp, backupRefusal } from './backup-installation.ts'
import { quarantineInInstallation } from './quarantine-installation.ts'
import type { QuarantinesTask, QuarantineTask } from './quarantine-task.ts'
import { verifyInstallation } from './verify-installation.ts'

/** Tasks that an operator can run on an installation, running or not. */
export type OperatorTask =
  | { readonly task: 'verify' }
  | { readonly task: 'backup'; readonly directory: string }
  | AcceptLossTask
  | QuarantineTask
  | QuarantinesTask

/** Progress of a task; the last event contains its result. */
export type OperatorEvent =
  | VerificationEvent
  | BackupEvent
  | { readonly type: 'verified'; readonly report: VerificationReport }
  | { readonly type: 'backed-up'; readonly summary: BackupSummary }
  | { readonly type: 'loss-accepted'; readonly records: number }
  /** `isKnownNode`: whether a revision of a pipeline of the record's account has the node. */
  | { readonly type: 'quarantined'; readonly isKnownNode: boolean }
  | { readonly type: 'quarantines'; readonly quarantines: readonly Quarantine[] }
  | { readonly type: 'failed'; readonly message: string }

/** Reason why a task is refused with these settings; checked before waiting for the store. */
export function refusalOf({ task }: OperatorTask, settings: Settings): string | undefined {
  return task === 'backup' ? backupRefusal(settings) : undefined
}

async function quarantinesOf({
  configuration,
}: Pick<Installation, 'configuration'>): Promise<readonly Quarantine[]> {
  await configuration.catchUp()
  return newestQuarantines(configuration)
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
    else if (task.task === 'quarantine')
      report({ type: 'quarantined', isKnownNode: await quarantineInInstallation(installation, task) })
    else if (task.task === 'quarantines')
      report({ type: 'quarantines', quarantines: await quarantinesOf(installation) })
    else
      report({ type: 'backed-up', summary: await backUp(installation, task.directory, { signal, report }) })
  } catch (error) {
    report({ type: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}
