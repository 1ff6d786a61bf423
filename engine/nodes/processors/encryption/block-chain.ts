import { type Cipheriv, createCipheriv } from 'node:crypto'
import { type AesBits, BLOCK_BYTES, ZERO_BLOCK } from './block.ts'

/**
 * Encrypts chains of blocks: C(i) = E(P(i) xor C(i-1)), where C(0) is the initialisation vector. One cipher works for all
 * chains, because making one takes ten times as long as encrypting an event. It continues with the last block of the chain
 * before; the first block of the next chain takes that block out again.
 */
export class BlockChain {
  readonly #cipher: Cipheriv
  readonly #last = Buffer.alloc(BLOCK_BYTES)

  constructor(bits: AesBits, key: Buffer) {
    this.#cipher = createCipheriv(`aes-${bits}-cbc`, key, ZERO_BLOCK).setAutoPadding(false)
  }

  /** @param blocks whole blocks, at least one; the first is changed */
  encrypt(blocks: Buffer, iv: Uint8Array): Buffer {
    const last = this.#last
    for (let at = 0; at < BLOCK_BYTES; at++)
      blocks[at] = (blocks[at] as number) ^ (iv[at] as number) ^ (last[at] as number)
    const encrypted = this.#cipher.update(blocks)
    encrypted.copy(last, 0, encrypted.length - BLOCK_BYTES)
    return encrypted
  }
}
