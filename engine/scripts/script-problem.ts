/** The reason why a text is not a script, with its place. Thrown while a script is read or compiled. */
export class ScriptProblem extends Error {
  override readonly name = 'ScriptProblem'
  /** Position in the text, in UTF-16 units. */
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

const LINE_BREAK = /\r\n|[\n\r\u2028\u2029]/g

/** Place in a text for people; both numbers count from 1, columns in UTF-16 units. */
export interface TextPlace {
  readonly line: number
  readonly column: number
}

export function placeOf(text: string, at: number): TextPlace {
  let line = 1
  let lineStart = 0
  for (const { 0: lineBreak, index } of text.matchAll(LINE_BREAK)) {
    if (index + lineBreak.length > at) break
    line++
    lineStart = index + lineBreak.length
  }
  return { line, column: at - lineStart + 1 }
}
