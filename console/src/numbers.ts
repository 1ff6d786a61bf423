const WHOLE = new Intl.NumberFormat('en')
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB']

/** A whole number with separators, in full. */
export function count(value: number): string {
  return WHOLE.format(value)
}

/** A number of bytes with three digits and a unit of a thousand, as `1.23 MB`. */
export function size(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 ? String(value) : value.toPrecision(3)} ${UNITS[unit]}`
}

/** A share in percent: values that are not nothing are never shown as 0. */
export function percent(part: number, whole: number): string {
  if (whole === 0 || part === 0) return '0 %'
  const value = (part / whole) * 100
  return value < 0.1 ? '< 0.1 %' : `${value.toFixed(1)} %`
}

const TYPED_SIZE = /^(\d{1,15}(?:\.\d{1,6})?)\s*([kMGTP]?B)?$/

/** Reads a number of bytes, as `1.5 GB` or `4000`. @returns undefined for anything else */
export function typedSize(text: string): number | undefined {
  const [, amount, unit = 'B'] = TYPED_SIZE.exec(text.trim()) ?? []
  if (amount === undefined) return undefined
  const bytes = Math.round(Number(amount) * 1000 ** UNITS.indexOf(unit))
  return Number.isSafeInteger(bytes) ? bytes : undefined
}
