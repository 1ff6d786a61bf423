import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { Topic } from '../../engine/log/log.ts'
import { type MemoryStorage, memoryLog } from '../../engine/log/memory-log.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { acceptLoss, findLostTail, type Witnesses } from '../../engine/replay/lost-tail.ts'
import {
  type VerificationOptions,
  type VerificationPorts,
  verify,
} from '../../engine/replay/verify/verification.ts'
import type { VerificationReport } from '../../engine/replay/verify/verification-report.ts'
import { openStoreAudit } from '../../engine/store/clickhouse-audit.ts'
import { type ClickHouseStore, openClickHouseStore } from '../../engine/store/clickhouse-store.ts'
import type { StoreConnection } from '../../engine/store/connection.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { CHECKPOINT_TOPIC, INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT, type SampleLine } from './line-batches.ts'
import { SampleConfiguration } from './world.ts'

const PARTITIONS = 2
export const PARTITION = partitionOfAccount(SAMPLE_ACCOUNT, PARTITIONS)
/** An account of the other partition. */
export const OTHER_ACCOUNT = Array.from({ length: 20 }, (_, number) => `other-${number}`).find(
  account => partitionOfAccount(account, PARTITIONS) !== PARTITION,
) as string

/** Two partitions with their workers on a memory log and the real store, on a clock that a test moves. */
export interface VerifiedWorld {
  readonly clock: ManualClock
  readonly configuration: SampleConfiguration
  readonly connection: StoreConnection
  readonly store: ClickHouseStore
  readonly ingest: Topic
  /** Appends lines of an account as one record. */
  append(lines: readonly SampleLine[], account?: string): Promise<void>
  /** Lets time pass and everything that is due be stored. */
  pass(ms: number): Promise<void>
  /** Closes the days that every partition has passed. */
  closeDays(): Promise<void>
  /** Does the work of an engine's jobs on lines past their retention. */
  removeExpired(): Promise<number>
  /** Trims the log as far as a restart allows; the in-memory log deletes exactly that. */
  trim(): Promise<void>
  /** New workers, as after kill -9: the old ones are simply no longer driven. */
  kill(): Promise<void>
  /** Ends all workers. */
  stopWorkers(): void
  /** Loses the records of the account's partition from an offset on. */
  loseFrom(offset: bigint): void
  /** Accepts that loss. @param others witnesses in place of the usual ones */
  acceptLoss(others?: Partial<Witnesses>): Promise<void>
  verify(
    changes?: Partial<VerificationPorts & VerificationOptions> & {
      /** Topic to read in place of the topic of the lines. */
      readonly readThrough?: Topic
    },
  ): Promise<VerificationReport>
}

export async function newVerifiedWorld(connection: StoreConnection): Promise<VerifiedWorld> {
  const clock = manualClock(Date.UTC(2026, 0, 1, 9))
  const storage: MemoryStorage = new Map()
  const log = memoryLog({ clock, entropy: seededEntropy(5), storage })
  const ingest = await log.topic(INGEST_TOPIC, PARTITIONS)
  const checkpoints = await log.topic(CHECKPOINT_TOPIC, PARTITIONS)
  const store = openClickHouseStore(connection)
  await store.open(ingest.logId)
  const configuration = new SampleConfiguration()
  let workers: PartitionWorker[] = []
  const begin = async () => {
    workers = []
    for (let partition = 0; partition < PARTITIONS; partition++) {
      const options = { partition, topic: ingest, checkpoints, store, clock, configuration }
      const worker = new PartitionWorker({
        catalogue: CATALOGUE,
        ...options,
        logger: silentLogger,
        workerName: 'test',
      })
      await worker.start()
      workers.push(worker)
    }
  }
  await begin()
  const settle = async () => {
    for (const worker of workers) while (await worker.step());
  }
  return {
    clock,
    configuration,
    connection,
    store,
    ingest,
    append: async (lines, account = SAMPLE_ACCOUNT) => {
      const value = lineBatchValue([{ lines }], account)
      const partition = partitionOfAccount(account, PARTITIONS)
      await ingest.append(partition, { value, producer: null, priority: 'ingest' })
    },
    pass: async ms => {
      await settle()
      clock.advance(ms)
      await settle()
    },
    closeDays: async () => {
      const settledMs = Math.min(...workers.map(worker => worker.settledMs))
      for (const day of await store.openDays())
        if (Date.parse(day) + DAY_MS <= settledMs) await store.closeDay(day)
    },
    removeExpired: () =>
      store.removeExpired(
        clock.wallMs(),
        workers.map((worker, partition) => ({
          topic: ingest.name,
          partition,
          checkpointOffset: worker.neededFrom,
        })),
      ),
    trim: async () => {
      for (const [partition, worker] of workers.entries()) {
        await ingest.trim(partition, worker.neededFrom)
        await worker.trimCheckpoints((await ingest.bounds(partition)).first)
      }
    },
    kill: begin,
    stopWorkers: () => {
      workers = []
    },
    loseFrom: offset => {
      const records = storage.get(INGEST_TOPIC)?.partitions[PARTITION]?.records ?? []
      records.splice(records.findIndex(record => record.offset === offset))
    },
    acceptLoss: async others => {
      const witnesses = { topic: ingest, checkpoints, store, ...others }
      const lost = await findLostTail(witnesses, PARTITION)
      if (lost === undefined) throw new Error('nothing is lost')
      await acceptLoss(CATALOGUE, witnesses, lost)
    },
    verify: async ({ readThrough, ...changes } = {}) =>
      verify(
        {
          catalogue: CATALOGUE,
          topics: [
            {
              topic: readThrough ?? ingest,
              checkpoints,
              storedOffset: partition => workers[partition]?.status.storedOffset,
            },
          ],
          store,
          audit: openStoreAudit(connection),
          clock,
          leastRetentionDays: () => 30,
          ...changes,
        },
        { signal: new AbortController().signal, report: () => {}, rest: async () => {}, ...changes },
      ),
  }
}
