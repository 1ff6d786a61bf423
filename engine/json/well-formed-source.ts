import { finish, type Steps } from '../steps.ts'

const SURROGATE_ESCAPE = /\\(?:u([dD][89a-fA-F][0-9a-fA-F]{2})|[\s\S])/g
/** Escapes of one step: half a millisecond. */
const ESCAPES_OF_STEP = 4_000

/** Replaces escapes of half a surrogate pair by U+FFFD in JSON text; all else is unchanged. */
export function wellFormedSource(source: string): string {
  return mayHoldHalf(source) ? finish(replacingHalves(source)) : source.toWellFormed()
}

/** Like `wellFormedSource`, in steps. */
export function* makingWellFormed(source: string): Steps<string> {
  return mayHoldHalf(source) ? yield* replacingHalves(source) : source.toWellFormed()
}

function mayHoldHalf(source: string): boolean {
  return /\\u[dD]/.test(source)
}

function* replacingHalves(source: string): Steps<string> {
  /** Pieces of the present step. They are joined here, since a text of very many pieces is slow to read. */
  let pieces: string[] = []
  let result = ''
  let copied = 0
  let escapes = 0
  let high: { readonly start: number; readonly end: number } | undefined
  const replace = (start: number, end: number) => {
    pieces.push(source.slice(copied, start), '\\ufffd')
    copied = end
  }
  for (const { 0: matched, 1: unit, index: start } of source.matchAll(SURROGATE_ESCAPE)) {
    const isLow = unit !== undefined && /^[dD][c-fC-F]/.test(unit)
    const isPair = isLow && high?.end === start
    if (high !== undefined && !isPair) replace(high.start, high.end)
    if (isLow && !isPair) replace(start, start + matched.length)
    high = unit !== undefined && !isLow ? { start, end: start + matched.length } : undefined
    if (++escapes % ESCAPES_OF_STEP !== 0) continue
    result += pieces.join('')
    pieces = []
    yield
  }
  if (high !== undefined) replace(high.start, high.end)
  return (result + pieces.join('') + source.slice(copied)).toWellFormed()
}
