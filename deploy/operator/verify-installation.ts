import { leastRetentionDays } from '../../engine/configuration/retention-history.ts'
import { verify } from '../../engine/runtime/verification.ts'
import type { VerificationEvent, VerificationReport } from '../../engine/runtime/verification-report.ts'
import { openStoreAudit } from '../../engine/store/clickhouse-audit.ts'
import type { Installation } from '../installation.ts'

/** Verifies an installation, whether its engine is at work or not. */
export async function verifyInstallation(
  { ingest, checkpoints, configurationTopic, opening, engine, clock }: Installation,
  options: { readonly signal: AbortSignal; report(event: VerificationEvent): void },
): Promise<VerificationReport> {
  const ports = {
    ingest,
    checkpoints,
    store: opening.store,
    audit: openStoreAudit(opening.connection, options.signal),
    clock,
    storedOffset: (partition: number) =>
      engine.status.workers.find(worker => worker.partition === partition)?.storedOffset,
    leastRetentionDays: await leastRetentionDays(configurationTopic),
  }
  return verify(ports, options)
}
