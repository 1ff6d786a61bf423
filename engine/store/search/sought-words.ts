import { keysOfTerm, type StartKeys } from '../../lines/word-filter/word-keys.ts'

/** Starts of tokens that the filters are asked for; every line of a query's answer has them. */
export type SoughtWords =
  | { readonly kind: 'start'; readonly start: StartKeys }
  | { readonly kind: 'all' | 'any'; readonly operands: readonly SoughtWords[] }

/** Further starts of the same term exclude few segments. */
const STARTS_OF_TERM = 2
/** Each start is a condition of the statement. More are not worth it. */
const MAX_STARTS = 24

/** Starts that every text with a match of a term has, the most selective first; undefined: none is known. */
export function soughtInText(text: string): SoughtWords | undefined {
  const starts = keysOfTerm(text).toSorted((a, b) => b.hashes.length - a.hashes.length)
  return allSought(starts.slice(0, STARTS_OF_TERM).map(start => ({ kind: 'start', start })))
}

/** Each operand must hold; undefined operands hold for any line. */
export function allSought(operands: readonly (SoughtWords | undefined)[]): SoughtWords | undefined {
  return joined(
    'all',
    operands.filter(operand => operand !== undefined),
  )
}

/** One of the operands must hold. */
export function anySought(operands: readonly (SoughtWords | undefined)[]): SoughtWords | undefined {
  const known = operands.filter(operand => operand !== undefined)
  return known.length < operands.length ? undefined : joined('any', known)
}

function joined(kind: 'all' | 'any', operands: readonly SoughtWords[]): SoughtWords | undefined {
  if (operands.length <= 1) return operands[0]
  return { kind, operands }
}

/** All starts, each once; undefined when there are more than a statement asks for. */
export function startsOf(sought: SoughtWords): StartKeys[] | undefined {
  const starts = new Map<string, StartKeys>()
  const collect = (part: SoughtWords) => {
    if (part.kind === 'start') starts.set(nameOf(part.start), part.start)
    else part.operands.forEach(collect)
  }
  collect(sought)
  return starts.size > MAX_STARTS ? undefined : [...starts.values()]
}

/** Whether a segment may have a line of the answer. @param has whether it may have a start */
export function mayHold(sought: SoughtWords, has: (start: StartKeys) => boolean): boolean {
  if (sought.kind === 'start') return has(sought.start)
  const holds = (operand: SoughtWords) => mayHold(operand, has)
  return sought.kind === 'all' ? sought.operands.every(holds) : sought.operands.some(holds)
}

/** The keys of a start as a text, for maps. */
export function nameOf({ section, hashes }: StartKeys): string {
  return `${section} ${hashes.join()}`
}
