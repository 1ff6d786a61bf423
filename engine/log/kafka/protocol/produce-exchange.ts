import response from 'kafkajs/src/protocol/requests/produce/v7/response.js'
import type { NewRecord } from '../../log.ts'
import type { KafkaExchange } from '../kafkajs-cluster.ts'
import { encodedRequest } from './encoded-request.ts'
import { writeBatch } from './write-batch.ts'

const PRODUCE = 0
/** First version for records that are compressed with Zstandard (Kafka 2.1). */
const VERSION = 7
const NOT_TRANSACTIONAL = -1
const ALL_REPLICAS = -1
/** Time that the broker waits for its replicas. */
const REPLICA_WAIT_MS = 3_000
/** Transaction, acknowledgements, time, number of topics; number of partitions, partition, bytes of the batch. */
const FIXED_BYTES = 2 + 2 + 4 + 4 + 4 + 4 + 4
const TEXT_LENGTH_BYTES = 2

export interface Produced {
  readonly topics: readonly { readonly partitions: readonly ProducedPartition[] }[]
}

export interface ProducedPartition {
  readonly baseOffset: string
  readonly logAppendTime: string
}

/**
 * Appends records to a partition as one batch, which all replicas that are in sync must acknowledge. The request is
 * written once, into one buffer, and may be sent again.
 *
 * kafkajs copies every value through seven buffers, which grow by doubling, and computes the checksum byte by byte.
 */
export async function produceExchange(
  topic: string,
  partition: number,
  records: readonly NewRecord[],
): Promise<KafkaExchange<Produced>> {
  const headBytes = FIXED_BYTES + TEXT_LENGTH_BYTES + Buffer.byteLength(topic)
  const request = await writeBatch(records, headBytes)
  let at = request.writeInt16BE(NOT_TRANSACTIONAL, 0)
  at = request.writeInt16BE(ALL_REPLICAS, at)
  at = request.writeInt32BE(REPLICA_WAIT_MS, at)
  at = request.writeInt32BE(1, at)
  at = request.writeInt16BE(Buffer.byteLength(topic), at)
  at += request.write(topic, at)
  at = request.writeInt32BE(1, at)
  at = request.writeInt32BE(partition, at)
  request.writeInt32BE(request.length - headBytes, at)
  return {
    request: {
      apiKey: PRODUCE,
      apiVersion: VERSION,
      apiName: 'Produce',
      encode: async () => encodedRequest(request),
    },
    response,
  }
}
