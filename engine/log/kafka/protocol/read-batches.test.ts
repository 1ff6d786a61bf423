import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogRecord, NewRecord } from '../../log.ts'
import { crc32c } from './crc-32c.ts'
import { readBatches } from './read-batches.ts'
import {
  ATTRIBUTES_AT,
  COUNT_AT,
  CRC_AT,
  FORMAT_AT,
  LENGTH_AT,
  MAX_TIME_AT,
  RECORDS_AT,
  TIME_AT,
} from './record-batch.ts'
import { writeBatch } from './write-batch.ts'

const PLACE = 'weir.test/0'
const read = (batches: Buffer, from = 0n) => readBatches(batches, from, PLACE)

function recordOf(text: string, more: Partial<NewRecord> = {}): NewRecord {
  return { value: Buffer.from(text), producer: null, priority: 'ingest', ...more }
}

/** A batch as a broker keeps it. */
async function stored(records: readonly NewRecord[], base: bigint, timeMs = 7): Promise<Buffer> {
  const batch = await writeBatch(records, 0)
  batch.writeBigInt64BE(base, 0)
  batch.writeInt16BE(batch.readInt16BE(ATTRIBUTES_AT) | 8, ATTRIBUTES_AT)
  batch.writeBigInt64BE(BigInt(timeMs), MAX_TIME_AT)
  return sealed(batch)
}

function sealed(batch: Buffer): Buffer {
  batch.writeUInt32BE(crc32c(batch, ATTRIBUTES_AT, batch.length), CRC_AT)
  return batch
}

const texts = (records: readonly LogRecord[]) => records.map(({ value }) => value.toString())

test('all members of a record are read back, at offsets and known ends beyond all numbers of a double, too', async () => {
  const producers = fc.record({
    id: fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
    sequence: fc.nat({ max: 2 ** 31 - 1 }),
  })
  const drawn = fc.record({
    value: fc.uint8Array({ maxLength: 300 }),
    producer: fc.option(producers),
    knownEnd: fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }),
  })
  const batches = fc.array(fc.array(drawn, { minLength: 1, maxLength: 70, size: 'max' }), { maxLength: 4 })
  const bases = fc.bigInt({ min: 0n, max: 2n ** 63n - 1000n })
  await fc.assert(
    fc.asyncProperty(batches, bases, async (groups, base) => {
      const written: Buffer[] = []
      const expected: LogRecord[] = []
      for (const [number, group] of groups.entries()) {
        const records = group.map(each => ({ ...each, value: Buffer.from(each.value) }))
        written.push(
          await stored(
            records.map(each => ({ ...each, priority: 'ingest', knownEnd: () => each.knownEnd })),
            base + BigInt(expected.length),
            number,
          ),
        )
        for (const { knownEnd, ...record } of records)
          expected.push({
            ...record,
            offset: base + BigInt(expected.length),
            appendTimeMs: number,
            ...(knownEnd > 0n && { knownEnd }),
          })
      }
      expect(await read(Buffer.concat(written))).toEqual(expected)
    }),
  )
})

test('reading begins at the wanted offset, within a batch, too', async () => {
  const batches = Buffer.concat([
    await stored([recordOf('a'), recordOf('b')], 5n),
    await stored([recordOf('c'), recordOf('d')], 7n),
  ])
  expect(texts(await read(batches, 5n))).toEqual(['a', 'b', 'c', 'd'])
  expect(texts(await read(batches, 6n))).toEqual(['b', 'c', 'd'])
  expect(texts(await read(batches, 7n))).toEqual(['c', 'd'])
  expect(texts(await read(batches, 9n))).toEqual([])
})

test('a batch that an answer contains only in part is left out', async () => {
  const first = await stored([recordOf('a')], 0n)
  const second = await stored([recordOf('b')], 1n)
  const both = Buffer.concat([first, second])
  for (let end = first.length; end < both.length; end++)
    expect(texts(await read(both.subarray(0, end)))).toEqual(['a'])
  expect(texts(await read(both))).toEqual(['a', 'b'])
})

test.each([10, 40_000])('a changed byte in any part of a batch of %s bytes is found', async bytes => {
  const batch = await stored([recordOf('a'.repeat(bytes), { producer: { id: 'p', sequence: 1 } })], 3n)
  const places = [17, 21, 23, 35, 57, RECORDS_AT, (RECORDS_AT + batch.length) >> 1, batch.length - 1]
  for (const at of places) {
    const changed = Buffer.from(batch)
    changed[at] = (changed[at] as number) ^ 1
    await expect(read(changed)).rejects.toMatchObject({
      code: 'LOG_CORRUPT',
      retriable: false,
      message: 'The batch of weir.test/0 that begins at offset 3 differs from its checksum.',
    })
  }
})

test('a batch of another format, a length that cannot be, and records beyond their batch are refused', async () => {
  const changed = async (change: (batch: Buffer) => void) => {
    const batch = await stored([recordOf('some text', { knownEnd: () => 5n })], 3n)
    change(batch)
    return read(sealed(batch))
  }
  await expect(changed(batch => batch.writeInt8(1, FORMAT_AT))).rejects.toThrow('is of format 1')
  await expect(changed(batch => batch.writeInt32BE(-12, LENGTH_AT))).rejects.toThrow('is too short')
  const beyond = 'cannot be read: a record ends beyond its batch'
  await expect(changed(batch => batch.writeInt8(62, RECORDS_AT))).rejects.toThrow(beyond)
  // The length of the last header's value.
  await expect(changed(batch => batch.writeInt8(18, batch.length - 9))).rejects.toThrow(beyond)
  await expect(changed(batch => batch.writeInt32BE(2, COUNT_AT))).rejects.toThrow('cannot be read')
  await expect(changed(batch => batch.writeInt16BE(8 | 4, ATTRIBUTES_AT))).rejects.toThrow('cannot be read')
  await expect(changed(batch => batch.writeInt16BE(8 | 3, ATTRIBUTES_AT))).rejects.toThrow(
    'compression 3 of records is not supported',
  )
})

/** A record as another tool may write it: with its own time, a key, an absent value and a header of another name. */
const FOREIGN = Buffer.from([0, 2 * 100 - 1, 1, 0, 2, 107, 1, 2, 4, 120, 121, 1])

test('records of other tools are read: gzip, times of their own, keys, absent values, other headers', async () => {
  const head = (await writeBatch([recordOf('x')], 0)).subarray(0, RECORDS_AT)
  const records = gzipSync(Buffer.concat([Buffer.from([2 * FOREIGN.length]), FOREIGN]))
  const batch = Buffer.concat([head, records])
  batch.writeInt32BE(batch.length - 12, LENGTH_AT)
  batch.writeInt16BE(1, ATTRIBUTES_AT)
  batch.writeBigInt64BE(1_000n, TIME_AT)
  expect(await read(sealed(batch))).toEqual([
    { value: Buffer.alloc(0), producer: null, offset: 0n, appendTimeMs: 900 },
  ])
})
