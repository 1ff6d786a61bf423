import { acceptLossCommand } from '../../engine/log/guarded-topic.ts'
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
  'Weir stores whole batches and never changes a row, so somebody wrote to the store past Weir, or the disk has ' +
  'damaged or lost data: look at who has access to the store and at the log of the system.'
const CUT_LOG =
  'Or the end of the log itself was cut off or lost, by the disk or by a copy that is not whole: then the rows are ' +
  'right, and it is the log that lacks records.'
const RESTORE =
  'What to do: keep a copy of the data folder as it is, then restore the newest backup on which "weir verify" says OK.'

/** What the kinds mean, and what to do. */
const MEANINGS: Readonly<Record<MismatchKind, readonly string[]>> = {
  rows: [LOOK_FOR, RESTORE],
  sums: [
    'The store differs from the log, and a second look at the stretch did not find the record: the checkpoint that the ' +
      'second look began at says the same as the store, or the disk gave something else than at the first look.',
    LOOK_FOR,
    RESTORE,
  ],
  'lost-tail': [
    'These records are known of, by checkpoints, by the store or by the data folder, and the end of the log that had ' +
      'them is gone: a disk lost what it had confirmed, or a copy of log/ is older than the rest. Nothing is taken there.',
    'What to do: put the log back from where it is whole. Otherwise accept the loss:',
  ],
  'beyond-log': [
    'The store has rows of records that are not on the log: the end of the log was cut off, or lost by the disk; the ' +
      'log was put back from an older copy than the store; or the rows were written past Weir.',
    'What to do: keep a copy of the data folder as it is, then restore log and store from one and the same backup.',
  ],
  'no-partition': ['No such partition stores lines: the rows were written past Weir.', RESTORE],
  usage: [
    'Usage of a closed day is copied from its lines once and never changes: the copy, or the lines, were changed ' +
      'past Weir.',
    RESTORE,
  ],
  'closed-early': [
    'Usage of a day is copied when the day is over: these rows were written past Weir, or the clock of the machine ' +
      'was far ahead at the time.',
    RESTORE,
  ],
  projection: [
    'The rows themselves are as they should be, and answers of usage would differ from them: the part was changed ' +
      'past Weir.',
    'What to do: with access to the engine, ALTER TABLE lines MATERIALIZE PROJECTION usage; otherwise restore a backup.',
  ],
}

/**
 * The first mismatch, for people.
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

/** Rows too many may have been stored by records that the log has lost. */
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
  if (kind === 'beyond-log') return `rows of ${table} beyond the end of the log`
  if (kind === 'sums') return `rows of ${table} that do not add up to what the log says`
  if (kind === 'no-partition') return `rows of ${table} that belong to no partition`
  if (kind === 'closed-early') return 'usage of a day that is not over'
  if (kind === 'usage') return 'usage of a closed day that is not what its lines say'
  if (kind === 'projection') return 'a usage projection that is not what its rows say'
  if (found.rows < expected.rows) return `rows of ${table} are missing`
  if (found.rows > expected.rows) return `rows of ${table} that the log does not tell of`
  return `rows of ${table} are not what the log says`
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
