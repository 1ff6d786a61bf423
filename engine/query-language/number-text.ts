/** The texts that read as a number: JSON's form, leading zeros allowed. The store's engine reads the same ones. */
export const NUMBER_PATTERN = '^-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$'

const NUMBER = new RegExp(NUMBER_PATTERN)
/** How JSON writes an integer that a double cannot hold, and some that it can. */
export const BIG_INTEGER_PATTERN = '^-?[1-9][0-9]{15,}$'

const INTEGER = /^-?[0-9]+$/
const LEADING_ZEROS = /^(-?)0+/

/** @returns undefined when the whole text does not read as a number */
export function readNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined
}

/** True for an integer that a double cannot hold: neighbours would compare as equal. */
function isBeyondDouble(text: string): boolean {
  return INTEGER.test(text) && !Number.isSafeInteger(Number(text))
}

/** The text as JSON writes this integer, when a double cannot hold it. */
export function bigIntegerText(text: string): string | undefined {
  return isBeyondDouble(text) ? text.replace(LEADING_ZEROS, '$1') : undefined
}
