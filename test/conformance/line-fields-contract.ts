import { expect } from 'vitest'
import { fillAll, type LineCodec, lineCodec } from '../../engine/lines/line-codec.ts'
import { FieldColumns } from '../../engine/lines/native-block/field-columns.ts'
import type { LineColumns } from '../../engine/lines/native-block/line-block.ts'
import { FieldNames } from '../../engine/lines/stored-line/field-names.ts'
import { RUN_CASES, type RunCase, SEQUENCE_CASES, type SequenceCase } from '../support/codec-cases.ts'
import { type CodecRule, everyCaseExists, ruleOfEach } from '../support/codec-rules.ts'
import { goldenCases } from '../support/golden-cases.ts'
import {
  blockOf,
  type FilledBlock,
  fillParts,
  type GoldenLines,
  LAYOUTS,
  type Layout,
  linesOf,
  runOf,
  snapshotOf,
} from '../support/golden-runs.ts'

/** Golden level and fields that every codec makes of texts of lines. */

interface GoldenRun extends GoldenLines {
  readonly title: string
  readonly gives: FilledBlock & GivenNames
}

/** Names of an account after a run. */
interface GivenNames {
  /** Base64 of a snapshot of the names. */
  readonly names: string
  /** First line of the run with a name that was left out; null: none, or an earlier one was reported that day. */
  readonly full: number | null
}

/** Runs of several accounts and days, into the same columns. */
export interface GoldenSequence {
  readonly title: string
  readonly runs: readonly (GoldenLines & { readonly account: number })[]
  readonly gives: FilledBlock & { readonly names: readonly GivenNames[] }
}

const runs = goldenCases('line-codec-fields', RUN_CASES, newRun)
export const SEQUENCES = goldenCases('line-codec-sequences', SEQUENCE_CASES, newSequence)

/** Promises of a codec about the fields of lines. */
export const FIELD_RULES: readonly CodecRule[] = [
  everyCaseExists(runs, RUN_CASES),
  everyCaseExists(SEQUENCES, SEQUENCE_CASES),
  ...ruleOfEach(runs, (codec, golden) => {
    expect(fieldsOf(codec, golden)).toEqual(golden.gives)
  }),
  ...ruleOfEach(SEQUENCES, (codec, golden) => {
    expect(sequenceOf(codec, golden)).toEqual(golden.gives)
  }),
  {
    title: 'a run in two parts gives the same result as in one',
    check(codec) {
      for (const golden of runs) {
        const parts = Math.floor(golden.lines.length / 2)
        expect(fieldsOf(codec, golden, { parts }), golden.title).toEqual(golden.gives)
      }
    },
  },
  ...LAYOUTS.map(layout => ({
    title: `texts that stand ${layout.title} give the same columns`,
    check(codec: LineCodec) {
      for (const golden of runs)
        expect(fieldsOf(codec, golden, { layout }), golden.title).toEqual(golden.gives)
    },
  })),
  {
    title: 'a call appends the rows before the one that falls back, and no other',
    check(codec) {
      for (const golden of runs) {
        const columns = new FieldColumns()
        const names = new FieldNames()
        names.beginRun()
        fillAll(countingRows(codec), runOf(golden), names, columns)
        expect(blockOf(columns).block, golden.title).toBe(golden.gives.block)
      }
    },
  },
  {
    title: 'names that were restored from a snapshot are the same',
    check(codec) {
      for (const golden of SEQUENCES)
        expect(sequenceOf(codec, golden, { isRestored: true }), golden.title).toEqual(golden.gives)
    },
  },
  {
    title: 'columns that were emptied are filled in the same way',
    check(codec) {
      const columns = new FieldColumns()
      for (const golden of runs) {
        expect(fieldsOf(codec, golden, { columns }), golden.title).toEqual(golden.gives)
        columns.clear()
      }
    },
  },
]

interface Filling {
  /** Rows of the first of two calls; one call when left out. */
  readonly parts?: number
  readonly layout?: Layout
  readonly columns?: LineColumns
}

function fieldsOf(
  codec: LineCodec,
  golden: GoldenLines,
  { parts, layout, columns = new FieldColumns() }: Filling = {},
): GoldenRun['gives'] {
  const names = new FieldNames()
  names.beginRun()
  fillParts(codec, runOf(golden, layout), names, columns, parts)
  expect(columns.rows).toBe(golden.lines.length)
  return { ...blockOf(columns), ...namesOf(names) }
}

/**
 * Fills columns with the lines of several runs.
 *
 * @param isRestored  whether each run finds its names restored from a snapshot
 */
export function sequenceOf(
  codec: LineCodec,
  { runs: all }: Pick<GoldenSequence, 'runs'>,
  { isRestored = false, columns = new FieldColumns() as LineColumns } = {},
): GoldenSequence['gives'] {
  const accounts = new Map<number, FieldNames>()
  const names = all.map(run => {
    const known = accounts.get(run.account) ?? new FieldNames()
    const used = isRestored ? FieldNames.restore(known.snapshot()) : known
    accounts.set(run.account, used)
    used.beginRun()
    fillAll(codec, runOf(run), used, columns)
    return namesOf(used)
  })
  return { ...blockOf(columns), names }
}

function namesOf(names: FieldNames): GivenNames {
  const snapshot = snapshotOf(names)
  return { names: snapshot, full: names.takeFull() ?? null }
}

/** The codec, whose calls must append as many rows as they say. */
function countingRows(codec: LineCodec): LineCodec {
  return {
    newReader: () => codec.newReader(),
    fill(run, from, names, columns) {
      const before = columns.rows
      const row = codec.fill(run, from, names, columns)
      expect(columns.rows - before).toBe(row - from)
      return row
    },
  }
}

function newRun(of: RunCase): GoldenRun {
  const input = { title: of.title, ...linesOf(of) }
  return { ...input, gives: fieldsOf(lineCodec, input) }
}

function newSequence({ title, runs: all }: SequenceCase): GoldenSequence {
  const input = { title, runs: all.map(({ account = 0, ...run }) => ({ account, ...linesOf(run) })) }
  return { ...input, gives: sequenceOf(lineCodec, input) }
}
