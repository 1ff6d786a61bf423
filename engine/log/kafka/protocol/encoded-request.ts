/** The members of an encoder of kafkajs that its connection uses. */
export interface EncodedRequest {
  readonly buf: Buffer
  readonly buffer: Buffer
}

/** A request that is encoded already, for a connection of kafkajs. */
export function encodedRequest(bytes: Buffer): EncodedRequest {
  return { buf: bytes, buffer: bytes }
}
