/** Whether two stretches of bytes are equal. Up to 7 bytes behind them are read. */
export function areEqual(one: usize, other: usize, length: usize): bool {
  while (length > 8) {
    if (load<u64>(one) !== load<u64>(other)) return false
    one += 8
    other += 8
    length -= 8
  }
  return length === 0 || first(load<u64>(one) ^ load<u64>(other), length) === 0
}

/** The first `length` bytes of eight, from 1 to 8; the others are zero. */
function first(bytes: u64, length: usize): u64 {
  return bytes << (64 - ((<u64>length) << 3))
}

/**
 * Hash of all bytes of a key below a parent. It need not be secret. The number of slots in which a name is sought is
 * bounded, and another seed moves names whose slots are full.
 */
export function hashOf(at: usize, length: usize, parent: u32, seed: u32): u64 {
  let hash: u64 = ((<u64>seed) << 32) | parent
  hash = (hash ^ (hash >> 31) ^ length) * 0x9e3779b97f4a7c15
  while (length > 8) {
    hash = mixed(hash, load<u64>(at))
    at += 8
    length -= 8
  }
  if (length > 0) hash = mixed(hash, first(load<u64>(at), length))
  return hash ^ (hash >> 29)
}

function mixed(hash: u64, bytes: u64): u64 {
  hash = (hash ^ bytes) * 0xff51afd7ed558ccd
  return (hash ^ (hash >> 32)) * 0xc4ceb9fe1a85ec53
}

/** Copies in steps of 16 bytes; up to 15 bytes behind the target are overwritten. */
export function copyBytes(to: usize, from: usize, length: usize): void {
  if (length > 64) {
    memory.copy(to, from, length)
    return
  }
  const end = from + length
  while (from < end) {
    v128.store(to, v128.load(from))
    from += 16
    to += 16
  }
}

/** Writes a length as a varint. @returns the place behind it */
export function writeLength(to: usize, length: usize): usize {
  while (length >= 0x80) {
    store<u8>(to++, <u8>(length | 0x80))
    length >>= 7
  }
  store<u8>(to, <u8>length)
  return to + 1
}

export function lengthSize(length: usize): usize {
  let size: usize = 1
  while (length >= 0x80) {
    length >>= 7
    size++
  }
  return size
}
