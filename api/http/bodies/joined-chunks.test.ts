import fc from 'fast-check'
import { expect, test } from 'vitest'
import { JoinedChunks } from './joined-chunks.ts'

test('the bytes of chunks of any size stay in order', () => {
  const sizes = fc.array(
    fc.oneof(fc.integer({ min: 0, max: 40 }), fc.constantFrom(1023, 1024, 1025, 70_000)),
    { maxLength: 60, size: 'max' },
  )
  fc.assert(
    fc.property(sizes, lengths => {
      let next = 0
      const sent = lengths.map(length => Buffer.from(Uint8Array.from({ length }, () => next++ % 251)))
      const chunks = new JoinedChunks()
      for (const chunk of sent) chunks.add(chunk)
      expect(Buffer.concat(chunks.buffers()).equals(Buffer.concat(sent))).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('a hundred thousand chunks of one byte are a few buffers', () => {
  const chunks = new JoinedChunks()
  for (let count = 0; count < 100_000; count++) chunks.add(Buffer.from('x'))
  expect(chunks.buffers().length).toBeLessThan(12)
})

test('a body of one chunk is not copied', () => {
  const chunks = new JoinedChunks()
  const only = Buffer.from('{"lines":[]}')
  chunks.add(only)
  expect(chunks.buffers()[0]).toBe(only)
})
