const UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']

/** A number of bytes for people, in powers of 1,000: `1.5 MB`. */
export function byteSize(bytes: number): string {
  let value = bytes
  let unit = 0
  // 999.5 would be printed as 1000, so it uses the next unit.
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1000
    unit++
  }
  const digits = unit === 0 || value >= 99.5 ? 0 : value >= 9.95 ? 1 : 2
  return `${value.toFixed(digits)} ${UNITS[unit]}`
}

/** A whole number with separators, the same on every machine: `1,234,567`. */
export function grouped(count: number): string {
  return Math.round(count).toLocaleString('en-US')
}

/** Three significant digits for people: a table is not an account of single lines. */
export function rate(perSecond: number): string {
  if (perSecond === 0) return '-'
  return perSecond >= 99.5 ? grouped(perSecond) : perSecond.toPrecision(3)
}
