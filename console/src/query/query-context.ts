/** The part of a query at the cursor that can be completed. */
export type QueryContext =
  /** The beginning of a term: a word, or the name of a field. */
  | { readonly kind: 'term'; readonly prefix: string; readonly from: number; readonly to: number }
  /** The value of a field. */
  | {
      readonly kind: 'value'
      readonly field: string
      readonly prefix: string
      readonly from: number
      readonly to: number
    }

const BLANK = /\s/
const WORD = /[^\s()"]*/y
const OPERATOR = /^(-?(?:={1,3}|[<>]=?)?)/
const KEYWORD = /^(AND|OR|NOT)$/

/**
 * Finds the part of a query that ends at the cursor. It follows the scanner of the query language, but accepts texts
 * that are not complete.
 *
 * @param cursor index of a UTF-16 unit
 * @returns undefined where nothing can be completed, as within a phrase of the whole line
 */
export function queryContext(text: string, cursor: number): QueryContext | undefined {
  /** Fields of the open groups; an empty name for a group of terms. */
  const groups: string[] = []
  let at = 0
  while (at < cursor) {
    const character = text.charAt(at)
    if (BLANK.test(character)) {
      at++
      continue
    }
    if (character === ')') {
      groups.pop()
      at++
      continue
    }
    const group = groups.at(-1) ?? ''
    if (character === '(') {
      groups.push(group)
      at++
      continue
    }
    const read = readTerm(text, at, cursor, group)
    if (read.opensGroup !== undefined) groups.push(read.opensGroup)
    if (read.found !== undefined || read.isInPhrase) return read.found
    at = read.end
  }
  const field = groups.at(-1) ?? ''
  const place = { prefix: '', from: cursor, to: cursor }
  return field === '' ? { kind: 'term', ...place } : { kind: 'value', field, ...place }
}

interface ReadTerm {
  /** Index behind the term, or behind the parenthesis of its group. */
  readonly end: number
  readonly opensGroup?: string
  readonly found?: QueryContext | undefined
  readonly isInPhrase?: boolean
}

function readTerm(text: string, start: number, cursor: number, group: string): ReadTerm {
  const quote = text.charAt(start)
  if (quote === '"' || quote === "'") {
    const end = endOfPhrase(text, start)
    if (end < cursor || (end === cursor && isClosed(text, start, end))) return { end }
    return group === ''
      ? { end, isInPhrase: true }
      : { end, found: valueAt(group, text.slice(start + 1, cursor), start, cursor) }
  }
  WORD.lastIndex = start
  const word = WORD.exec(text)?.[0] ?? ''
  const end = start + word.length
  const colon = group === '' ? word.indexOf(':') : -1
  const field = colon > 0 ? word.slice(0, colon).replace(/^-/, '') : group
  if (field === '') {
    if (end < cursor) return { end: Math.max(end, start + 1) }
    const shown = text.slice(start, cursor)
    const skipped = shown.startsWith('-') ? 1 : 0
    return {
      end,
      found: { kind: 'term', prefix: shown.slice(skipped), from: start + skipped, to: cursor },
    }
  }
  const valueStart = colon > 0 ? start + colon + 1 : start
  return readValue(text, { field, start: valueStart, end }, cursor)
}

function readValue(
  text: string,
  { field, start, end }: { readonly field: string; readonly start: number; readonly end: number },
  cursor: number,
): ReadTerm {
  const operator = OPERATOR.exec(text.slice(start, end))?.[0] ?? ''
  const valueStart = start + operator.length
  const next = text.charAt(valueStart)
  if (next === '(' && valueStart < cursor) return { end: valueStart + 1, opensGroup: field }
  if (next === '"' || next === "'") return phraseValue(text, field, valueStart, cursor)
  if (next === '[') return listValue(text, field, valueStart, cursor)
  if (end < cursor) return { end: Math.max(end, start + 1) }
  if (valueStart > cursor || KEYWORD.test(text.slice(valueStart, cursor))) return { end, isInPhrase: true }
  return { end, found: valueAt(field, text.slice(valueStart, cursor), valueStart, cursor) }
}

function phraseValue(text: string, field: string, start: number, cursor: number): ReadTerm {
  const end = endOfPhrase(text, start)
  if (end < cursor || (end === cursor && isClosed(text, start, end))) return { end }
  return { end, found: valueAt(field, text.slice(start + 1, cursor), start, cursor) }
}

function listValue(text: string, field: string, start: number, cursor: number): ReadTerm {
  const close = text.indexOf(']', start)
  if (close !== -1 && close < cursor) return { end: close + 1 }
  const from = Math.max(start, text.lastIndexOf(',', cursor - 1)) + 1
  return { end: cursor, found: valueAt(field, text.slice(from, cursor), from, cursor) }
}

function valueAt(field: string, prefix: string, from: number, to: number): QueryContext {
  return { kind: 'value', field, prefix, from, to }
}

/** Index behind the closing quote, or the length of the text. */
function endOfPhrase(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === text[start]) return at + 1
  }
  return text.length
}

function isClosed(text: string, start: number, end: number): boolean {
  return end - start > 1 && text[end - 1] === text[start]
}
