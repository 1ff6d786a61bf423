import { Command } from 'commander'
import type {
  ConfigurationReport,
  PartitionReport,
  StoppedPartition,
  VerificationReport,
} from '../../../engine/replay/verify/verification-report.ts'
import { damageSentence } from '../../../engine/store/store-damage.ts'
import { KEYED_TOPIC } from '../../../schemas/log/topics.ts'
import { byteSize, grouped } from '../byte-size.ts'
import { CommandError, EXIT, type ExitCode } from '../command-error.ts'
import { mismatchLines } from '../mismatch.ts'
import { inTime, perSecond, taskProgress } from '../output/task-progress.ts'
import { type Column, tableLines } from '../table.ts'
import { timeText } from '../time-text.ts'
import { hasColours, type World, write } from '../world.ts'
import { runOperatorTask } from './operator-task.ts'

const HELP = `
The command runs the kept log through the pipelines again, without any effect, and compares the result
with the store, record by record and column by column. Then it compares the counts of deliveries with the
log, and the usage of closed days with the lines, or with the log where that still has them. It finds rows
that were changed, added or removed by hand, and a lost end of the configuration log. A running server also
reports partitions that do not move, because an error stopped them. The server continues meanwhile; if it
does not run, the command opens the data folder itself.

Lines that are no longer on the log (WEIR_LOG_RETENTION_HOURS) cannot be recomputed: for these, only
the usage of their days is compared.

Exit codes: 0 the store agrees with the log, 1 it differs or a partition does not move, 2 it could not be
verified, 130 interrupted.

Examples:
  weir verify
  WEIR_DATA_DIR=/var/lib/weir weir verify
  weir verify --json | jq .mismatch`

export function verifyCommand(world: World, finish: (code: ExitCode) => void): Command {
  return new Command('verify')
    .summary('compare the store with the log')
    .description('Recompute the stored rows from the log, and compare the store and usage with them.')
    .option('--json', 'print the result as one JSON object')
    .addHelpText('after', HELP)
    .action(async (options: { json?: true }) => finish(await verify(options, world)))
}

async function verify(options: { readonly json?: true }, world: World): Promise<ExitCode> {
  const startMs = world.clock.monotonicMs()
  const { report } = await reportOf(world)
  const tookMs = world.clock.monotonicMs() - startMs
  const text = options.json ? jsonResult(report, tookMs) : textResult(report, tookMs, world).join('\n')
  await write(world.stdout, `${text}\n`)
  return isWell(report) ? EXIT.done : EXIT.partly
}

async function reportOf(world: World): Promise<{ report: VerificationReport }> {
  const progress = await taskProgress(world)
  let report: VerificationReport | undefined
  const done = { records: 0, lines: 0 }
  try {
    await runOperatorTask({ task: 'verify' }, world, event => {
      if (event.type === 'began') progress.begin(event.records)
      if (event.type === 'verified') report = event.report
      if (event.type === 'partition') {
        done.records += event.nextOffset - event.firstOffset
        done.lines += event.lines
      }
      if (event.type === 'progress') {
        const lines = grouped(done.lines + event.lines)
        progress.update(done.records + event.records, `partition ${event.partition} | ${lines} lines`)
      }
      if (event.type === 'day') progress.update(done.records, `usage of ${event.day}`)
    })
  } finally {
    progress.stop()
  }
  if (report === undefined) throw new CommandError(EXIT.usage, 'The verification ended without a result.')
  return { report }
}

function isWell({ mismatch, damaged, stopped = [], configuration }: VerificationReport): boolean {
  const isComplete = mismatch === null && (configuration?.missing ?? null) === null
  return isComplete && damaged.length === 0 && stopped.length === 0
}

function jsonResult(report: VerificationReport, tookMs: number): string {
  const lines = totalOf(report, 'lines')
  return JSON.stringify({
    ok: isWell(report),
    lines,
    bytes: totalOf(report, 'bytes'),
    seconds: tookMs / 1000,
    linesPerSecond: Math.round((lines / Math.max(1, tookMs)) * 1000),
    ...report,
  })
}

const COLUMNS: readonly Column<PartitionReport>[] = [
  {
    title: 'PARTITION',
    align: 'right',
    text: row => (row.topic === KEYED_TOPIC ? `${row.partition} (keyed)` : String(row.partition)),
  },
  { title: 'RESULT', text: () => 'OK' },
  { title: 'LINES', align: 'right', text: row => grouped(row.lines) },
  { title: 'SIZE', align: 'right', text: row => byteSize(row.bytes) },
  { title: 'OFFSETS', text: row => `${row.firstOffset} to ${row.nextOffset - 1}` },
  {
    title: 'RECOMPUTED FROM (UTC)',
    text: row => (row.fromMs === 0 ? 'the beginning' : timeText(row.fromMs)),
  },
  { title: 'UP TO (UTC)', text: row => (row.untilMs === 0 ? '-' : timeText(row.untilMs)) },
]

function textResult(report: VerificationReport, tookMs: number, world: World): string[] {
  const { partitions, mismatch, lostTails = [], damaged, stopped = [], configuration } = report
  const colours = hasColours(world)
  const table = partitions.length === 0 ? [] : [...partitionLines(partitions, colours), '']
  const damage = [
    ...damaged.flatMap(part => [`DAMAGED: ${damageSentence(part)}`, '']),
    ...stopped.flatMap(partition => [stoppedLine(partition), '']),
  ]
  const missing = configurationLines(configuration)
  if (mismatch !== null) return [...table, ...damage, ...mismatchLines(mismatch, lostTails), ...missing]
  if (missing.length > 0) return [...table, ...damage, ...missing]
  if (damage.length > 0)
    return [...table, ...damage, ...remarks(partitions), 'The rest of the store agrees with the log.']
  const lines = totalOf(report, 'lines')
  const [what, rate] = [inTime(totalOf(report, 'bytes'), tookMs), perSecond(lines, tookMs)]
  return [
    ...table,
    ...usageLines(report),
    ...deliveryLines(report),
    ...remarks(partitions),
    `OK: the store agrees with the log. ${grouped(lines)} lines, ${what}: ${rate} lines/s.`,
  ]
}

function stoppedLine({ partition, sentence }: StoppedPartition): string {
  return `STOPPED: partition ${partition} does not move: ${sentence.replace(/\.$/, '')}. Nothing more of it is stored.`
}

function configurationLines(report: ConfigurationReport | undefined): string[] {
  return report === undefined || report.missing === null ? [] : [`MISMATCH: ${report.sentence}.`]
}

/** Most of many partitions are often empty. */
function partitionLines(partitions: readonly PartitionReport[], colours: boolean): string[] {
  const filled = partitions.filter(({ lines }) => lines > 0)
  const empty = partitions.length - filled.length
  return [
    ...(filled.length === 0 ? [] : tableLines(COLUMNS, filled, colours)),
    ...(empty === 0 ? [] : [`${empty} ${empty === 1 ? 'partition' : 'partitions'} without lines: OK`]),
  ]
}

function usageLines({ days }: VerificationReport): string[] {
  const closed = days.filter(({ isClosed }) => isClosed)
  const recomputed = closed.filter(({ isRecomputed }) => isRecomputed)
  if (days.length === 0) return []
  const open = days.length - closed.length
  return [
    `Usage of ${days.length} ${days.length === 1 ? 'day' : 'days'} is correct: ${recomputed.length} closed and equal to the log, ` +
      `${closed.length - recomputed.length} closed and equal to their lines, ${open} open.`,
  ]
}

function deliveryLines({ deliveries }: VerificationReport): string[] {
  if (deliveries === undefined) return []
  const { handedOver, delivered, givenUp, dropped, waiting } = deliveries
  const ends = `${grouped(delivered)} delivered, ${grouped(givenUp)} given up, ${grouped(dropped)} dropped`
  return [
    `Deliveries add up: ${grouped(handedOver)} events handed over, ${ends}, ${grouped(waiting)} waiting.`,
  ]
}

/** Parts that this verification did not check. */
function remarks(partitions: readonly PartitionReport[]): string[] {
  const fromMs = Math.max(0, ...partitions.map(partition => partition.fromMs))
  const unstored = partitions.reduce((sum, { unstoredRecords }) => sum + unstoredRecords, 0)
  return [
    ...(fromMs === 0
      ? []
      : [
          `The log begins at ${timeText(fromMs)} (UTC): for older lines, only the usage of their closed days was compared.`,
        ]),
    ...(unstored === 0
      ? []
      : [
          `${grouped(unstored)} records at the end of the log were not checked, because the engine has not stored them yet.`,
        ]),
  ]
}

function totalOf({ partitions }: VerificationReport, member: 'lines' | 'bytes'): number {
  return partitions.reduce((sum, partition) => sum + partition[member], 0)
}
