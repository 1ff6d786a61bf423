import Decoder from 'kafkajs/src/protocol/decoder.js'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import { createErrorFromCode } from 'kafkajs/src/protocol/error.js'
import type { LogRecord } from '../../log.ts'
import type { KafkaExchange } from '../kafkajs-cluster.ts'
import { readBatches } from './read-batches.ts'

const FETCH = 1
/** Kafka 2.3; the next version has another header. */
const VERSION = 11
const NO_REPLICA = -1
/** Weir writes no transactions. */
export const READ_UNCOMMITTED = 0
/** No session: a request names all of its partitions. */
const NO_SESSION = { id: 0, epoch: -1 }
const UNKNOWN = -1
/** Producer and first offset. */
const ABORTED_TRANSACTION_BYTES = 16

export interface FetchRequest {
  /** Time that the broker waits until there are `minBytes`. */
  readonly maxWaitMs: number
  readonly minBytes: number
  /** Bound on the compressed size of the answer; a larger batch still arrives as a whole, alone. */
  readonly maxBytes: number
  /** The broker fills the answer in this order. */
  readonly partitions: readonly FetchFrom[]
}

export interface FetchFrom {
  readonly topic: string
  readonly partition: number
  readonly from: bigint
  readonly maxBytes: number
}

export interface Fetched {
  readonly partitions: readonly FetchedPartition[]
  /** Time for which the connection sends nothing, as the broker demands, ms. */
  readonly clientSideThrottleTime: number
}

export interface FetchedPartition {
  readonly topic: string
  readonly partition: number
  /** Kafka's number of the error; 0: none. */
  readonly errorCode: number
  /** Offset after the newest record that all replicas in sync have. */
  readonly end: bigint
  readonly records: readonly LogRecord[]
}

/**
 * Reads records of some partitions.
 *
 * kafkajs decodes each record through several objects, decompresses batches by pieces of 16 KiB, and does not compare the
 * checksums. It fills an answer in random order; here the caller decides.
 */
export function fetchExchange(request: FetchRequest): KafkaExchange<Fetched> {
  return {
    request: {
      apiKey: FETCH,
      apiVersion: VERSION,
      apiName: 'Fetch',
      encode: async () => encoded(request),
    },
    response: { decode: bytes => decoded(bytes, request), parse: checked },
  }
}

function encoded({ maxWaitMs, minBytes, maxBytes, partitions }: FetchRequest): Encoder {
  const encoder = new Encoder()
    .writeInt32(NO_REPLICA)
    .writeInt32(maxWaitMs)
    .writeInt32(minBytes)
    .writeInt32(maxBytes)
    .writeInt8(READ_UNCOMMITTED)
    .writeInt32(NO_SESSION.id)
    .writeInt32(NO_SESSION.epoch)
    .writeInt32(partitions.length)
  for (const { topic, partition, from, maxBytes: partitionBytes } of partitions)
    encoder
      .writeString(topic)
      .writeInt32(1)
      .writeInt32(partition)
      .writeInt32(UNKNOWN) // Epoch of the leader.
      .writeInt64(from)
      .writeInt64(UNKNOWN) // Start of a follower's log.
      .writeInt32(partitionBytes)
  return encoder.writeInt32(0).writeString('') // Partitions to forget, rack.
}

async function decoded(bytes: Buffer, { partitions: asked }: FetchRequest): Promise<Fetched> {
  const decoder = new Decoder(bytes)
  const clientSideThrottleTime = decoder.readInt32()
  const errorCode = decoder.readInt16()
  if (errorCode !== 0) throw createErrorFromCode(errorCode)
  decoder.readInt32() // Session.
  const partitions: FetchedPartition[] = []
  for (let topics = decoder.readInt32(); topics > 0; topics--) {
    const topic = decoder.readString()
    for (let count = decoder.readInt32(); count > 0; count--)
      partitions.push(await decodedPartition(decoder, topic, asked))
  }
  return { partitions, clientSideThrottleTime }
}

async function decodedPartition(
  decoder: Decoder,
  topic: string,
  asked: readonly FetchFrom[],
): Promise<FetchedPartition> {
  const partition = decoder.readInt32()
  const errorCode = decoder.readInt16()
  const end = decoder.readInt64()
  decoder.readInt64() // End of committed transactions.
  decoder.readInt64() // Start of the log.
  const aborted = decoder.readInt32()
  if (aborted > 0) decoder.readBytes(aborted * ABORTED_TRANSACTION_BYTES)
  decoder.readInt32() // Replica to read from.
  const batches = decoder.readBytes() ?? Buffer.alloc(0)
  const from = asked.find(each => each.topic === topic && each.partition === partition)?.from ?? 0n
  const records = errorCode === 0 ? await readBatches(batches, from, `${topic}/${partition}`) : []
  return { topic, partition, errorCode, end, records }
}

/** @throws Kafka's error about a partition */
async function checked(fetched: Fetched): Promise<Fetched> {
  const failed = fetched.partitions.find(({ errorCode }) => errorCode !== 0)
  if (failed !== undefined) throw createErrorFromCode(failed.errorCode)
  return fetched
}
