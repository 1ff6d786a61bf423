import fc from 'fast-check'
import kafkajsCrc from 'kafkajs/src/protocol/recordBatch/crc32C/index.js'
import { expect, test } from 'vitest'
import { crc32c } from './crc-32c.ts'

const whole = (bytes: Uint8Array) => crc32c(bytes, 0, bytes.length)

test('the checksums are those of RFC 3720, appendix B.4', () => {
  const rising = Uint8Array.from({ length: 32 }, (_, at) => at)
  expect(whole(new Uint8Array(32))).toBe(0x8a9136aa)
  expect(whole(new Uint8Array(32).fill(255))).toBe(0x62a8ab43)
  expect(whole(rising)).toBe(0x46dd794e)
  expect(whole(rising.toReversed())).toBe(0x113fdb5c)
  expect(whole(new Uint8Array(0))).toBe(0)
})

test('the checksum of any part of a buffer is that of the same bytes alone, as kafkajs computes it', () => {
  const drawn = fc.record({
    bytes: fc.uint8Array({ maxLength: 300 }),
    before: fc.nat({ max: 9 }),
    after: fc.nat({ max: 9 }),
  })
  fc.assert(
    fc.property(drawn, ({ bytes, before, after }) => {
      const around = new Uint8Array(before + bytes.length + after).fill(7)
      around.set(bytes, before)
      expect(crc32c(around, before, before + bytes.length)).toBe(kafkajsCrc(Buffer.from(bytes)))
    }),
  )
})
