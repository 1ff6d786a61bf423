/** Size of the blocks of AES, and of its initialisation vectors. */
export const BLOCK_BYTES = 16
export const ZERO_BLOCK: Uint8Array = new Uint8Array(BLOCK_BYTES)

/** Length of a key. */
export type AesBits = 128 | 192 | 256

/** Number of blocks that contain so many bytes. */
export function blocksOf(bytes: number): number {
  return Math.ceil(bytes / BLOCK_BYTES)
}

/** Combines as many bytes as `bytes` has. @param stream at least as long */
export function xor(bytes: Uint8Array, stream: Uint8Array): Buffer {
  const combined = Buffer.allocUnsafe(bytes.length)
  for (let at = 0; at < bytes.length; at++) combined[at] = (bytes[at] as number) ^ (stream[at] as number)
  return combined
}
