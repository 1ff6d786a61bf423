/** Sources of kafkajs that have no types of their own; see kafkajs-cluster.ts. */

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
