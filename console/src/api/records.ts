/** A number by its digits, since integers above 2^53 would lose some. */
export class ExactNumber {
  readonly digits: string

  constructor(digits: string) {
    this.digits = digits
  }
}

export type Value =
  | string
  | boolean
  | null
  | ExactNumber
  | readonly Value[]
  | { readonly [name: string]: Value }

/** A line of an answer. Its text is kept, and parsed when somebody looks at it. */
export interface LineText {
  readonly id: string
  readonly timeMs: number
  readonly text: string
}

export type LineMembers = Readonly<Record<string, Value>>

/** Parses a JSON text; numbers keep their digits. */
export function parseExact(text: string): Value {
  return JSON.parse(text, ((_name: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' ? new ExactNumber(context?.source ?? String(value)) : value) as never)
}

/** Texts of the elements of the array that a JSON text of the form `{"name":[…]}` contains. */
export function elementTexts(text: string): string[] {
  const elements: string[] = []
  let depth = 0
  let start = -1
  for (let at = text.indexOf('[') + 1; at < text.length; at++) {
    switch (text[at]) {
      case '"':
        at = endOfString(text, at)
        break
      case '{':
        if (depth++ === 0) start = at
        break
      case '}':
        if (--depth === 0) elements.push(text.slice(start, at + 1))
        if (depth < 0) return elements
        break
    }
  }
  return elements
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return text.length
}

/** Reads the members that a list of lines needs; the others are parsed later. */
export function lineText(text: string): LineText {
  const { _id, _ts } = JSON.parse(text) as { readonly _id: string; readonly _ts: number }
  return { id: _id, timeMs: _ts, text }
}

export function membersOf({ text }: LineText): LineMembers {
  return parseExact(text) as LineMembers
}

/** A value as the JSON text that was received, with indentation. */
export function shownJson(value: Value, indent = ''): string {
  if (value instanceof ExactNumber) return value.digits
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const deeper = `${indent}  `
  if (Array.isArray(value)) {
    const items = (value as readonly Value[]).map(item => `${deeper}${shownJson(item, deeper)}`)
    return items.length === 0 ? '[]' : `[\n${items.join(',\n')}\n${indent}]`
  }
  const members = Object.entries(value).map(
    ([name, member]) => `${deeper}${JSON.stringify(name)}: ${shownJson(member, deeper)}`,
  )
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`
}

/** A value on one line: texts as they are, others as JSON. */
export function shownValue(value: Value | undefined): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  return shownJson(value).replaceAll(/\s*\n\s*/g, ' ')
}
