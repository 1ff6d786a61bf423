import { pino } from 'pino'
import { leastRetentionDays } from '../../engine/configuration/retention-history.ts'
import type { Topic } from '../../engine/log/log.ts'
import { verify } from '../../engine/replay/verify/verification.ts'
import type { VerificationEvent, VerificationReport } from '../../engine/replay/verify/verification-report.ts'
import { openStoreAudit } from '../../engine/store/clickhouse-audit.ts'
import { endMarkTable } from '../../engine/store/end-mark-table.ts'
import { StoreError } from '../../engine/store/store.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { configurationEnd, configurationReport } from '../configuration-guard.ts'
import { readSettings } from '../settings.ts'
import { StoreOpening } from '../store-opening.ts'
import { openClusterBase } from './cluster-base.ts'

/**
 * Verifies a cluster from a process of its own, whether engines are at work or not: up to where they last told that
 * they have stored everything.
 *
 * @throws SettingsError, LogError, StoreError, FoldError with a sentence when it cannot be done
 */
export async function verifyCluster(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly signal: AbortSignal; report(event: VerificationEvent): void },
): Promise<VerificationReport> {
  const silent = pino({ level: 'silent' })
  const base = await openClusterBase(readSettings(environment), silent)
  const { settings, log, ingest, checkpoints, keyed, clock, group, configuration } = base
  try {
    const opening = await StoreOpening.begin(
      { logId: ingest.logId, wasFilled: false },
      { settings, directory: undefined, clock, logger: silent },
    )
    const end = configurationEnd({
      ...base,
      file: undefined,
      store: endMarkTable(opening.connection, configuration.seal, () => opening.isOpen),
      isShared: true,
      logger: silent,
    })
    try {
      if (!opening.isOpen)
        throw new StoreError(
          'UNAVAILABLE',
          'the store of CLICKHOUSE_URL does not answer: try again once it does',
        )
      // Of a partition that no engine has told of yet nothing need be stored.
      const storedOf = async (topic: Topic) => {
        const progress = await group.progress(topic.name)
        const told = new Map(progress.map(({ partition, storedOffset }) => [partition, storedOffset]))
        return (partition: number) => told.get(partition) ?? 0n
      }
      const ports = {
        topics: [
          { topic: ingest, checkpoints, storedOffset: await storedOf(ingest) },
          { ...keyed, storedOffset: await storedOf(keyed.topic) },
        ],
        store: opening.store,
        audit: openStoreAudit(opening.connection, options.signal),
        clock,
        leastRetentionDays: await leastRetentionDays(await log.topic(CONFIG_TOPIC, 1)),
      }
      const lost = await end.findLoss()
      const report = await verify(ports, { ...options, rest: async () => undefined })
      return { ...report, configuration: configurationReport(lost, configuration) }
    } finally {
      end.close()
      await opening.close()
    }
  } finally {
    await group.close()
    await log.close()
  }
}
