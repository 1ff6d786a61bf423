import { DOT, isDigit, MINUS, ZERO } from './characters'

/** A u64 holds any number of that many digits. */
const MAX_DIGITS: u32 = 19
const MAX_SAFE_INTEGER: u64 = 9007199254740991
/** Largest power of ten that a double holds exactly. */
const MAX_EXACT_POWER: i32 = 22
/** Largest power of ten that a u64 holds. */
const MAX_INTEGER_POWER: i32 = 19
const MAX_EXPONENT_DIGITS: u32 = 3
/** JavaScript writes a smaller number with an exponent: 0.000001 is the last one with leading zeros alone. */
const MAX_LEADING_ZEROS: u32 = 5
/** Every decimal number of that many digits is the shortest text of its double. */
const MAX_FAITHFUL_DIGITS: u32 = 15

// The number that `readNumber` has read.
let isNegative: bool = false
let digits: u64 = 0
let significantDigits: u32 = 0
let fractionDigits: u32 = 0
let fractionZeros: u32 = 0
let exponent: i32 = 0
let isInteger: bool = false
let hasExponent: bool = false
let endsWithZero: bool = false

/** @returns the place behind the number; 0 when there is none, or it has too many digits */
export function readNumber(at: usize): usize {
  isNegative = load<u8>(at) === MINUS
  if (isNegative) at++
  digits = 0
  significantDigits = 0
  fractionDigits = 0
  fractionZeros = 0
  exponent = 0
  isInteger = true
  hasExponent = false
  endsWithZero = false
  const first = at
  at = readDigits(at)
  if (at === first || (at > first + 1 && load<u8>(first) === ZERO)) return 0
  if (load<u8>(at) === DOT) at = readFraction(at + 1)
  if (at !== 0 && (load<u8>(at) | 0x20) === 0x65 /* e */) at = readExponent(at + 1)
  return significantDigits > MAX_DIGITS ? 0 : at
}

function readDigits(at: usize): usize {
  for (let byte = load<u8>(at); isDigit(byte); byte = load<u8>(++at)) {
    digits = digits * 10 + (byte - ZERO)
    if (digits !== 0 || significantDigits !== 0) significantDigits++
  }
  return at
}

function readFraction(at: usize): usize {
  isInteger = false
  const first = at
  if (digits === 0) while (load<u8>(first + fractionZeros) === ZERO) fractionZeros++
  at = readDigits(at)
  fractionDigits = <u32>(at - first)
  endsWithZero = load<u8>(at - 1) === ZERO
  return at === first ? 0 : at
}

function readExponent(at: usize): usize {
  isInteger = false
  hasExponent = true
  const sign = load<u8>(at)
  const isLess = sign === MINUS
  if (isLess || sign === 0x2b /* + */) at++
  const first = at
  for (let byte = load<u8>(at); isDigit(byte); byte = load<u8>(++at)) exponent = exponent * 10 + (byte - ZERO)
  if (at === first || at > first + MAX_EXPONENT_DIGITS) return 0
  if (isLess) exponent = -exponent
  return at
}

/** Whether the program keeps all digits of the number, as an integer that no double holds. */
export function isBigInteger(): bool {
  return isInteger && digits > MAX_SAFE_INTEGER
}

/** Whether the number is written as `String` of it, and has no sign. */
export function isPlainInteger(): bool {
  return isInteger && !isNegative && significantDigits <= MAX_FAITHFUL_DIGITS
}

/** Whether a number of that many bytes stands in a slot of its own: see `SLOT_KIND`. */
export function isSlotNumber(length: usize): bool {
  if (hasExponent || (isNegative && digits === 0)) return false
  return length - usize(isNegative) - usize(!isInteger) <= MAX_FAITHFUL_DIGITS
}

/** Whether JavaScript writes the number as it was sent. */
export function isCompact(): bool {
  if (isInteger) return digits !== 0 || !isNegative
  if (hasExponent || endsWithZero || fractionZeros > MAX_LEADING_ZEROS) return false
  return significantDigits <= MAX_FAITHFUL_DIGITS
}

/** The nearest double, ties to even, as in JavaScript; NaN when that takes more than a few steps. */
export function numberValue(): f64 {
  const magnitude = magnitudeOf(exponent - <i32>fractionDigits)
  return isNegative ? -magnitude : magnitude
}

/** @param power of ten by which the digits are multiplied */
function magnitudeOf(power: i32): f64 {
  if (power === 0) return <f64>digits
  if (digits <= MAX_SAFE_INTEGER && power >= -MAX_EXACT_POWER && power <= MAX_EXACT_POWER) {
    // The two operands are exact, so the one operation rounds once.
    return power < 0 ? <f64>digits / exactPower(-power) : <f64>digits * exactPower(power)
  }
  return power < 0 && power >= -MAX_INTEGER_POWER ? quotient(digits, integerPower(-power)) : NaN
}

const EXACT_POWERS = memory.data<f64>([
  1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
  1e20, 1e21, 1e22,
])

function exactPower(power: i32): f64 {
  return load<f64>(EXACT_POWERS + ((<usize>power) << 3))
}

function integerPower(power: i32): u64 {
  let value: u64 = 1
  for (; power > 0; power--) value *= 10
  return value
}

/** The double nearest to a quotient of integers above zero: 64 bits of long division, and whether a rest is left. */
function quotient(dividend: u64, divisor: u64): f64 {
  const dividendShift = clz(dividend)
  const divisorShift = clz(divisor)
  let rest = dividend << dividendShift
  const part = divisor << divisorShift
  let bits: u64 = 0
  let carry: u64 = 0
  for (let count = 0; count < 64; count++) {
    const fits = carry !== 0 || rest >= part
    if (fits) rest -= part
    bits = (bits << 1) | u64(fits)
    carry = rest >> 63
    rest <<= 1
  }
  // The last bit is far below those that a double keeps, so it may stand for all that follow.
  if (rest !== 0 || carry !== 0) bits |= 1
  return <f64>bits * powerOfTwo(<i64>divisorShift - <i64>dividendShift - 63)
}

function powerOfTwo(power: i64): f64 {
  return reinterpret<f64>((<u64>(power + 1023)) << 52)
}
