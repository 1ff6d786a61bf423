import { describe, expect, test } from 'vitest'
import { LineBatchBuilder } from '../columns/line-batch-builder.ts'
import type { BodyScanner, ScannedLines } from '../scan/body-scanner.ts'
import { ByteScanner } from '../scan/byte-scanner.ts'
import { timeBounds } from '../scan/timestamp.ts'
import { WasmScanner } from './wasm-scanner.ts'

const NOW_MS = 1_795_000_000_000
const BOUNDS = timeBounds(NOW_MS, 30)
const FACTS = {
  ...{ hostname: 'h', mac: '', ip: '', remoteAddress: '', tags: [], receivedAtMs: NOW_MS },
  ...{ driftMs: null, idempotency: null },
}

function bodyOf(lines: readonly (string | object)[]): Buffer {
  return Buffer.from(JSON.stringify({ lines }))
}

function rows<Row>(count: number, row: (number: number) => Row): Row[] {
  return Array.from({ length: count }, (_, number) => row(number))
}

/** The record with a line that was there before and those of the body; undefined: it was not read. */
function scanned(
  scanner: BodyScanner,
  body: Buffer,
  spareBytes = 1_000_000,
): { lines: ScannedLines; record: Buffer } | undefined {
  const batch = new LineBatchBuilder()
  scanner.load([body])
  const { filled } = batch.addRequest(() => {
    batch.addEvent('before', NOW_MS)
    const before = batch.bytes
    const lines = scanner.scan(batch, BOUNDS, spareBytes)
    if (lines === undefined) expect([batch.count, batch.bytes]).toEqual([1, before])
    return { facts: FACTS, lines }
  })
  return filled.lines && { lines: filled.lines, record: batch.encode('account', 'ingest') }
}

/** Expects the record of the scanner in TypeScript. @returns number of parts in which the body was read */
function partsOf(body: Buffer, scanner = new WasmScanner()): number {
  const { scan } = scanner.memory.exports
  let parts = 0
  const counting = {
    ...scanner.memory.exports,
    scan: () => {
      parts++
      return scan()
    },
  }
  const restore = scanner.memory.exports
  Object.defineProperty(scanner.memory, 'exports', { value: counting, configurable: true, writable: true })
  const given = scanned(scanner, body)
  Object.defineProperty(scanner.memory, 'exports', { value: restore, configurable: true, writable: true })
  const expected = scanned(new ByteScanner(), body)
  expect(given).toBeDefined()
  expect(given?.lines).toEqual(expected?.lines)
  expect(given?.record.equals(expected?.record ?? Buffer.alloc(0))).toBe(true)
  return parts
}

describe('a body that does not fit into the columns at once is read in parts', () => {
  const { MAX_ROWS, MAX_WORDS } = new WasmScanner().memory.layout

  test.each([
    ['as many lines as fit', bodyOf(rows(MAX_ROWS, row => `line ${row}`)), 1],
    ['one line more', bodyOf(rows(MAX_ROWS + 1, row => `line ${row}`)), 2],
    [
      'long texts',
      bodyOf(rows(100, row => ({ line: `${row} ${'x'.repeat(16_000)}`, app: `app ${row % 3}` }))),
      2,
    ],
    ['long meta', bodyOf(rows(40, row => ({ line: `${row}`, meta: { m: 'x'.repeat(32_000) } }))), 3],
    ['many words', bodyOf(rows(2 * MAX_WORDS, row => ({ line: 'x', app: `app ${row}`, level: 'info' }))), 3],
    [
      'long words with escapes',
      bodyOf(
        rows(40, row => ({ line: 'x', file: `\n${row}${'f'.repeat(2_000)}`, env: `"${'e'.repeat(1_500)}` })),
      ),
      3,
    ],
  ])('%s', (_title, body, parts) => {
    expect(partsOf(body)).toBe(parts)
  })

  test('meta and rare members that begin in a later line of a part', () => {
    const late = { meta: { a: 1 }, timestamp: 'soon' }
    expect(partsOf(bodyOf([...rows(300, () => 'x'), { line: 'y', ...late }, 'z']))).toBe(1)
    expect(partsOf(bodyOf([...rows(MAX_ROWS + 300, () => 'x'), { line: 'y', ...late }, 'z']))).toBe(2)
  })

  test('if its end is damaged, nothing is left of its first parts', () => {
    const body = bodyOf(rows(3 * MAX_ROWS, row => ({ line: `line ${row}`, app: `app ${row % 50}` })))
    expect(scanned(new WasmScanner(), body.subarray(0, -1))).toBeUndefined()
    expect(scanned(new WasmScanner(), Buffer.concat([body, Buffer.from('x')]))).toBeUndefined()
  })
})

describe('escapes around the limit of a text', () => {
  const withEscape = (bytesBefore: number, escaped: string) =>
    Buffer.from(`{"lines":[{"line":"${'x'.repeat(bytesBefore)}${escaped} and more","app":"a"}]}`)

  test.each(['\\n', '\\"', '\\\\', '\\/', '\\u00e9', '\\ud83d\\ude00', '\\ud83d'])('%s is read', escaped => {
    for (let bytes = 16_366; bytes < 16_402; bytes++) expect(partsOf(withEscape(bytes, escaped))).toBe(1)
  })

  test.each(['\\x', '\\u00g0', '\\', '\\\\"]}', '\u0001', '\\\t'])('%j is not an escape', escaped => {
    const scanner = new WasmScanner()
    for (let bytes = 16_366; bytes < 16_402; bytes++)
      expect(scanned(scanner, withEscape(bytes, escaped))).toBeUndefined()
  })
})

test('words that share a slot are read, in more parts if they are many', () => {
  const scanner = new WasmScanner()
  const { bytes, exports, layout } = scanner.memory
  const slotOf = (text: string) => exports.slotOf(layout.BODY, bytes.write(text, layout.BODY))
  const sharing: string[] = []
  for (let number = 0; sharing.length < 100; number++)
    if (slotOf(`app ${number}`) === 7) sharing.push(`app ${number}`)
  const parts = partsOf(
    bodyOf(sharing.map((app, row) => ({ line: 'x', level: 'info', env: `env ${row}`, app }))),
    scanner,
  )
  expect(parts).toBeGreaterThan(2)
  expect(parts).toBeLessThan(6)
})

test('a body beyond the memory is left to the complete rules, and the next one is read', () => {
  const scanner = new WasmScanner()
  const { BODY_BYTES } = scanner.memory.layout
  const withBytes = (length: number) =>
    Buffer.concat([Buffer.from('{"lines":["x"]}'), Buffer.alloc(length - 15, ' ')])
  expect(scanned(scanner, withBytes(BODY_BYTES))).toBeDefined()
  const tooLong = withBytes(BODY_BYTES + 1)
  expect(scanned(scanner, tooLong)).toBeUndefined()
  expect(scanner.body.equals(tooLong)).toBe(true)
  expect(partsOf(bodyOf(['x']), scanner)).toBe(1)
})

test('bodies of the largest limit fit into the memory', () => {
  expect(new WasmScanner().memory.layout.BODY_BYTES).toBe(12 * 1024 * 1024)
})

test.each(['""', '{"line":""}'])('lines %s are left to the complete rules if they are too many', line => {
  const bytes = 64 - line.length
  const linesOf = (count: number, spareBytes: number, scanner: BodyScanner) =>
    scanned(scanner, Buffer.from(`{"lines":[${rows(count, () => line).join()}]}`), spareBytes)?.lines
  for (const scanner of [new WasmScanner(), new ByteScanner()]) {
    expect(linesOf(3, 3 * bytes + 5, scanner)).toEqual({ count: 3, retimed: 0, spareBytes: 5 })
    expect(linesOf(3, 3 * bytes - 1, scanner)).toBeUndefined()
  }
})

test('a body before its first load is empty', () => {
  expect(new WasmScanner().body.length).toBe(0)
})

test('bytes of the previous body do not belong to the next one', () => {
  const scanner = new WasmScanner()
  const long = bodyOf(['a line that is longer', 'another one'])
  for (let length = 0; length < long.length; length++) {
    expect(scanned(scanner, long)).toBeDefined()
    expect(scanned(scanner, long.subarray(0, length)), `${length} bytes`).toBeUndefined()
  }
})
