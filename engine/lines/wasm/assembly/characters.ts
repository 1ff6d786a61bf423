export const TAB: u8 = 0x09
export const NEWLINE: u8 = 0x0a
export const CARRIAGE_RETURN: u8 = 0x0d
export const SPACE: u8 = 0x20
export const QUOTE: u8 = 0x22
export const COMMA: u8 = 0x2c
export const MINUS: u8 = 0x2d
export const DOT: u8 = 0x2e
export const SLASH: u8 = 0x2f
export const ZERO: u8 = 0x30
export const NINE: u8 = 0x39
export const COLON: u8 = 0x3a
export const OPENING_BRACKET: u8 = 0x5b
export const BACKSLASH: u8 = 0x5c
export const CLOSING_BRACKET: u8 = 0x5d
export const OPENING_BRACE: u8 = 0x7b
export const CLOSING_BRACE: u8 = 0x7d

export function isDigit(byte: u8): bool {
  return <u8>(byte - ZERO) <= 9
}

/** White space of texts, as in the complete rules: more than that of JSON. */
export function isTextBlank(byte: u8): bool {
  return byte === SPACE || <u8>(byte - TAB) <= 4
}

function isJsonBlank(byte: u8): bool {
  return byte === SPACE || byte === NEWLINE || byte === TAB || byte === CARRIAGE_RETURN
}

/** First place from `at` on that is not white space of JSON. */
export function skipBlanks(at: usize): usize {
  while (isJsonBlank(load<u8>(at))) at++
  return at
}
