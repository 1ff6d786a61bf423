import { defineParser } from './define-parser.ts'

const FORM = /^([+-]?)(?:0x([\da-fA-F]+)|0o([0-7]+)|0b([01]+)|0([0-7]*)|([1-9]\d*))$/
/** The prefixes before the fourteenth behaviour. */
const FORM_OF_EITHER_CASE = new RegExp(FORM, 'i')
/** Digits of an integer of 64 bits in base 2. */
const MAX_DIGITS = 64
const MIN = -(2n ** 63n)
const MAX = 2n ** 63n - 1n

/** An integer of 64 bits. A leading 0 means octal, as in C; prefixes are lower case. */
export const int = defineParser({
  id: 'parse_int',
  compile: (_options, meter) => text => {
    const match = (meter.readsUpperPrefixes ? FORM_OF_EITHER_CASE : FORM).exec(text)
    if (match === null) return undefined
    const [, sign, hex, octal, binary, zero, decimal] = match
    const digits = (hex ?? octal ?? binary ?? zero ?? decimal ?? '').replace(/^0+/, '')
    if (digits.length > MAX_DIGITS) return undefined
    const base = hex !== undefined ? '0x' : binary !== undefined ? '0b' : decimal !== undefined ? '' : '0o'
    const size = digits === '' ? 0n : BigInt(`${base}${digits}`)
    const value = sign === '-' ? -size : size
    if (value < MIN || value > MAX) return undefined
    const number = Number(value)
    return Number.isSafeInteger(number) ? number : value
  },
  examples: [
    { text: '-42', value: -42 },
    { text: '0', value: 0 },
    { text: '0x1F', value: 31 },
    { text: '0X1F' },
    { text: '0o17', value: 15 },
    { text: '0b101', value: 5 },
    { text: '017', value: 15 },
    { text: '9223372036854775807', value: 9223372036854775807n },
    { text: '9223372036854775808' },
    { text: '08' },
    { text: ' 1' },
    { text: '1.0' },
  ],
})
