import { acceptLossCommand, OLDER_CONFIGURATION } from '../../engine/log/guarded-topic.ts'
import type { Mismatch, MismatchKind, MismatchSide } from '../../engine/replay/verify/verification-report.ts'
import { grouped } from './byte-size.ts'
import { type Column, printable, tableLines } from './table.ts'

interface SideRow extends MismatchSide {
  readonly side: string
}

const COLUMNS: readonly Column<SideRow>[] = [
  { title: '', text: row => row.side },
  { title: 'ROWS', align: 'right', text: row => grouped(row.rows) },
  { title: 'BYTES', align: 'right', text: row => grouped(row.bytes) },
  { title: 'DIGEST', text: row => row.digest || '-' },
]

const LOOK_FOR =
  'Weir stores whole batches and never changes a row. So the store was changed without Weir, or the disk has ' +
  'damaged or lost data: check who has access to the store, and the log of the system.'
const CUT_LOG =
  'Or the end of the log itself was cut off or lost, by the disk or by an incomplete copy: then the rows are ' +
  'correct, and the log lacks records.'
const RESTORE =
  'Remedy: keep a copy of the data folder as it is, then restore the newest backup on which "weir verify" says OK.'

/** Meaning of each kind, and the remedy. */
const MEANINGS: Readonly<Record<MismatchKind, readonly string[]>> = {
  rows: [LOOK_FOR, RESTORE],
  sums: [
    'The store differs from the log, but a second check of the stretch did not find the record. The checkpoint at which the ' +
      'second check began agrees with the store, or the disk returned other data than at the first check.',
    LOOK_FOR,
    RESTORE,
  ],
  'lost-tail': [
    'Checkpoints, the store or the data folder know these records, but the end of the log that contained ' +
      'them is missing: a disk lost confirmed data, or a copy of log/ is older than the rest. Nothing is accepted there.',
    `${OLDER_CONFIGURATION}.`,
    'Remedy: restore the log from a complete copy. Otherwise accept the loss:',
  ],
  'older-store': [
    'The newest checkpoint was written when these records were stored, and the store is a copy from before that. A start stores ' +
      'those of them again that the log still contains. Where the log does not reach back that far the start of the partition is refused, ' +
      'and /readyz names the records that are missing.',
    'Remedy: start the service, or put the newest copy of the store in its place.',
  ],
  'beyond-log': [
    'The store has rows of records that are not on the log. The end of the log was cut off, or lost by the disk; the ' +
      'log was restored from an older copy than the store; or the rows were written without Weir.',
    'Remedy: keep a copy of the data folder as it is, then restore log and store from the same backup.',
  ],
  'no-partition': ['This partition does not store lines: the rows were written without Weir.', RESTORE],
  usage: [
    'Usage of a closed day is copied from its lines once and never changes: the copy, or the lines, were changed ' +
      'without Weir.',
    RESTORE,
  ],
  'closed-early': [
    'Usage of a day is copied when the day is over: these rows were written without Weir, or the clock of the machine ' +
      'was far ahead at the time.',
    RESTORE,
  ],
  filter: [
    'The lines themselves are correct, but searches by words do not find them: rows of the table word_filters are lost.',
    'Remedy: start the service again. It notices lost filters, and reads the lines of that day without them.',
  ],
  deliveries: [
    'Handed over = delivered + given up + dropped + waiting must hold for each destination, and the log gives these counts. A checkpoint ' +
      'of the outbox or a running engine has others: the log or the checkpoints were changed without Weir, or Weir has a fault.',
    RESTORE,
  ],
  projection: [
    'The rows themselves are correct, but answers of usage would differ from them: the part was changed ' +
      'without Weir.',
    'Remedy: with access to the engine, ALTER TABLE lines MATERIALIZE PROJECTION usage; otherwise restore a backup.',
  ],
}

/**
 * Text for the first mismatch.
 *
 * @param lostTails  of all partitions that have lost their ends
 */
export function mismatchLines(mismatch: Mismatch, lostTails: readonly Mismatch[]): string[] {
  const { expected, found, columns } = mismatch
  const sides: readonly SideRow[] = [
    { side: 'expected', ...expected },
    { side: 'found', ...found },
  ]
  return [
    ...[mismatch, ...lostTails.slice(1)].map(one => `MISMATCH: ${whatOf(one)} (${placeOf(one)}).`),
    '',
    ...tableLines(COLUMNS, sides, false),
    ...(columns.length === 0 ? [] : [`Columns that differ: ${columns.join(', ')}`]),
    '',
    ...meaningOf(mismatch),
    ...lostTails.slice(1).map(one => `  ${commandFor(one)}`),
  ]
}

/** Surplus rows may stem from records that the log has lost. */
function meaningOf({ kind, expected, found, ...place }: Mismatch): readonly string[] {
  if (kind === 'lost-tail') return [...MEANINGS[kind], `  ${commandFor(place)}`]
  if (kind === 'rows' && found.rows > expected.rows) return [LOOK_FOR, CUT_LOG, RESTORE]
  return MEANINGS[kind]
}

function commandFor({
  where,
  partition,
  firstOffset,
  lastOffset,
}: Omit<Mismatch, 'kind' | 'expected' | 'found'>) {
  const [from, to] = [BigInt(firstOffset ?? 0), BigInt(lastOffset ?? 0)]
  return acceptLossCommand({ topic: String(where.topic), partition: partition ?? 0, from, to })
}

function whatOf({ kind, table, expected, found }: Mismatch): string {
  if (kind === 'lost-tail') return 'the log has lost records at its end'
  if (kind === 'older-store') return 'the store is an older copy, and lacks records'
  if (kind === 'beyond-log') return `rows of ${table} beyond the end of the log`
  if (kind === 'sums') return `rows of ${table} whose sum differs from the log`
  if (kind === 'no-partition') return `rows of ${table} that belong to no partition`
  if (kind === 'closed-early') return 'usage of a day that is not over'
  if (kind === 'usage') return 'usage of a closed day that differs from its lines'
  if (kind === 'filter') return 'lines without the filter of their words'
  if (kind === 'deliveries') return 'counts of deliveries that differ from the log'
  if (kind === 'projection') return 'a usage projection that differs from its rows'
  if (found.rows < expected.rows) return `rows of ${table} are missing`
  if (found.rows > expected.rows) return `rows of ${table} that the log does not contain`
  return `rows of ${table} differ from the log`
}

function placeOf({ partition, firstOffset, lastOffset, hour, day, where }: Mismatch): string {
  const offsets =
    firstOffset === lastOffset ? `offset ${firstOffset}` : `offsets ${firstOffset} to ${lastOffset}`
  return [
    ...(partition === null ? [] : [`partition ${partition}`]),
    ...(firstOffset === null ? [] : [offsets]),
    ...(hour === null ? [] : [`hour of ${hour.slice(0, 16).replace('T', ' ')} UTC`]),
    ...(day === null ? [] : [`day ${day}`]),
    ...Object.entries(where).map(([name, value]) => `${name} "${printable(value)}"`),
  ].join(', ')
}
