import { bytePool } from '../../memory/byte-pool.ts'

/** Typed buffers of columns, which grow and are given away when a block is made. */

/** The first row reserves space, so an empty column takes none. Later blocks start with the space of the previous one. */
export const INITIAL_ROWS = 8
/** Fields of a row that are appended in one step: a small part of a millisecond. */
export const ENTRIES_OF_STEP = 4_000
/** Capacities are multiples of this number, so blocks of nearly the same size have the same capacity. */
const CAPACITY_STEP = 16
/** A larger buffer is borrowed. It is given back when the block is stored. */
const POOLED_BYTES = 4096

export function bytesOf(values: Uint16Array | Uint32Array | Float64Array, count: number): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, count * values.BYTES_PER_ELEMENT)
}

export function grown<T extends Uint16Array | Uint32Array | Float64Array>(
  values: T,
  type: new (buffer: ArrayBufferLike, byteOffset: number, length: number) => T,
  least: number,
): T {
  const length = Math.max(values.length * 2, least)
  const { buffer, byteOffset } = room(length * values.BYTES_PER_ELEMENT)
  const next = new type(buffer, byteOffset, length)
  next.set(values)
  bytePool.giveBack(values.buffer)
  return next
}

/**
 * A small buffer is taken from Node's pool, whose pieces are aligned: returning small arrays of their own as bytes is
 * expensive.
 */
export function room(bytes: number): Buffer {
  return bytes < POOLED_BYTES ? Buffer.allocUnsafe(bytes) : Buffer.from(bytePool.borrow(bytes), 0, bytes)
}

/** Capacity for a block like the previous one and a little more, so that a steady load never grows a buffer. */
export function nextCapacity(used: number, initial: number): number {
  return Math.max(initial, Math.ceil((used * 9) / 8 / CAPACITY_STEP) * CAPACITY_STEP)
}
