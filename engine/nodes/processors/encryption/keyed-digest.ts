import { hash } from 'node:crypto'

const HASH = 'sha256'
const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** Most bytes of a character in UTF-8, for each of its code units. */
const MAX_BYTES_PER_UNIT = 3

/**
 * HMAC-SHA-256 with one key. It hashes twice by calls that make no object in OpenSSL, which takes a quarter of the time of
 * `createHmac`.
 */
export class KeyedDigest {
  /** Key for the inner hash, and the text behind it. */
  #inner: Buffer
  /** Key for the outer hash, and the inner digest behind it. */
  readonly #outer = Buffer.alloc(BLOCK_BYTES + DIGEST_BYTES)

  /** @param key at most 64 bytes */
  constructor(key: Buffer) {
    if (key.length > BLOCK_BYTES) throw new RangeError(`the key has ${key.length} bytes, not at most 64`)
    this.#inner = Buffer.alloc(2 * BLOCK_BYTES)
    for (let at = 0; at < BLOCK_BYTES; at++) {
      this.#inner[at] = (key[at] ?? 0) ^ 0x36
      this.#outer[at] = (key[at] ?? 0) ^ 0x5c
    }
  }

  /** Returns 32 bytes. */
  of(text: string): Buffer {
    const room = BLOCK_BYTES + MAX_BYTES_PER_UNIT * text.length
    if (this.#inner.length < room) this.#inner = Buffer.concat([this.#inner], 2 * room)
    const end = BLOCK_BYTES + this.#inner.write(text, BLOCK_BYTES)
    // A digest as text takes a third of the time of one as buffer.
    this.#outer.write(hash(HASH, this.#inner.subarray(0, end), 'binary'), BLOCK_BYTES, 'latin1')
    return Buffer.from(hash(HASH, this.#outer, 'binary'), 'latin1')
  }
}
