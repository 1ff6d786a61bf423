import { expect } from 'vitest'
import { fillAll, type LineCodec, type LineRun, lineCodec } from '../../engine/lines/line-codec.ts'
import { FieldColumns } from '../../engine/lines/native-block/field-columns.ts'
import type { LineColumns } from '../../engine/lines/native-block/line-block.ts'
import { nativeBlock } from '../../engine/lines/native-block/native-block.ts'
import { SlottedColumns } from '../../engine/lines/native-block/slotted-columns.ts'
import { FieldNames } from '../../engine/lines/stored-line/field-names.ts'
import { OWN_MEMBERS } from '../../engine/lines/stored-line/line-members.ts'
import type { CodecMemory } from '../../engine/lines/wasm/codec-memory.ts'
import { WasmCodec } from '../../engine/lines/wasm/wasm-codec.ts'
import { DAY_MS } from '../../engine/times/duration.ts'
import type { LineTable } from '../../schemas/log/tables.ts'
import { type Dice, newDice } from './dice.ts'
import { drawnLine, variedLine } from './drawn-lines.ts'

const ACCOUNTS = 5
const MAX_ROWS = 60
/** Runs after which the columns are taken. */
const RUNS_PER_BLOCK = 5
const GUARD = 0xa5
const SENT_LEVELS = ['', '', '', 'info', ' Warn', 'Notice', '  ', 'ß']
const APPS = ['shop', 'shop', 'shop', 'info', 'é中', '']
const OWN = Object.values(OWN_MEMBERS)

/** Result of one codec for the same runs. */
interface Side {
  readonly codec: LineCodec
  readonly columns: LineColumns
  readonly names: FieldNames[]
}

/** Makes empty columns of the form that is compared. */
export type NewColumns = () => LineColumns

export const FUZZED_COLUMNS: Readonly<Record<LineTable, NewColumns>> = {
  lines: () => new FieldColumns(),
  slotted_lines: () => new SlottedColumns(),
}

/**
 * Compares the codec in WebAssembly with the complete rules: columns, forms and names of fields, on drawn runs of several
 * accounts and days. Before some runs, its memory is filled with nonsense.
 *
 * @returns shares of rows, to show that neither way is left out
 */
export function fuzzCodec(
  seed: number,
  lines: number,
  newColumns: NewColumns = FUZZED_COLUMNS.lines,
): { readonly lines: number; readonly fellBack: number } {
  const dice = newDice(seed)
  // Half of them try every row, the others leave accounts alone whose rows fall back.
  const wasm = seed % 2 === 0 ? new WasmCodec(0) : new WasmCodec()
  for (const guard of wasm.memory.guards()) guard.fill(GUARD)
  const sides = [newSide(lineCodec, newColumns()), newSide(wasm, newColumns())]
  let timeMs = 20_000 * DAY_MS
  let rows = 0
  for (let number = 1; rows < lines; number++) {
    const run = drawnRun(dice, timeMs)
    const account = dice.below(ACCOUNTS)
    overwrite(wasm.memory, dice)
    const results = sides.map(side => filled(side, run, account))
    expect(results[1], `run ${number}`).toEqual(results[0])
    for (const guard of wasm.memory.guards()) expect(guard.every(byte => byte === GUARD)).toBe(true)
    if (number % RUNS_PER_BLOCK === 0) expectEqualBlocks(sides, `before run ${number + 1}`)
    if (dice.chance(0.02)) timeMs += DAY_MS
    if (dice.chance(0.02)) restore(sides, account)
    rows += run.rows
  }
  expectEqualBlocks(sides, 'at the end')
  return { lines: rows, fellBack: wasm.fallenBackRows }
}

function newSide(codec: LineCodec, columns: LineColumns): Side {
  const names = Array.from({ length: ACCOUNTS }, () => new FieldNames())
  return { codec, columns, names }
}

/** @returns the names of the account after the run, and the first line that lost one */
function filled({ codec, columns, names }: Side, run: LineRun, account: number) {
  const known = names[account] as FieldNames
  known.beginRun()
  fillAll(codec, run, known, columns)
  return { names: Buffer.from(known.snapshot()).toString(), full: known.takeFull() }
}

/** A block is compared as a whole; only where it differs is it searched for the row. */
function expectEqualBlocks(sides: readonly Side[], when: string): void {
  const [expected, given] = sides.map(({ columns }) => {
    const forms = Buffer.from(columns.forms)
    const sizes = columns.named().map(([, , column]) => column.bytes)
    const block = Buffer.concat(nativeBlock(columns.named(), columns.rows))
    columns.clear()
    return { forms, sizes, block }
  })
  expect(given?.forms.equals(expected?.forms ?? Buffer.alloc(0)), `forms ${when}`).toBe(true)
  expect(given?.sizes, `sizes ${when}`).toEqual(expected?.sizes)
  expect(given?.block.equals(expected?.block ?? Buffer.alloc(0)), `columns ${when}`).toBe(true)
}

function restore(sides: readonly Side[], account: number): void {
  for (const { names } of sides)
    names[account] = FieldNames.restore((names[account] as FieldNames).snapshot())
}

/** Fills the memory of the last call; the names that the codec knows stay. */
function overwrite({ bytes, layout }: CodecMemory, dice: Dice): void {
  if (dice.chance(0.5)) return // It contains lines of another account.
  const byte = dice.pick([0x00, 0xff, 0x22, 0x7d])
  const regions = [
    'INPUT',
    'STARTS',
    'ENDS',
    'OWN',
    'LEVELS',
    'APPS',
    'APP_LENGTHS',
    'APP_TEXTS',
    'FORMS',
    'TEXT_ENDS',
    'NUMBER_ENDS',
    'TEXT_NAMES',
  ] as const
  const further = ['TEXT_VALUES', 'NUMBER_NAMES', 'NUMBER_VALUES', 'OPEN_KEYS'] as const
  const slots = ['SHAPES', 'SLOT_COUNTS', 'SPANS', 'SLOT_TEXTS', 'SLOT_TEXT_ENDS', 'SHAPE_KEY'] as const
  const last = ['SHAPE_NAMES', 'NAMES'] as const
  const all = [...regions, ...further, ...slots, ...last]
  for (let index = 0; index + 1 < all.length; index++) {
    if (all[index] === 'APP_TEXTS') continue // They stay between calls, as names do.
    const next = layout[all[index + 1] as (typeof all)[number]]
    bytes.fill(byte, layout[all[index] as (typeof all)[number]], next - layout.GUARD_BYTES)
  }
}

function drawnRun(dice: Dice, timeMs: number): LineRun {
  // Accounts mostly send lines of few forms, so some are sent again.
  const forms = Array.from({ length: 1 + dice.below(MAX_ROWS) }, () => drawnLine(dice))
  // Such lines follow each other, as they are or with other values.
  let form = dice.pick(forms)
  const texts = Array.from({ length: 1 + dice.below(MAX_ROWS) }, () => {
    if (dice.chance(0.5)) form = dice.pick(forms)
    return dice.chance(0.5) ? form : variedLine(form, dice)
  })
  const parts: Buffer[] = []
  const starts: number[] = []
  const ends: number[] = []
  let at = 0
  for (const text of texts) {
    const gap = Buffer.alloc(dice.below(3), dice.pick(['"', '}', ',']))
    parts.push(gap, text)
    starts.push(at + gap.length)
    at += gap.length + text.length
    ends.push(at)
  }
  const knowsMuch = dice.chance(0.2)
  return {
    account: 'account',
    rows: texts.length,
    bytes: Buffer.concat(parts),
    starts,
    ends,
    sentLevels: texts.map(() => dice.pick(SENT_LEVELS)),
    apps: texts.map(() => dice.pick(APPS)),
    own: texts.map(() =>
      knowsMuch ? OWN.reduce<number>((sum, bit) => sum + (dice.chance(0.5) ? bit : 0), 0) : 0,
    ),
    timeMs,
    isExact: dice.chance(0.8),
  }
}
