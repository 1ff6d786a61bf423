import { setImmediate } from 'node:timers/promises'
import type { Clock } from '../../engine/clock/clock.ts'
import { leastRetentionDays } from '../../engine/configuration/retention-history.ts'
import { CatalogueBatchRules } from '../../engine/delivery/destinations/catalogue-batch-rules.ts'
import { type GuardedTopic, presentTroubles } from '../../engine/log/guarded-topic.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { type CountedLanes, countsOf } from '../../engine/replay/verify/lanes-verification.ts'
import { verify } from '../../engine/replay/verify/verification.ts'
import type {
  StoppedPartition,
  VerificationEvent,
  VerificationReport,
} from '../../engine/replay/verify/verification-report.ts'
import { openStoreAudit } from '../../engine/store/clickhouse-audit.ts'
import type { OutboxWorkers } from '../../engine/worker/outbox/outbox-workers.ts'
import type { WorkerStatus } from '../../engine/worker/partition-worker.ts'
import { configurationReport } from '../configuration-guard.ts'
import type { Installation } from '../installation.ts'

/** Verifies an installation. While its engine runs, the server's own work takes precedence. */
export async function verifyInstallation(
  installation: Installation,
  options: { readonly signal: AbortSignal; report(event: VerificationEvent): void },
): Promise<VerificationReport> {
  const { ingest, checkpoints, keyed, outbox, configurationTopic, opening, engine, clock } = installation
  const { configuration, end, lostConfiguration } = installation
  const { workers, keyedWorkers } = engine.status
  const ports = {
    catalogue: CATALOGUE.withSeal(configuration.seal),
    topics: [
      { topic: ingest, checkpoints, storedOffset: storedBy(workers), ...looking(ingest) },
      { ...keyed, storedOffset: storedBy(keyedWorkers), ...looking(keyed.topic) },
    ],
    outbox: {
      ...outbox,
      rules: new CatalogueBatchRules(CATALOGUE),
      servedAt: servedBy(engine.outbox),
    },
    ends: [{ topic: outbox.topic, ...looking(outbox.topic) }],
    store: opening.store,
    audit: openStoreAudit(opening.connection, options.signal),
    clock,
    leastRetentionDays: await leastRetentionDays(configurationTopic),
  }
  const rest = workers.length > 0 ? restingAsLong(clock) : () => setImmediate()
  const lost = lostConfiguration ?? (await end.findLoss())
  const report = await verify(ports, { ...options, rest })
  const stopped = await stoppedPartitions(installation)
  return {
    ...report,
    ...(stopped.length > 0 && { stopped }),
    configuration: configurationReport(lost, configuration),
  }
}

/** Partitions that `/readyz` reports, too: the store may agree with the log as far as it has been stored. */
async function stoppedPartitions({
  engine,
  ingest,
  keyed,
  outbox,
}: Installation): Promise<StoppedPartition[]> {
  const troubles = await presentTroubles(engine.status.troubles, [ingest, keyed.topic, outbox.topic])
  return [...troubles].map(([partition, sentence]) => ({ partition, sentence }))
}

/** Compares the topic with everything that the installation knows about its log. */
function looking(topic: GuardedTopic) {
  return { lookAt: (partition: number) => topic.lookAt(partition) }
}

/** Counts of the workers that show theirs. */
function servedBy(outbox: Pick<OutboxWorkers, 'workers'> | undefined) {
  return (partition: number): CountedLanes | undefined => {
    const worker = outbox?.workers.get(partition)
    return worker?.caughtUp === true ? countsOf(worker.fold) : undefined
  }
}

function storedBy(workers: readonly WorkerStatus[]): (partition: number) => bigint | undefined {
  return partition => workers.find(worker => worker.partition === partition)?.storedOffset
}

/** Rests for as long as the work since the last rest took, so that requests and the engine get half of the time. */
function restingAsLong(clock: Clock): () => Promise<void> {
  let restedAtMs = clock.monotonicMs()
  return async () => {
    await clock.sleep(clock.monotonicMs() - restedAtMs)
    restedAtMs = clock.monotonicMs()
  }
}
