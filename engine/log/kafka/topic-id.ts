import Encoder from 'kafkajs/src/protocol/encoder.js'
import { LogError } from '../log.ts'
import type { KafkaExchange } from './kafkajs-cluster.ts'

/** Metadata, the first version without a part that is of no use here; kafkajs ends before topics have ids. */
const METADATA = 3
const VERSION = 12
const NO_TAGS = 0
const ID_BYTES = 16

/** Asks for the id that Kafka minted when a topic was created: a topic of the same name that came later has another. */
export function topicIdExchange(topic: string): KafkaExchange<string> {
  return {
    request: {
      apiKey: METADATA,
      apiVersion: VERSION,
      apiName: 'TopicId',
      encode: async () => new Encoder().writeBuffer(requestFor(topic)),
    },
    response: { decode: async bytes => idIn(bytes), parse: async id => id },
  }
}

function requestFor(topic: string): Buffer {
  const name = Buffer.from(topic)
  return Buffer.concat([
    Buffer.from([NO_TAGS]), // ends the header, which this version has longer
    Buffer.from([2]), // one topic
    Buffer.alloc(ID_BYTES),
    Buffer.from([name.length + 1]),
    name,
    Buffer.from([NO_TAGS]),
    Buffer.from([0, 0, NO_TAGS]), // creates nothing, asks for no rights
  ])
}

/** Reads no further than the id: throttle time, brokers, cluster, controller, the one topic. */
function idIn(bytes: Buffer): string {
  const reader = new CompactReader(bytes)
  reader.skip(1 + 4)
  for (let brokers = reader.count(); brokers > 0; brokers--) {
    reader.skip(4)
    reader.skip(reader.count())
    reader.skip(4)
    reader.skip(reader.count())
    reader.skip(1)
  }
  reader.skip(reader.count())
  reader.skip(4)
  const topics = reader.count()
  const errorCode = reader.int16()
  if (topics !== 1 || errorCode !== 0)
    throw new LogError('LOG_UNAVAILABLE', `Kafka does not tell the topic's id (error ${errorCode}).`, {
      retriable: true,
    })
  reader.skip(reader.count())
  const hex = reader.bytes(ID_BYTES).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

class CompactReader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  skip(count: number): void {
    this.#at += count
  }

  bytes(count: number): Buffer {
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  int16(): number {
    return this.bytes(2).readInt16BE()
  }

  /** Elements of an array or bytes of a text: one more than that as a varint; 0 is none at all. */
  count(): number {
    let value = 0
    for (let shift = 0; ; shift += 7) {
      const byte = this.bytes(1)[0] as number
      value |= (byte & 0x7f) << shift
      if (byte < 0x80) return Math.max(0, value - 1)
    }
  }
}
