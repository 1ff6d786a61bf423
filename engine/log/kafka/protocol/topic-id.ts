import Decoder from 'kafkajs/src/protocol/decoder.js'
import Encoder from 'kafkajs/src/protocol/encoder.js'
import { LogError } from '../../log.ts'
import type { KafkaExchange } from '../kafkajs-cluster.ts'

/** Metadata request in its first version with topic ids, which kafkajs does not support. */
const METADATA = 3
const VERSION = 12
const NO_TAGS = 0
const ID_BYTES = 16

/** Asks for the id that Kafka gave the topic at its creation: a later topic of the same name has another one. */
export function topicIdExchange(topic: string): KafkaExchange<string> {
  return {
    request: {
      apiKey: METADATA,
      apiVersion: VERSION,
      apiName: 'TopicId',
      encode: async () => requestFor(topic),
    },
    response: { decode: async bytes => idIn(bytes), parse: async id => id },
  }
}

/** Ends the header, asks for one topic with neither id nor tags, creates nothing and requests no rights. */
function requestFor(topic: string): Encoder {
  const rights = Buffer.from([0, 0, NO_TAGS])
  return new Encoder()
    .writeBuffer(Buffer.from([NO_TAGS]))
    .writeUVarInt(1 + 1) // Lengths of arrays are one more than their elements.
    .writeBuffer(Buffer.alloc(ID_BYTES))
    .writeUVarIntString(topic)
    .writeBuffer(Buffer.from([NO_TAGS]))
    .writeBuffer(rights)
}

/** Reads only up to the id: throttle time, brokers, cluster, controller, the one topic. */
function idIn(bytes: Buffer): string {
  const decoder = new Decoder(bytes)
  decoder.readBytes(1 + 4)
  for (let brokers = decoder.readUVarInt() - 1; brokers > 0; brokers--) {
    decoder.readInt32()
    decoder.readUVarIntString()
    decoder.readInt32()
    decoder.readUVarIntString()
    decoder.readInt8()
  }
  decoder.readUVarIntString()
  decoder.readInt32()
  const topics = decoder.readUVarInt() - 1
  const errorCode = decoder.readInt16()
  if (topics !== 1 || errorCode !== 0)
    throw new LogError('LOG_UNAVAILABLE', `Kafka does not report the topic's id (error ${errorCode}).`, {
      retriable: true,
    })
  decoder.readUVarIntString()
  const hex = decoder.readBytes(ID_BYTES).toString('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
