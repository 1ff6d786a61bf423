/** Texts that are read as a number: JSON's form, with leading zeros. The store's engine reads the same ones. */
export const NUMBER_PATTERN = '^-?[0-9]+(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$'

const NUMBER = new RegExp(NUMBER_PATTERN)
/** JSON form of an integer that a double cannot represent, and of some that it can. */
export const BIG_INTEGER_PATTERN = '^-?[1-9][0-9]{15,}$'

const INTEGER = /^-?[0-9]+$/
const LEADING_ZEROS = /^(-?)0+/

/** @returns undefined when the text as a whole is not a number */
export function readNumber(text: string): number | undefined {
  return NUMBER.test(text) ? Number(text) : undefined
}

/** True for an integer that a double cannot represent: neighbours would compare as equal. */
function isBeyondDouble(text: string): boolean {
  return INTEGER.test(text) && !Number.isSafeInteger(Number(text))
}

/** The integer in JSON's form when a double cannot represent it. */
export function bigIntegerText(text: string): string | undefined {
  return isBeyondDouble(text) ? text.replace(LEADING_ZEROS, '$1') : undefined
}
