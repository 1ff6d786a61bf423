/** Whether bytes are valid UTF-8: other bytes become another text when they are decoded, so their row falls back. */
export function isUtf8(at: usize, end: usize): bool {
  while (at < end) {
    const others = i8x16.bitmask(v128.load(at))
    if (others === 0) {
      at += 16
      continue
    }
    at += ctz(others)
    if (at >= end) return true
    const size = characterSize(at, end)
    if (size === 0) return false
    at += size
  }
  return true
}

/** Bytes of the character at a place; 0 when there is none. */
function characterSize(at: usize, end: usize): usize {
  const lead = load<u8>(at)
  if (lead < 0x80) return 1
  if (lead < 0xc2 || lead > 0xf4) return 0
  const size: usize = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4
  if (at + size > end) return 0
  for (let index: usize = 1; index < size; index++) if ((load<u8>(at + index) & 0xc0) !== 0x80) return 0
  return isShortestForm(lead, load<u8>(at + 1)) ? size : 0
}

/** Whether the second byte belongs to a character that needs that many bytes, and is half of no pair of surrogates. */
function isShortestForm(lead: u8, second: u8): bool {
  if (lead === 0xe0) return second >= 0xa0
  if (lead === 0xed) return second < 0xa0
  if (lead === 0xf0) return second >= 0x90
  if (lead === 0xf4) return second < 0x90
  return true
}

/** Writes the UTF-8 of a code point. @returns the place behind it */
export function writeCodePoint(to: usize, point: u32): usize {
  if (point < 0x80) {
    store<u8>(to, <u8>point)
    return to + 1
  }
  if (point < 0x800) {
    store<u8>(to, <u8>(0xc0 | (point >> 6)))
    return writeContinuation(to + 1, point)
  }
  if (point < 0x10000) {
    store<u8>(to, <u8>(0xe0 | (point >> 12)))
    return writeContinuation(writeContinuation(to + 1, point >> 6), point)
  }
  store<u8>(to, <u8>(0xf0 | (point >> 18)))
  return writeContinuation(writeContinuation(writeContinuation(to + 1, point >> 12), point >> 6), point)
}

function writeContinuation(to: usize, bits: u32): usize {
  store<u8>(to, <u8>(0x80 | (bits & 0x3f)))
  return to + 1
}
