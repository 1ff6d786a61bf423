import type { Padding } from '../../options/encryption-algorithm.ts'
import { BLOCK_BYTES } from './block.ts'

const ISO7816_MARK = 0x80

/**
 * Fills a text up to whole blocks. Every padding adds 1 to 16 bytes.
 *
 * @param noise at least 15 bytes, for ISO10126
 */
export function padded(clear: Uint8Array, padding: Padding, noise: Uint8Array): Buffer {
  const { length } = clear
  const count = BLOCK_BYTES - (length % BLOCK_BYTES)
  const blocks = Buffer.allocUnsafe(length + count)
  blocks.set(clear)
  blocks.fill(padding === 'PKCS7' ? count : 0, length)
  if (padding === 'ISO7816') {
    blocks[length] = ISO7816_MARK
    return blocks
  }
  if (padding === 'ISO10126') blocks.set(noise.subarray(0, count - 1), length)
  blocks[length + count - 1] = count
  return blocks
}

/** @param blocks whole blocks, at least one @returns undefined for a wrong padding */
export function unpadded(blocks: Buffer, padding: Padding): Buffer | undefined {
  const count = padding === 'ISO7816' ? blocks.length - blocks.lastIndexOf(ISO7816_MARK) : blocks.at(-1)
  if (count === undefined || count < 1 || count > BLOCK_BYTES) return undefined
  const end = blocks.length - count
  return isFilling(blocks.subarray(end), padding) ? blocks.subarray(0, end) : undefined
}

function isFilling(added: Buffer, padding: Padding): boolean {
  switch (padding) {
    case 'PKCS7':
      return added.every(byte => byte === added.length)
    case 'ANSIX923':
      return added.subarray(0, -1).every(byte => byte === 0)
    case 'ISO7816':
      return added.subarray(1).every(byte => byte === 0)
    case 'ISO10126':
      return true
  }
}
