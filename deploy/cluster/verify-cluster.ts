import { pino } from 'pino'
import { leastRetentionDays } from '../../engine/configuration/retention-history.ts'
import { CatalogueBatchRules } from '../../engine/delivery/destinations/catalogue-batch-rules.ts'
import type { Topic } from '../../engine/log/log.ts'
import type { CheckpointedTopic } from '../../engine/log/partitioned-topics.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { findLostTail } from '../../engine/replay/lost-tail.ts'
import { verify } from '../../engine/replay/verify/verification.ts'
import type { VerificationEvent, VerificationReport } from '../../engine/replay/verify/verification-report.ts'
import { openStoreAudit } from '../../engine/store/clickhouse-audit.ts'
import { endMarkTable } from '../../engine/store/end-mark-table.ts'
import { StoreError } from '../../engine/store/store.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { configurationEnd, configurationReport } from '../configuration-guard.ts'
import { readSettings } from '../settings/settings.ts'
import { marksOf, openClusterBase } from './cluster-base.ts'
import { openStoreOfFormerLog } from './cluster-store.ts'

/**
 * Verifies a cluster from a separate process, with or without running engines, up to the last offset that they reported
 * as stored.
 *
 * @throws SettingsError, LogError, StoreError, FoldError with a sentence when verification is not possible
 */
export async function verifyCluster(
  environment: Readonly<Record<string, string | undefined>>,
  options: { readonly signal: AbortSignal; report(event: VerificationEvent): void },
): Promise<VerificationReport> {
  const silent = pino({ level: 'silent' })
  const base = await openClusterBase(readSettings(environment), silent)
  const { log, ingest, checkpoints, keyed, outbox, clock, group, received, configuration } = base
  try {
    const opening = await openStoreOfFormerLog(base, silent)
    const end = configurationEnd({
      ...base,
      file: undefined,
      store: endMarkTable({
        connection: opening.connection,
        seal: configuration.seal,
        isOpen: () => opening.isOpen,
      }),
      isShared: true,
      logger: silent,
    })
    try {
      if (!opening.isOpen)
        throw new StoreError(
          'UNAVAILABLE',
          'the store of CLICKHOUSE_URL does not answer: try again once it does',
        )
      // A partition without a report of an engine need not have stored anything.
      const storedOf = async (topic: Topic) => {
        const progress = await group.progress(topic.name)
        const reported = new Map(progress.map(({ partition, storedOffset }) => [partition, storedOffset]))
        return (partition: number) => reported.get(partition) ?? 0n
      }
      const lookAt = (witnesses: CheckpointedTopic) => {
        const mark = marksOf(group, witnesses.topic.name)
        const all = { ...witnesses, store: opening.store, mark, received }
        return (partition: number) => findLostTail(all, partition)
      }
      const lines = { topic: ingest, checkpoints }
      const ports = {
        catalogue: CATALOGUE.withSeal(configuration.seal),
        topics: [
          { ...lines, storedOffset: await storedOf(ingest), lookAt: lookAt(lines) },
          { ...keyed, storedOffset: await storedOf(keyed.topic), lookAt: lookAt(keyed) },
        ],
        outbox: { ...outbox, rules: new CatalogueBatchRules(CATALOGUE), servedAt: () => undefined },
        ends: [{ topic: outbox.topic, lookAt: (partition: number) => outbox.topic.lookAt(partition) }],
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
