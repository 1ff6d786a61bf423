import { Command } from 'commander'
import type { PartitionStatus } from '../../engine/log/kafka/group-status.ts'
import type { SystemPartition, SystemStatusRecord, SystemStore } from '../../schemas/http/system-api.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { apiClient } from './api-client.ts'
import { byteSize, grouped } from './byte-size.ts'
import { CommandError, EXIT, type ExitCode } from './command-error.ts'
import { apiAddress } from './connection.ts'
import {
  type ListedColumn,
  type Listing,
  type OutputOptions,
  withOutput,
  writeListing,
} from './output/output.ts'
import { watchable } from './output/watch.ts'
import { type Times, timesOf } from './times/times.ts'
import { type World, write } from './world.ts'

const HELP = `
With KAFKA_BROKERS, asks the brokers for the worker and the progress of each partition, which engines
report every few seconds. Otherwise asks the server at WEIR_URL, or the one on this machine, which also
says whether it is ready, and how full the log and the store are. The exit code is 1 while a partition
has no worker, or the server is not ready.

Examples:
  weir status
  weir status --json | jq '.partitions[] | select(.worker == null)'`

export function statusCommand(world: World, finish: (code: ExitCode) => void): Command {
  return watchable(withOutput(new Command('status'), 'print the result as one JSON object'))
    .summary('show worker and progress of each partition')
    .description('Show the partitions, with their workers and their progress.')
    .addHelpText('after', HELP)
    .action((options: OutputOptions) => status(options, world, finish))
}

async function status(options: OutputOptions, world: World, finish: (code: ExitCode) => void): Promise<void> {
  if (!world.env.KAFKA_BROKERS) return statusOfServer(options, world, finish)
  // Loaded on demand: the modules for Kafka would slow down every command.
  const { clusterStatus } = await import('../cluster/cluster-status.ts')
  let partitions: PartitionStatus[]
  try {
    partitions = await clusterStatus(world.env)
  } catch (error) {
    if (!(error instanceof Error) || !['SettingsError', 'LogError'].includes(error.name)) throw error
    throw new CommandError(EXIT.usage, error.message)
  }
  if (options.json) await write(world.stdout, `${JSON.stringify({ partitions: partitions.map(listed) })}\n`)
  else
    await writeListing(
      listingOf(await timesOf(world)),
      partitions.map(listed),
      options,
      world,
      remarkOf(partitions),
    )
  if (partitions.some(({ worker }) => worker === undefined)) finish(EXIT.partly)
}

async function statusOfServer(
  options: OutputOptions,
  world: World,
  finish: (code: ExitCode) => void,
): Promise<void> {
  const { data } = (await apiClient(apiAddress(world), world).json('/v3/system/status')) as JsonObject
  const status = data as unknown as SystemStatusRecord
  const times = await timesOf(world)
  if (options.json) await write(world.stdout, `${JSON.stringify(status)}\n`)
  else await writeListing(serverListing(times), status.partitions, options, world, aboutServer(status, times))
  if (!status.ready || status.partitions.some(({ worker }) => worker === null)) finish(EXIT.partly)
}

const serverColumns = (times: Times): readonly ListedColumn<SystemPartition>[] => [
  { title: 'TOPIC', text: row => row.topic },
  { title: 'PARTITION', align: 'right', text: row => String(row.partition) },
  { title: 'WORKER', text: row => row.worker ?? 'nobody' },
  { title: 'TO READ', align: 'right', text: row => count(row.lag_records) },
  { title: 'TO STORE', align: 'right', text: row => count(row.unstored_records) },
  {
    title: `LOG TIME (${times.zone})`,
    text: row => (row.log_time === null ? '-' : times.text(Date.parse(row.log_time))),
  },
]

function serverListing(times: Times): Listing<SystemPartition> {
  return {
    columns: serverColumns(times),
    rawFields: ['topic', 'partition'],
    none: 'There are no partitions.',
  }
}

function aboutServer(status: SystemStatusRecord, times: Times): string[] {
  const { version, started_at: startedAt, reasons, log, store } = status
  const isReady = reasons.length === 0
  return [
    `Weir ${version}, started at ${times.text(Date.parse(startedAt))} (${times.zone}), is ${isReady ? 'ready.' : 'not ready:'}`,
    ...reasons.map(reason => `  ${reason}`),
    logSentence(log),
    ...(store === null ? [] : [storeSentence(store)]),
  ]
}

function logSentence({
  used_bytes: used,
  limit_bytes: limit,
  reserved_bytes: reserved,
}: SystemStatusRecord['log']): string {
  return limit === null
    ? 'The brokers manage the space of the log.'
    : `The log takes ${byteSize(used)} of ${byteSize(limit)}, of which lines may use ${byteSize(limit - reserved)}.`
}

function storeSentence({
  reachable,
  bytes,
  rows,
  oldest_day: oldest,
  disk_free_bytes: free,
}: SystemStore): string {
  if (!reachable) return 'The store does not answer.'
  const since = oldest === null ? '' : ` since ${oldest}`
  const room = free === null ? '' : `; ${byteSize(free)} of the disk are free`
  return `The store has ${count(rows)} lines${since} in ${byteSize(bytes ?? 0)}${room}.`
}

function count(figure: number | null): string {
  return figure === null ? '-' : grouped(figure)
}

const columns = (times: Times): readonly ListedColumn<ListedPartition>[] => [
  { title: 'PARTITION', align: 'right', text: row => String(row.partition) },
  { title: 'WORKER', text: row => row.worker ?? 'nobody' },
  { title: 'RECORDS KEPT', align: 'right', text: row => grouped(row.nextOffset - row.firstOffset) },
  { title: 'TO STORE', align: 'right', text: row => count(row.recordsToStore) },
  { title: 'ROWS/S', align: 'right', text: row => count(row.rowsPerSecond) },
  {
    title: `CHECKPOINT UP TO (${times.zone})`,
    text: row => (row.checkpointMs ? times.text(row.checkpointMs) : '-'),
  },
]

function listingOf(times: Times): Listing<ListedPartition> {
  return { columns: columns(times), rawFields: ['partition'], none: 'There are no partitions.' }
}

function remarkOf(partitions: readonly PartitionStatus[]): string[] {
  const idle = partitions.filter(({ worker }) => worker === undefined).length
  const waiting = partitions.reduce((sum, row) => sum + behind(row), 0)
  return [
    idle === 0
      ? `Every partition has a worker. ${grouped(waiting)} records wait to be stored.`
      : `${idle} of ${partitions.length} partitions have no worker: start an engine (weir engine).`,
  ]
}

interface ListedPartition {
  readonly partition: number
  readonly worker: string | null
  readonly firstOffset: number
  readonly nextOffset: number
  readonly recordsToStore: number | null
  readonly rowsPerSecond: number | null
  readonly checkpointMs: number | null
}

function listed(row: PartitionStatus): ListedPartition {
  return {
    partition: row.partition,
    worker: row.worker ?? null,
    firstOffset: Number(row.first),
    nextOffset: Number(row.next),
    recordsToStore: row.storedOffset === undefined ? null : behind(row),
    rowsPerSecond: row.rowsPerSecond ?? null,
    checkpointMs: row.settledMs ?? null,
  }
}

function behind({ next, storedOffset = next }: PartitionStatus): number {
  return Math.max(0, Number(next - storedOffset))
}
