import { hash } from 'node:crypto'
import { expect } from 'vitest'
import { type LineCodec, type LineRun, lineCodec } from '../../engine/lines/line-codec.ts'
import { newLineBlock } from '../../engine/lines/native-block/line-block.ts'
import { SlottedColumns } from '../../engine/lines/native-block/slotted-columns.ts'
import { FieldNames } from '../../engine/lines/stored-line/field-names.ts'
import { newStoredLine } from '../../engine/lines/stored-line/stored-line.ts'
import { CODEC_NOW_MS, type RunCase, SLOT_CASES } from '../support/codec-cases.ts'
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
import { linesOfBothForms } from '../support/slotted-rows.ts'
import { SEQUENCES, sequenceOf } from './line-fields-contract.ts'

/**
 * Golden bytes of the second form in which lines are stored. LINE_CODEC=line-codec-slots writes them again. Names, levels
 * and forms of rows are the same in both forms, and are golden in `line-fields-contract.ts`.
 */

interface GoldenSlots extends GoldenLines {
  readonly title: string
  readonly gives: GivenSlots
}

interface GivenSlots extends FilledBlock {
  /** Base64 of a snapshot of the names. */
  readonly names: string
  /** Digest of the block that the own store makes of the lines, each with the same head. */
  readonly stored: string
}

/** Head of the lines of a block. */
const HEAD = {
  ...{
    account: 'account',
    timeMs: CODEC_NOW_MS,
    timestampMs: CODEC_NOW_MS,
    host: 'h',
    app: 'a',
    sizeBytes: 1,
  },
  ...{ file: '/f', tags: ['a', 'b'], retentionDays: 30, meta: '{"m":1}', extra: '{"_drift":7000}' },
}

const slots = goldenCases('line-codec-slots', SLOT_CASES, newSlots)

/** Promises of a codec about slotted lines. */
export const SLOT_RULES: readonly CodecRule[] = [
  everyCaseExists(slots, SLOT_CASES),
  ...ruleOfEach(slots, (codec, golden) => {
    expect(slotsOf(codec, golden)).toEqual(golden.gives)
  }),
  {
    title: 'a run in two parts gives the same result as in one',
    check(codec) {
      for (const golden of slots) {
        const parts = Math.floor(golden.lines.length / 2)
        expect(slotsOf(codec, golden, { parts }), golden.title).toEqual(golden.gives)
      }
    },
  },
  ...LAYOUTS.map(layout => ({
    title: `texts that stand ${layout.title} give the same columns`,
    check(codec: LineCodec) {
      for (const golden of slots)
        expect(slotsOf(codec, golden, { layout }), golden.title).toEqual(golden.gives)
    },
  })),
  {
    title: 'texts, fields and names are those of the other form',
    check(codec) {
      for (const golden of slots) expectEqualForms(codec, golden.title, [runOf(golden)])
    },
  },
  {
    title: 'names that several runs use and lose are those of the other form',
    check(codec) {
      for (const golden of SEQUENCES) {
        const { forms, names } = sequenceOf(codec, golden, { columns: new SlottedColumns() })
        expect({ forms, names }, golden.title).toEqual({
          forms: golden.gives.forms,
          names: golden.gives.names,
        })
      }
    },
  },
  {
    title: 'texts and fields of several runs are those of the other form',
    check(codec) {
      for (const { title, runs } of SEQUENCES)
        for (const own of Map.groupBy(runs, ({ account }) => account).values())
          expectEqualForms(
            codec,
            title,
            own.map(run => runOf(run)),
          )
    },
  },
]

/** @param runs of one account; each finds the names of those before it */
function expectEqualForms(codec: LineCodec, title: string, runs: readonly LineRun[]): void {
  const each = [new FieldNames(), new FieldNames()]
  for (const run of runs) {
    let next = 0
    const { plain, slotted, names } = linesOfBothForms(codec, run, () => each[next++] as FieldNames)
    expect(slotted, title).toEqual(plain)
    expect(names[1], title).toEqual(names[0])
  }
}

interface Filling {
  /** Rows of the first of two calls; one call when left out. */
  readonly parts?: number
  readonly layout?: Layout
}

function slotsOf(codec: LineCodec, golden: GoldenLines, { parts, layout }: Filling = {}): GivenSlots {
  const run = runOf(golden, layout)
  const names = new FieldNames()
  const columns = new SlottedColumns()
  fillParts(codec, run, names, columns, parts)
  expect(columns.rows).toBe(run.rows)
  const stored = hash('sha256', Buffer.concat(slottedBlock(codec, run, parts)))
  return { ...blockOf(columns), names: snapshotOf(names), stored }
}

/** The lines of a run, and one that was composed, as the store takes them. */
function slottedBlock(codec: LineCodec, run: LineRun, parts?: number): Uint8Array[] {
  const block = newLineBlock('slotted_lines')
  const line = { ...newStoredLine(), ...HEAD }
  for (let row = 0; row < run.rows; row++) block.appendHead(1n, row, line)
  fillParts(codec, run, new FieldNames(), block.fields, parts)
  const text = Buffer.from('{"composed":true}')
  block.append(2n, 0, { ...line, textBytes: text, textEnd: text.length, tags: [] })
  expect(block.rows).toBe(run.rows + 1)
  const { bytes } = block
  const pieces = block.take()
  expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(bytes)
  return pieces
}

function newSlots(of: RunCase): GoldenSlots {
  const input = { title: of.title, ...linesOf(of) }
  return { ...input, gives: slotsOf(lineCodec, input) }
}
