/** Sources of kafkajs without types; see kafkajs-mended.ts. */

declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    readonly pending: readonly unknown[]
    scheduleCheckPendingRequests(): void
  }
}

declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    readonly buffer: Buffer
    writeInt8(value: number): this
    writeInt32(value: number): this
    writeInt64(value: bigint | number): this
    writeString(text: string): this
    writeBuffer(bytes: Buffer): this
    writeUVarInt(value: number): this
    writeUVarIntString(text: string): this
  }
}

declare module 'kafkajs/src/protocol/decoder.js' {
  export default class Decoder {
    constructor(bytes: Buffer)
    readInt8(): number
    readInt16(): number
    readInt32(): number
    readInt64(): bigint
    readUVarInt(): number
    readString(): string
    readUVarIntString(): string | null
    readBytes(count: number): Buffer
    /** Bytes behind their length; null: the length is -1. */
    readBytes(): Buffer | null
  }
}

declare module 'kafkajs/src/protocol/error.js' {
  /** An error with Kafka's name and message for the number. */
  export function createErrorFromCode(code: number): Error
}

declare module 'kafkajs/src/protocol/requests/produce/v7/response.js' {
  const response: {
    decode(bytes: Buffer): Promise<ProduceAnswer>
    parse(answer: ProduceAnswer): Promise<ProduceAnswer>
  }
  export default response

  interface ProduceAnswer {
    readonly topics: readonly {
      readonly partitions: readonly { readonly baseOffset: string; readonly logAppendTime: string }[]
    }[]
  }
}

declare module 'kafkajs/src/protocol/recordBatch/crc32C/index.js' {
  export default function crc32C(bytes: Buffer): number
}

declare module 'kafkajs/src/protocol/requests/produce/v7/request.js' {
  import type Encoder from 'kafkajs/src/protocol/encoder.js'
  export default function request(options: {
    readonly acks: number
    readonly timeout: number
    readonly compression: number
    readonly topicData: readonly object[]
  }): { readonly apiKey: number; readonly apiVersion: number; encode(): Promise<Encoder> }
}

declare module 'kafkajs/src/network/connection.js' {
  import type { Socket } from 'node:net'
  export default class Connection {
    chunks: readonly Buffer[]
    bytesBuffered: number
    bytesNeeded: number
    authHandlers: { onError(): void } | null
    readonly socket?: Socket
    isConnected(): boolean
    connect(): Promise<boolean>
    send(exchange: object): Promise<unknown>
  }
}

declare module 'kafkajs/src/network/connectionPool.js' {
  import type Connection from 'kafkajs/src/network/connection.js'
  export default class ConnectionPool {
    readonly host: string
    readonly port: number
    readonly pool: readonly Connection[]
    send(exchange: {
      readonly request: { readonly apiName: string }
      // biome-ignore lint/suspicious/noExplicitAny: every request has an answer of its own.
      readonly response: { readonly parse: (answer: any) => Promise<unknown> }
    }): Promise<unknown>
    destroy(): Promise<void>
  }
}

declare module 'kafkajs/src/broker/index.js' {
  import type ConnectionPool from 'kafkajs/src/network/connectionPool.js'
  export default class Broker {
    readonly connectionPool: ConnectionPool
    readonly versions: unknown
    connect(): Promise<void>
  }
}

declare module 'kafkajs/src/cluster/brokerPool.js' {
  import type Broker from 'kafkajs/src/broker/index.js'
  import type ConnectionPool from 'kafkajs/src/network/connectionPool.js'
  export default class BrokerPool {
    readonly connectionPoolBuilder: { build(): Promise<ConnectionPool> }
    readonly rootLogger: unknown
    seedBroker: Broker | undefined
    versions: unknown
    hasConnectedBrokers(): boolean
    createBroker(options: { readonly connectionPool: ConnectionPool; readonly logger: unknown }): Broker
    retrier(attempt: (bail: (error: Error) => void) => Promise<void>): Promise<void>
    connect(): Promise<void>
  }
}
