import { QUOTE } from './characters'

/** Members of a line as bits, so that a repeated one is noticed. Two names of one member share a bit. */
export const LINE: u32 = 1
export const TIMESTAMP: u32 = 2
export const APP: u32 = 4
export const LEVEL: u32 = 8
export const ENV: u32 = 16
export const META: u32 = 32
export const FILE: u32 = 64
export const HOST: u32 = 128

// Names with the quote behind them, as little-endian numbers of their bytes. Longer names are cut.
const LINE_KEY: u64 = 0x22656e696c
const LEVEL_KEY: u64 = 0x226c6576656c
const TIMESTAM: u64 = 0x6d617473656d6974
const P_AND_QUOTE: u16 = 0x2270
const APP_KEY: u64 = 0x22707061
const ENV_KEY: u64 = 0x22766e65
const META_KEY: u64 = 0x226174656d
const FILE_KEY: u64 = 0x22656c6966
const HOST_KEY: u64 = 0x2274736f68
const HOSTNAME: u64 = 0x656d616e74736f68

const FOUR_BYTES: u64 = 0xffffffff
const FIVE_BYTES: u64 = 0xffffffffff
const SIX_BYTES: u64 = 0xffffffffffff

let keyEnd: usize = 0

/** Place behind the quote of the name that `memberAt` has read. */
export function memberKeyEnd(): usize {
  return keyEnd
}

/** @param at place of the opening quote @returns 0 for any other name */
export function memberAt(at: usize): u32 {
  if (load<u8>(at) !== QUOTE) return 0
  at++
  const key = load<u64>(at)
  switch (<u8>key) {
    case 0x6c /* l */:
      if ((key & FIVE_BYTES) === LINE_KEY) return named(LINE, at + 5)
      return (key & SIX_BYTES) === LEVEL_KEY ? named(LEVEL, at + 6) : 0
    case 0x61 /* a */:
      return (key & FOUR_BYTES) === APP_KEY ? named(APP, at + 4) : 0
    case 0x74 /* t */:
      return key === TIMESTAM && load<u16>(at + 8) === P_AND_QUOTE ? named(TIMESTAMP, at + 10) : 0
    case 0x6d /* m */:
      return (key & FIVE_BYTES) === META_KEY ? named(META, at + 5) : 0
    case 0x65 /* e */:
      return (key & FOUR_BYTES) === ENV_KEY ? named(ENV, at + 4) : 0
    case 0x66 /* f */:
      return (key & FIVE_BYTES) === FILE_KEY ? named(FILE, at + 5) : 0
    case 0x68 /* h */:
      if ((key & FIVE_BYTES) === HOST_KEY) return named(HOST, at + 5)
      return key === HOSTNAME && load<u8>(at + 8) === QUOTE ? named(HOST, at + 9) : 0
    default:
      return 0
  }
}

function named(member: u32, end: usize): u32 {
  keyEnd = end
  return member
}
