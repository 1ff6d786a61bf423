/** The only source of randomness: ids, keys, tokens, producer ids. */
export interface Entropy {
  /** Random bytes, fit for keys. */
  bytes(count: number): Buffer
  /** A lower-case version 4 UUID. */
  uuid(): string
}
