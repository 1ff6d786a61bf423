/** Sources of kafkajs that have no types of their own; see kafkajs-mended.ts. */

declare module 'kafkajs/src/network/requestQueue/index.js' {
  export default class RequestQueue {
    readonly pending: readonly unknown[]
    scheduleCheckPendingRequests(): void
  }
}

declare module 'kafkajs/src/protocol/encoder.js' {
  export default class Encoder {
    readonly buffer: Buffer
    writeBuffer(bytes: Buffer): this
  }
}

declare module 'kafkajs/src/network/connection.js' {
  export default class Connection {
    chunks: readonly Buffer[]
    bytesBuffered: number
    bytesNeeded: number
    authHandlers: unknown
    isConnected(): boolean
    connect(): Promise<boolean>
  }
}

declare module 'kafkajs/src/network/connectionPool.js' {
  export default class ConnectionPool {
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
    connect(): Promise<void>
  }
}
