import { type Cipheriv, createCipheriv, createDecipheriv, type Decipheriv } from 'node:crypto'
import { type EncryptionAlgorithm, modeOf, type Padding } from '../../options/encryption-algorithm.ts'
import { type AesBits, BLOCK_BYTES, blocksOf, xor, ZERO_BLOCK } from './block.ts'
import { BlockChain } from './block-chain.ts'
import { padded, unpadded } from './padding.ts'

const MAX_UINT32 = 2 ** 32 - 1

/** Encrypts and decrypts texts with one key, each with an initialisation vector of its own of 16 bytes. */
export interface FieldCipher {
  /** @param noise at least 15 bytes, with which some algorithms fill the last block */
  encrypt(clear: Uint8Array, iv: Uint8Array, noise: Uint8Array): Buffer
  /** @returns undefined when no text with this algorithm could give these bytes */
  decrypt(encrypted: Uint8Array, iv: Uint8Array): Buffer | undefined
}

/** @param key bytes of the algorithm's length, as text */
export function fieldCipher(algorithm: EncryptionAlgorithm, key: string): FieldCipher {
  const parts = modeOf(algorithm)
  const { bits } = parts
  const bytes = Buffer.from(key)
  switch (parts.mode) {
    case 'CFB':
      return new Feedback(bits, bytes)
    case 'OFB':
      return new KeyStream(outputFeedback(bits, bytes))
    case 'CTR':
      return new KeyStream(counted(bits, bytes))
    case 'CBC':
      return new PaddedBlocks(bits, bytes, parts.padding)
  }
}

/** CBC: a chain over the padded text. */
class PaddedBlocks implements FieldCipher {
  readonly #chain: BlockChain
  readonly #decipher: Decipheriv
  readonly #padding: Padding

  constructor(bits: AesBits, key: Buffer, padding: Padding) {
    this.#chain = new BlockChain(bits, key)
    this.#decipher = createDecipheriv(`aes-${bits}-ecb`, key, null).setAutoPadding(false)
    this.#padding = padding
  }

  encrypt(clear: Uint8Array, iv: Uint8Array, noise: Uint8Array): Buffer {
    return this.#chain.encrypt(padded(clear, this.#padding, noise), iv)
  }

  decrypt(encrypted: Uint8Array, iv: Uint8Array): Buffer | undefined {
    const { length } = encrypted
    if (length === 0 || length % BLOCK_BYTES !== 0) return undefined
    const blocks = this.#decipher.update(encrypted)
    return unpadded(xor(blocks, shifted(encrypted, iv)), this.#padding)
  }
}

/** CFB with whole blocks: C(i) = P(i) xor E(C(i-1)), where C(0) is the initialisation vector. */
class Feedback implements FieldCipher {
  readonly #chain: BlockChain
  readonly #blocks: Cipheriv

  constructor(bits: AesBits, key: Buffer) {
    this.#chain = new BlockChain(bits, key)
    this.#blocks = blockCipher(bits, key)
  }

  /** With K(i) = E(C(i-1)) follows K(i+1) = E(P(i) xor K(i)): a chain over the vector and the text. */
  encrypt(clear: Uint8Array, iv: Uint8Array): Buffer {
    if (clear.length === 0) return Buffer.alloc(0)
    return xor(clear, this.#chain.encrypt(shifted(clear, iv), ZERO_BLOCK))
  }

  decrypt(encrypted: Uint8Array, iv: Uint8Array): Buffer {
    if (encrypted.length === 0) return Buffer.alloc(0)
    return xor(encrypted, this.#blocks.update(shifted(encrypted, iv)))
  }
}

/** A stream of bytes that depends on key and vector alone, and that takes itself out again. */
class KeyStream implements FieldCipher {
  readonly #streamOf: (blocks: number, iv: Uint8Array) => Buffer

  constructor(streamOf: (blocks: number, iv: Uint8Array) => Buffer) {
    this.#streamOf = streamOf
  }

  encrypt(clear: Uint8Array, iv: Uint8Array): Buffer {
    if (clear.length === 0) return Buffer.alloc(0)
    return xor(clear, this.#streamOf(blocksOf(clear.length), iv))
  }

  decrypt(encrypted: Uint8Array, iv: Uint8Array): Buffer {
    return this.encrypt(encrypted, iv)
  }
}

/** OFB: the stream is E(iv), E(E(iv)), …, which is a chain over zeros. */
function outputFeedback(bits: AesBits, key: Buffer): (blocks: number, iv: Uint8Array) => Buffer {
  const chain = new BlockChain(bits, key)
  return (blocks, iv) => chain.encrypt(Buffer.alloc(blocks * BLOCK_BYTES), iv)
}

/** CTR: a counter, 64 bits and little-endian, is in the first 8 bytes of the vector (components, section 5.6). */
function counted(bits: AesBits, key: Buffer): (blocks: number, iv: Uint8Array) => Buffer {
  const cipher = blockCipher(bits, key)
  return (blocks, iv) => {
    const counters = Buffer.allocUnsafe(blocks * BLOCK_BYTES)
    for (let at = 0; at < counters.length; at += BLOCK_BYTES) counters.set(iv, at)
    const low = counters.readUInt32LE(0)
    const high = counters.readUInt32LE(4)
    for (let block = 1; block < blocks; block++) {
      const at = block * BLOCK_BYTES
      counters.writeUInt32LE((low + block) >>> 0, at)
      if (low + block > MAX_UINT32) counters.writeUInt32LE((high + 1) >>> 0, at + 4)
    }
    return cipher.update(counters)
  }
}

function blockCipher(bits: AesBits, key: Buffer): Cipheriv {
  return createCipheriv(`aes-${bits}-ecb`, key, null).setAutoPadding(false)
}

/** The vector and as much of the bytes behind it as fits into whole blocks. The last block may be cut. */
function shifted(bytes: Uint8Array, iv: Uint8Array): Buffer {
  const blocks = Buffer.allocUnsafe(blocksOf(bytes.length) * BLOCK_BYTES)
  blocks.set(iv)
  blocks.set(bytes.subarray(0, blocks.length - BLOCK_BYTES), BLOCK_BYTES)
  return blocks
}
