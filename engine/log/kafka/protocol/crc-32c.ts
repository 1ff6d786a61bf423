/** The polynomial of Castagnoli, with its lowest bit first. */
const POLYNOMIAL = 0x82f63b78
const BYTE_VALUES = 256
/** Bytes that one turn of the loop takes. */
const SLICE_BYTES = 8
const TABLES = tablesOf(POLYNOMIAL)
/** One constant per table: an array of tables would be looked up again for every byte. */
const [T0, T1, T2, T3, T4, T5, T6, T7] = Array.from({ length: SLICE_BYTES }, (_, slice) =>
  TABLES.subarray(slice * BYTE_VALUES, (slice + 1) * BYTE_VALUES),
) as [Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array, Int32Array]

/**
 * CRC-32C of a part of a buffer, an unsigned number. Every turn of the loop must wait for the result of the previous one.
 * A turn therefore takes eight bytes, each from a table of its own ("slicing by 8").
 *
 * @param from first byte, inclusive
 * @param to   last byte, exclusive
 */
export function crc32c(bytes: Uint8Array, from: number, to: number): number {
  let crc = -1
  let at = from
  for (const sliced = to - SLICE_BYTES; at <= sliced; at += SLICE_BYTES) {
    crc =
      (T7[(crc ^ (bytes[at] as number)) & 0xff] as number) ^
      (T6[((crc >>> 8) ^ (bytes[at + 1] as number)) & 0xff] as number) ^
      (T5[((crc >>> 16) ^ (bytes[at + 2] as number)) & 0xff] as number) ^
      (T4[(crc >>> 24) ^ (bytes[at + 3] as number)] as number) ^
      (T3[bytes[at + 4] as number] as number) ^
      (T2[bytes[at + 5] as number] as number) ^
      (T1[bytes[at + 6] as number] as number) ^
      (T0[bytes[at + 7] as number] as number)
  }
  for (; at < to; at++) crc = (T0[(crc ^ (bytes[at] as number)) & 0xff] as number) ^ (crc >>> 8)
  return ~crc >>> 0
}

/** Table `n` has the remainder of each byte that `n` further bytes follow. */
function tablesOf(polynomial: number): Int32Array {
  const tables = new Int32Array(SLICE_BYTES * BYTE_VALUES)
  for (let value = 0; value < BYTE_VALUES; value++) {
    let remainder = value
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? polynomial : 0)
    tables[value] = remainder
  }
  for (let at = BYTE_VALUES; at < tables.length; at++) {
    const before = tables[at - BYTE_VALUES] as number
    tables[at] = (before >>> 8) ^ (tables[before & 0xff] as number)
  }
  return tables
}
