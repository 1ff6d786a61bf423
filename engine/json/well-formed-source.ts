const SURROGATE_ESCAPE = /\\(?:u([dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])/g

/** Replaces escapes of half a surrogate pair by U+FFFD in JSON text; all else is unchanged. */
export function wellFormedSource(source: string): string {
  if (!/\\u[dD]/.test(source)) return source.toWellFormed()
  let result = ''
  let copied = 0
  let high: { readonly start: number; readonly end: number } | undefined
  const replace = (start: number, end: number) => {
    result += `${source.slice(copied, start)}\\ufffd`
    copied = end
  }
  for (const { 0: matched, 1: unit, index: start } of source.matchAll(SURROGATE_ESCAPE)) {
    const isLow = unit !== undefined && /^[dD][c-fC-F]/.test(unit)
    const isPair = isLow && high?.end === start
    if (high !== undefined && !isPair) replace(high.start, high.end)
    if (isLow && !isPair) replace(start, start + matched.length)
    high = unit !== undefined && !isLow ? { start, end: start + matched.length } : undefined
  }
  if (high !== undefined) replace(high.start, high.end)
  return (result + source.slice(copied)).toWellFormed()
}
