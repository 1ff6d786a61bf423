import { expect } from 'vitest'
import { LineBatchBuilder } from '../../engine/lines/columns/line-batch-builder.ts'
import { BodyError } from '../../engine/lines/scan/body-error.ts'
import { LineReader } from '../../engine/lines/scan/line-reader.ts'
import { timeBounds } from '../../engine/lines/scan/timestamp.ts'
import type { ScanMemory } from '../../engine/lines/wasm/scan-memory.ts'
import { WasmScanner } from '../../engine/lines/wasm/wasm-scanner.ts'
import { finish } from '../../engine/steps.ts'
import { lineBatchType } from '../../schemas/log/line-batch.ts'
import { type Dice, newDice } from './dice.ts'
import { DRAWN_NOW_MS, drawnBody, drawnChunks } from './drawn-bodies.ts'

const BOUNDS = timeBounds(DRAWN_NOW_MS, 30)
const FACTS = {
  ...{ hostname: 'h', mac: '', ip: '', remoteAddress: '', tags: [], receivedAtMs: DRAWN_NOW_MS },
  ...{ driftMs: null, idempotency: null },
}
const GUARD = 0xa5
const LIMIT_BYTES = 2_097_152

export interface ScannedShares {
  readonly bodies: number
  /** Bodies that the scanner in WebAssembly has read. */
  readonly scanned: number
  /** Bodies that only the scanner in TypeScript has read. */
  readonly left: number
}

interface Reading {
  readonly isScanned: boolean
  /** Record with the lines; null: the body was refused. */
  readonly record: Buffer | null
  /** Result without the form of the record. */
  readonly gives: unknown
}

/**
 * Compares the scanner in WebAssembly with the one in TypeScript and with the complete rules, on drawn bodies. Before some bodies,
 * the memory of the scanner is filled with nonsense.
 */
export function fuzzScan(seed: number, bodies: number): ScannedShares {
  const dice = newDice(seed)
  const scanner = new WasmScanner()
  for (const guard of scanner.memory.guards()) guard.fill(GUARD)
  const readers = { wasm: new LineReader(scanner), typescript: new LineReader() }
  let scanned = 0
  let left = 0
  for (let number = 1; number <= bodies; number++) {
    const body = drawnBody(dice)
    const limitBytes = dice.chance(0.02) ? body.length + dice.below(200) : LIMIT_BYTES
    const title = `body ${number}: ${body.toString('latin1', 0, 2_000)}`
    overwrite(scanner.memory, dice)
    const given = read(readers.wasm, drawnChunks(body, dice), limitBytes)
    const other = read(readers.typescript, [body], limitBytes)
    const complete = read(readers.typescript, [body], limitBytes, true)
    expect(given.gives, title).toEqual(complete.gives)
    expect(other.gives, title).toEqual(complete.gives)
    if (given.isScanned && other.isScanned)
      expect(given.record?.equals(other.record as Buffer), title).toBe(true)
    for (const guard of scanner.memory.guards())
      expect(
        guard.every(byte => byte === GUARD),
        title,
      ).toBe(true)
    if (given.isScanned) scanned++
    else if (other.isScanned) left++
  }
  return { bodies, scanned, left }
}

function read(
  reader: LineReader,
  chunks: readonly Buffer[],
  limitBytes: number,
  isComplete = false,
): Reading {
  const batch = new LineBatchBuilder()
  let isScanned = false
  reader.load(chunks)
  try {
    const { filled } = batch.addRequest(() => {
      const scanned = isComplete ? undefined : reader.scanLines(batch, BOUNDS, null, limitBytes)
      isScanned = scanned !== undefined
      if (!isScanned) expect(batch.bytes).toBe(new LineBatchBuilder().bytes)
      const lines = scanned ?? finish(reader.parsingLines(batch, BOUNDS, null, limitBytes))
      return { facts: FACTS, lines }
    })
    const record = batch.encode('account', 'ingest')
    const { count, refused, retimed } = filled.lines
    return { isScanned, record, gives: { count, refused, retimed, ...contentsOf(record) } }
  } catch (error) {
    if (!(error instanceof BodyError)) throw error
    return { isScanned, record: null, gives: error.fault }
  }
}

/** All parts of a record that readers of it can see; the order of its dictionary has no meaning. */
function contentsOf(record: Buffer): object {
  const { dictionary, hostIndex, appIndex, levelIndex, envIndex, fileIndex, ...columns } =
    lineBatchType.decode(record)
  const words = [hostIndex, appIndex, levelIndex, envIndex, fileIndex].map(column => {
    const bytes = Buffer.from(column)
    return Array.from({ length: bytes.length / 4 }, (_, row) => dictionary[bytes.readUInt32LE(row * 4)])
  })
  // Long texts compare much faster than buffers.
  const texts = Object.entries(columns).map(([name, column]) => [
    name,
    Buffer.isBuffer(column) ? column.toString('latin1') : column,
  ])
  return { columns: Object.fromEntries(texts), words, known: dictionary.toSorted() }
}

/** Fills the memory of the last body; otherwise it contains lines of that one. */
function overwrite({ bytes, layout }: ScanMemory, dice: Dice): void {
  if (dice.chance(0.6)) return
  const byte = dice.pick([0x00, 0xff, 0x22, 0x5c, 0x7d])
  const regions = ['LINES', 'METAS', 'RESTS', 'HOSTS', 'APPS', 'LEVELS', 'ENVS', 'FILES', 'TIMES'] as const
  const further = ['TIME_KINDS', 'WORDS', 'SLOTS', 'WORD_TEXTS', 'BODY', 'MEMORY_END'] as const
  const all = [...regions, ...further]
  for (let index = 0; index + 1 < all.length; index++) {
    const start = layout[all[index] as (typeof all)[number]]
    const end = layout[all[index + 1] as (typeof all)[number]] - layout.GUARD_BYTES
    // The beginning and the end of a long region; its middle is seldom reached.
    bytes.fill(byte, start, Math.min(end, start + FILLED_BYTES))
    bytes.fill(byte, Math.max(start, end - FILLED_BYTES), end)
  }
}

const FILLED_BYTES = 4_096
