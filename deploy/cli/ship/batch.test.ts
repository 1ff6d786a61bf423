import { describe, expect, test } from 'vitest'
import { Batch, type LineOptions, MAX_BATCH_BYTES, MAX_BATCH_LINES } from './batch.ts'

const OPTIONS: LineOptions = { app: 'web', keepEmpty: false }

function add(batch: Batch, text: string | Buffer, endOffset = 0): boolean {
  const buffer = Buffer.from(text)
  return batch.add(buffer, 0, buffer.length, endOffset)
}

function lines(batch: Batch): Record<string, unknown>[] {
  return (JSON.parse(batch.body()) as { lines: Record<string, unknown>[] }).lines
}

describe('a batch', () => {
  test('carries the text and the common values of all lines, and omits those that were not given', () => {
    const batch = new Batch({
      app: 'web',
      level: 'info',
      env: undefined,
      file: '/var/log/"odd"',
      keepEmpty: false,
    })
    add(batch, 'a "quoted" line\t\u0001')
    expect(lines(batch)).toEqual([
      { line: 'a "quoted" line\t\u0001', app: 'web', level: 'info', file: '/var/log/"odd"' },
    ])
  })

  test('contains 5,000 lines and not one more', () => {
    const batch = new Batch(OPTIONS)
    for (let count = 0; count < MAX_BATCH_LINES; count++) expect(add(batch, 'x')).toBe(true)
    expect(add(batch, 'x')).toBe(false)
    expect(lines(batch)).toHaveLength(MAX_BATCH_LINES)
  })

  test('is never larger than 1.5 MB, and comes close to it', () => {
    const batch = new Batch(OPTIONS)
    while (add(batch, 'ä"\n'.repeat(1000)));
    const bytes = Buffer.byteLength(batch.body())
    expect(bytes).toBeLessThanOrEqual(MAX_BATCH_BYTES)
    expect(bytes).toBeGreaterThan(MAX_BATCH_BYTES - 10_000)
  })

  test('contains a line that is larger than a batch, because that would never fit', () => {
    const batch = new Batch(OPTIONS, { bytes: 100, lines: 10 })
    expect(add(batch, 'x'.repeat(200))).toBe(true)
    expect(add(batch, 'y')).toBe(false)
  })

  test('omits empty lines by default', () => {
    const without = new Batch(OPTIONS)
    const withEmpty = new Batch({ ...OPTIONS, keepEmpty: true })
    expect([add(without, ''), add(withEmpty, '')]).toEqual([true, true])
    expect([without.lines, withEmpty.lines]).toEqual([0, 1])
  })

  test('replaces bytes that are not UTF-8 by U+FFFD and keeps the others', () => {
    const batch = new Batch(OPTIONS)
    add(batch, Buffer.from([0x61, 0xff, 0xc3, 0xa4, 0xc3]))
    expect(lines(batch)[0]?.line).toBe('a\ufffdä\ufffd')
  })

  test('is halved with its lines in order, with their sizes and offsets', () => {
    const batch = new Batch(OPTIONS)
    for (const [at, text] of ['a', 'bb', 'c'.repeat(20_000)].entries()) add(batch, text, at + 1)
    const [first, second] = batch.halves()
    expect([...lines(first), ...lines(second)]).toEqual(lines(batch))
    expect([first.endOffsets, second.endOffsets]).toEqual([[1], [2, 3]])
    expect([first.textBytes, second.textBytes]).toEqual([1, 20_002])
    expect([first.longLines, second.longLines]).toEqual([0, 1])
  })
})
