import { zstdDecompressSync } from 'node:zlib'
import fc from 'fast-check'
import kafkajsCrc from 'kafkajs/src/protocol/recordBatch/crc32C/index.js'
import kafkajsRequest from 'kafkajs/src/protocol/requests/produce/v7/request.js'
import { expect, test } from 'vitest'
import type { NewRecord } from '../../log.ts'
import type { EncodedRequest } from './encoded-request.ts'
import { produceExchange } from './produce-exchange.ts'
import { ATTRIBUTES_AT, CRC_AT, LENGTH_AT, RECORDS_AT } from './record-batch.ts'

const TOPIC = 'weir.test'
const PARTITION = 3
/** Everything before the batch. */
const HEAD_BYTES = 26 + TOPIC.length

/** The request that kafkajs writes for the same records, without compression. */
async function requestOfKafkajs(records: readonly NewRecord[]): Promise<Buffer> {
  const messages = records.map(({ value, producer, knownEnd }) => {
    const sequence = Buffer.alloc(4)
    sequence.writeUInt32BE(producer?.sequence ?? 0)
    const end = Buffer.alloc(8)
    end.writeBigUInt64BE(knownEnd?.() ?? 0n)
    const headers = {
      ...(producer !== null && { p: Buffer.from(producer.id), s: sequence }),
      ...(end.some(byte => byte > 0) && { e: end }),
    }
    return { value, headers, timestamp: '0' }
  })
  const partitions = [{ partition: PARTITION, firstSequence: 0, messages }]
  const topicData = [{ topic: TOPIC, partitions }]
  const { encode } = kafkajsRequest({ acks: -1, timeout: 3_000, compression: 0, topicData })
  return (await encode()).buffer
}

async function requestOf(records: readonly NewRecord[]): Promise<Buffer> {
  const { request } = await produceExchange(TOPIC, PARTITION, records)
  return ((await request.encode()) as EncodedRequest).buffer
}

/** Returns a request with its records decompressed, and the fields that depend on them set accordingly. */
function decompressed(request: Buffer): Buffer {
  const recordsAt = HEAD_BYTES + RECORDS_AT
  const plain = Buffer.concat([
    request.subarray(0, recordsAt),
    zstdDecompressSync(request.subarray(recordsAt)),
  ])
  plain.writeInt32BE(plain.length - HEAD_BYTES, HEAD_BYTES - 4)
  plain.writeInt32BE(plain.length - HEAD_BYTES - 12, HEAD_BYTES + LENGTH_AT)
  plain.writeInt16BE(0, HEAD_BYTES + ATTRIBUTES_AT)
  plain.writeUInt32BE(kafkajsCrc(plain.subarray(HEAD_BYTES + ATTRIBUTES_AT)), HEAD_BYTES + CRC_AT)
  return plain
}

function isCompressed(request: Buffer): boolean {
  return request.readInt16BE(HEAD_BYTES + ATTRIBUTES_AT) === 4
}

const producers = fc.record({
  id: fc.string({ minLength: 1, maxLength: 80, unit: 'grapheme' }),
  sequence: fc.nat({ max: 2 ** 31 - 1 }),
})
const records = fc.array(
  fc.record({
    value: fc
      .tuple(fc.uint8Array({ maxLength: 40 }), fc.constantFrom(1, 1, 5, 100))
      .map(([bytes, times]) => Buffer.concat(Array<Uint8Array>(times).fill(bytes))),
    producer: fc.option(producers),
    priority: fc.constant('ingest' as const),
    knownEnd: fc.option(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n })),
  }),
  { minLength: 1, maxLength: 70, size: 'max' },
)

test('requests have the bytes and checksums that kafkajs writes, apart from the compression', async () => {
  const seen = { plain: 0, compressed: 0 }
  await fc.assert(
    fc.asyncProperty(records, async drawn => {
      const group = drawn.map(({ knownEnd, ...record }) => {
        return knownEnd === null ? record : { ...record, knownEnd: () => knownEnd }
      })
      const request = await requestOf(group)
      const checksum = request.readUInt32BE(HEAD_BYTES + CRC_AT)
      expect(checksum).toBe(kafkajsCrc(request.subarray(HEAD_BYTES + ATTRIBUTES_AT)))
      seen[isCompressed(request) ? 'compressed' : 'plain']++
      const plain = isCompressed(request) ? decompressed(request) : request
      expect(plain.equals(await requestOfKafkajs(group))).toBe(true)
    }),
  )
  expect(Math.min(seen.plain, seen.compressed)).toBeGreaterThan(5)
})

test('lengths of one to four bytes are written, on both sides of each limit', async () => {
  for (const length of [0, 1, 63, 64, 8_191, 8_192, 1_048_575, 1_048_576]) {
    const group: NewRecord[] = [{ value: Buffer.alloc(length, 'x'), producer: null, priority: 'ingest' }]
    const request = await requestOf(group)
    const plain = isCompressed(request) ? decompressed(request) : request
    expect(plain.equals(await requestOfKafkajs(group))).toBe(true)
  }
})

test('a request that is sent again has the same bytes, and its writer was asked once for the known end', async () => {
  let asked = 0
  const knownEnd = () => BigInt(++asked)
  const value = Buffer.from('first')
  const { request } = await produceExchange(TOPIC, 0, [
    { value, producer: null, priority: 'ingest', knownEnd },
  ])
  const sent = async () => Buffer.from(((await request.encode()) as EncodedRequest).buffer)
  const first = await sent()
  value.write('later')
  expect(await sent()).toEqual(first)
  expect(asked).toBe(1)
})
