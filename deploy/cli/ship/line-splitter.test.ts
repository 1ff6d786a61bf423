import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { LineSplitter, MAX_LINE_BYTES } from './line-splitter.ts'

interface Found {
  readonly text: string
  readonly endOffset: number
}

function split(chunks: readonly Buffer[], { finish }: { finish: boolean }): Found[] {
  const splitter = new LineSplitter()
  const found: Found[] = []
  const take = () =>
    found.push({
      text: splitter.buffer.toString('latin1', splitter.start, splitter.end),
      endOffset: splitter.endOffset,
    })
  for (const chunk of chunks) {
    // Overwritten afterwards, as by a reader that reuses its buffer.
    const reused = Buffer.from(chunk)
    splitter.feed(reused)
    while (splitter.next()) take()
    reused.fill(0x21)
  }
  if (finish && splitter.finish()) take()
  return found
}

function chunked(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = []
  let at = 0
  for (const size of sizes) {
    chunks.push(bytes.subarray(at, at + size))
    at += size
  }
  return [...chunks, bytes.subarray(at)]
}

describe('lines of a stream', () => {
  test('however the bytes are cut into chunks, the lines and their offsets are the same', () => {
    const bytes = fc
      .array(fc.constantFrom(0x0a, 0x0d, 0x61, 0xc3, 0xa4, 0x00), { maxLength: 60, size: 'max' })
      .map(values => Buffer.from(values))
    fc.assert(
      fc.property(bytes, fc.array(fc.nat(9), { maxLength: 20, size: 'max' }), (content, sizes) => {
        const parts = content.toString('latin1').split('\n')
        const last = parts.pop() as string
        let offset = 0
        const expected = parts.map(part => {
          offset += part.length + 1
          return { text: part.replace(/\r$/, ''), endOffset: offset }
        })
        if (last !== '') expected.push({ text: last.replace(/\r$/, ''), endOffset: content.length })
        expect(split(chunked(content, sizes), { finish: true })).toEqual(expected)
      }),
    )
  })

  test('a line without its end is not returned before finish', () => {
    expect(split([Buffer.from('one\ntw'), Buffer.from('o')], { finish: false })).toEqual([
      { text: 'one', endOffset: 4 },
    ])
  })

  test('a stream that ends with a line feed has no empty last line', () => {
    expect(split([Buffer.from('one\n')], { finish: true })).toHaveLength(1)
  })

  test.each([MAX_LINE_BYTES, MAX_LINE_BYTES + 1])(
    'of a line of %i bytes at most 65,536 are kept, and the next line is complete',
    length => {
      const content = Buffer.from(`${'x'.repeat(length)}\nnext\n`)
      for (const sizes of [[], [10_000], [MAX_LINE_BYTES], [MAX_LINE_BYTES + 1], [1, 65_000, 530]]) {
        const found = split(chunked(content, sizes), { finish: true })
        expect(found.map(line => line.text.length)).toEqual([MAX_LINE_BYTES, 4])
        expect(found.map(line => line.endOffset)).toEqual([length + 1, length + 6])
      }
    },
  )
})
