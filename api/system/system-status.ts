import type { Clock } from '../../engine/clock/clock.ts'
import type { NodeTotals } from '../../engine/fold/node-activity.ts'
import { type Log, LogError, type Topic } from '../../engine/log/log.ts'
import type { Store } from '../../engine/store/store.ts'
import type { EngineStatus } from '../../engine/worker/engine.ts'
import type { WorkerStatus } from '../../engine/worker/partition-worker.ts'
import type { SystemPartition, SystemStatusRecord, SystemStore } from '../../schemas/http/system-api.ts'
import { isoTime } from '../http/iso-time.ts'
import type { ServiceStatus } from '../operations/readiness.ts'

/** Parts of a process that its status is about. */
export interface SystemParts {
  /** UNIX ms. */
  readonly startedAtMs: number
  readonly roles: SystemStatusRecord['roles']
  readonly log: Log
  readonly ingest: Topic
  readonly keyed: Topic
  /** Absent if no engine runs in this process. */
  readonly engine?:
    | { readonly status: EngineStatus; readonly workerName: string; nodeTotals?(): Iterable<NodeTotals> }
    | undefined
  /** Partitions of the lines' topic as workers of all processes report them; absent if no other process works on the log. */
  readonly reported?: (() => Promise<readonly ReportedPartition[]>) | undefined
}

/** Progress of a partition as its worker has reported it. */
export interface ReportedPartition {
  readonly partition: number
  readonly worker: string | undefined
  /** First offset that is not stored. */
  readonly storedOffset: bigint | undefined
  /** Log time, UNIX ms. */
  readonly settledMs: number | undefined
}

export interface SystemStatusPorts {
  readonly system: SystemParts
  readonly clock: Clock
  readonly status: ServiceStatus
  readonly store?: Pick<Store, 'size'> | undefined
  readonly settings: { readonly version: string }
  readonly openTails: { readonly count: number }
  readonly taps?: { readonly count: number } | undefined
}

const STORE_PATIENCE_MS = 2_000

/** Describes a process, its log, its store and the partitions. It answers while the log or the store is away. */
export async function systemStatus(ports: SystemStatusPorts): Promise<SystemStatusRecord> {
  const { system, status, settings, openTails, taps, clock } = ports
  const readAtMs = clock.wallMs()
  const [reasons, store, partitions, oldestMs] = await Promise.all([
    status.notReady(),
    statusOfStore(ports),
    partitionsOf(ports),
    oldestRecordMs(system.ingest).catch(unlessAway),
  ])
  const { usedBytes, limitBytes, reservedBytes, takesIngest } = system.log.space()
  return {
    version: settings.version,
    read_at: isoTime(readAtMs),
    started_at: isoTime(system.startedAtMs),
    roles: system.roles,
    ready: reasons.length === 0,
    reasons: [...reasons],
    log: {
      used_bytes: usedBytes,
      limit_bytes: limitBytes === Number.MAX_SAFE_INTEGER ? null : limitBytes,
      reserved_bytes: reservedBytes,
      takes_ingest: takesIngest,
      oldest_at: oldestMs === undefined ? null : isoTime(oldestMs),
    },
    store,
    partitions,
    tails: openTails.count,
    taps: taps?.count ?? 0,
  }
}

const UNREACHABLE: SystemStore = {
  reachable: false,
  bytes: null,
  rows: null,
  oldest_day: null,
  disk_free_bytes: null,
  uncovered_rows: null,
}

async function statusOfStore({ store, clock }: SystemStatusPorts): Promise<SystemStore | null> {
  if (store === undefined) return null
  const patience = new AbortController()
  const late = clock.sleep(STORE_PATIENCE_MS, patience.signal).then(() => UNREACHABLE)
  const answer = store.size(patience.signal).then(
    size => ({
      reachable: true,
      bytes: size.bytes,
      rows: size.rows,
      oldest_day: size.oldestDay,
      disk_free_bytes: size.diskFreeBytes,
      uncovered_rows: size.uncoveredRows,
    }),
    () => UNREACHABLE, // the reasons contain the error
  )
  const found = await Promise.race([answer, late])
  patience.abort()
  return found
}

async function partitionsOf({ system, clock }: SystemStatusPorts): Promise<SystemPartition[]> {
  const { ingest, keyed, engine, reported } = system
  const { workers = [], keyedWorkers = [], troubles } = engine?.status ?? {}
  // Without brokers the reports are missing, and the reasons say why.
  const reports = (await reported?.().catch(() => undefined)) ?? []
  const rows: SystemPartition[] = []
  for (let partition = 0; partition < ingest.partitions; partition++) {
    const bounds = await ingest.bounds(partition).catch(unlessAway)
    const worker = workers.find(each => each.partition === partition)
    const report = reports.find(each => each.partition === partition)
    const row = worker === undefined ? reportedRow(report, bounds) : workerRow(worker, bounds, clock)
    const name = worker === undefined ? report?.worker : engine?.workerName
    const trouble = troubles?.get(partition) ?? null
    rows.push({ topic: ingest.name, partition, worker: name ?? null, ...ends(bounds), ...row, trouble })
  }
  // Without a spread account, nothing is on the other topic.
  for (const worker of keyedWorkers) {
    const { partition } = worker
    const bounds = await keyed.bounds(partition).catch(unlessAway)
    const row = workerRow(worker, bounds, clock)
    const name = engine?.workerName ?? null
    rows.push({ topic: keyed.name, partition, worker: name, ...ends(bounds), ...row, trouble: null })
  }
  return rows
}

type Bounds = Awaited<ReturnType<Topic['bounds']>> | undefined
type Progress = Pick<SystemPartition, 'lag_records' | 'unstored_records' | 'log_time' | 'behind_s'>

function ends(bounds: Bounds): Pick<SystemPartition, 'first' | 'next'> {
  return bounds === undefined
    ? { first: null, next: null }
    : { first: Number(bounds.first), next: Number(bounds.next) }
}

function workerRow(
  { nextOffset, storedOffset, timeMs }: WorkerStatus,
  bounds: Bounds,
  clock: Clock,
): Progress {
  const lag = bounds && lagRecords(nextOffset, bounds.next)
  return {
    lag_records: lag ?? null,
    unstored_records: bounds === undefined ? null : lagRecords(storedOffset, bounds.next),
    log_time: timeMs > 0 ? isoTime(timeMs) : null,
    behind_s: lag === undefined ? null : lag === 0 ? 0 : Math.max(0, (clock.wallMs() - timeMs) / 1000),
  }
}

function reportedRow(report: ReportedPartition | undefined, bounds: Bounds): Progress {
  const { storedOffset, settledMs } = report ?? {}
  const isKnown = bounds !== undefined && storedOffset !== undefined
  return {
    lag_records: null,
    unstored_records: isKnown ? lagRecords(storedOffset, bounds.next) : null,
    log_time: settledMs ? isoTime(settledMs) : null,
    behind_s: null,
  }
}

function lagRecords(from: bigint, next: bigint): number {
  return Math.max(0, Number(next - from))
}

/** Time of the oldest kept record of all partitions, UNIX ms; undefined without records. */
async function oldestRecordMs(topic: Topic): Promise<number | undefined> {
  const oldest = await Promise.all(
    Array.from({ length: topic.partitions }, async (_, partition) => {
      const { first, next } = await topic.bounds(partition)
      const [record] = first < next ? await topic.read(partition, first, 1) : []
      return record?.appendTimeMs ?? Number.POSITIVE_INFINITY
    }),
  )
  const earliestMs = Math.min(...oldest)
  return Number.isFinite(earliestMs) ? earliestMs : undefined
}

/** A log that does not answer leaves a figure unknown. The reasons contain the error. */
function unlessAway(error: unknown): undefined {
  if (!(error instanceof LogError)) throw error
  return undefined
}
