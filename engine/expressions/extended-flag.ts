/** An escaped character, a class, the beginning of a group with flags, or another character. Blanks within a class count. */
const PART = /\\[\s\S]|\[\^?\]?(?:\\[\s\S]|[^\]\\])*\]|\(\?([A-Za-z]*)(?:-([A-Za-z]*))?([:)])|[\s\S]/y
/** Parts that the flag `x` ignores. */
const IGNORED = /\s+|#[^\n]*/y

/**
 * The expression without the flag `x`, which the engine does not support, and without the white space and comments that it ignores.
 * The flag holds until its group ends, like every other.
 */
export function withoutExtended(source: string): string {
  let without = ''
  let isExtended = false
  let isQuoted = false
  /** Whether the flag held before each open group. */
  const before: boolean[] = []
  for (let at = 0; at < source.length; ) {
    const ignored = isExtended ? partAt(IGNORED, source, at) : undefined
    const [part, on, off, end] = ignored ?? (partAt(PART, source, at) as RegExpExecArray)
    at += part.length
    if (ignored !== undefined) continue
    if (part === '\\Q' || part === '\\E') isQuoted = part === '\\Q'
    if (isQuoted || end === undefined) without += part
    else without += flagGroup(on as string, off, end)
    if (isQuoted) continue
    if (part === ')') isExtended = before.pop() ?? isExtended
    if (part === '(' || end === ':') before.push(isExtended)
    if (on?.includes('x')) isExtended = true
    if (off?.includes('x')) isExtended = false
  }
  return without
}

function partAt(expression: RegExp, source: string, at: number): RegExpExecArray | undefined {
  expression.lastIndex = at
  return expression.exec(source) ?? undefined
}

/** Beginning of a group with flags, without the flag `x`; empty where nothing is left to set. */
function flagGroup(on: string, off: string | undefined, end: string): string {
  const [set, cleared] = [on.replaceAll('x', ''), off?.replaceAll('x', '')]
  const hadFlag = set !== on || cleared !== off
  if (!hadFlag) return `(?${on}${off === undefined ? '' : `-${off}`}${end}`
  const flags = cleared ? `${set}-${cleared}` : set
  return flags === '' && end === ')' ? '' : `(?${flags}${end}`
}
