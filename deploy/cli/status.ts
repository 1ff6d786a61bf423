import { Command } from 'commander'
import type { PartitionStatus } from '../../engine/log/kafka/group-status.ts'
import { grouped } from './byte-size.ts'
import { CommandError, EXIT, type ExitCode } from './command-error.ts'
import { type Column, tableLines } from './table.ts'
import { type World, write } from './world.ts'

const HELP = `
Asks the brokers of KAFKA_BROKERS for the worker and the progress of each partition, which engines report
every few seconds. The exit code is 1 while a partition has no worker. On the embedded log there is only
one process: see its /readyz and /metrics.

Examples:
  weir status
  weir status --json | jq '.partitions[] | select(.worker == null)'`

export function statusCommand(world: World, finish: (code: ExitCode) => void): Command {
  return new Command('status')
    .summary('show worker and progress of each partition of a cluster')
    .description('Show the partitions of a cluster on Kafka.')
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', HELP)
    .action((options: { json?: true }) => status(options, world, finish))
}

async function status(
  { json }: { readonly json?: true },
  world: World,
  finish: (code: ExitCode) => void,
): Promise<void> {
  // Loaded on demand: the modules for Kafka would slow down every command.
  const { clusterStatus } = await import('../cluster/cluster-status.ts')
  let partitions: PartitionStatus[]
  try {
    partitions = await clusterStatus(world.env)
  } catch (error) {
    if (!(error instanceof Error) || !['SettingsError', 'LogError'].includes(error.name)) throw error
    throw new CommandError(EXIT.usage, error.message)
  }
  const colours = world.stdout.isTTY === true && !world.env.NO_COLOR
  const text = json ? JSON.stringify({ partitions: partitions.map(jsonRow) }) : textOf(partitions, colours)
  await write(world.stdout, `${text}\n`)
  if (partitions.some(({ worker }) => worker === undefined)) finish(EXIT.partly)
}

const COLUMNS: readonly Column<PartitionStatus>[] = [
  { title: 'PARTITION', align: 'right', text: row => String(row.partition) },
  { title: 'WORKER', text: row => row.worker ?? 'nobody' },
  { title: 'RECORDS KEPT', align: 'right', text: row => grouped(Number(row.next - row.first)) },
  {
    title: 'TO STORE',
    align: 'right',
    text: row => (row.storedOffset === undefined ? '-' : grouped(behind(row))),
  },
  {
    title: 'ROWS/S',
    align: 'right',
    text: row => (row.rowsPerSecond === undefined ? '-' : grouped(row.rowsPerSecond)),
  },
  { title: 'CHECKPOINT UP TO (UTC)', text: row => (row.settledMs ? time(row.settledMs) : '-') },
]

function textOf(partitions: readonly PartitionStatus[], colours: boolean): string {
  const idle = partitions.filter(({ worker }) => worker === undefined).length
  const waiting = partitions.reduce((sum, row) => sum + behind(row), 0)
  return [
    ...tableLines(COLUMNS, partitions, colours),
    '',
    idle === 0
      ? `Every partition has a worker. ${grouped(waiting)} records wait to be stored.`
      : `${idle} of ${partitions.length} partitions have no worker: start an engine (weir engine).`,
  ].join('\n')
}

function jsonRow(row: PartitionStatus): object {
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

function time(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
}
