import type { Captures } from '../captures/capture-history.ts'
import { type CapturingExpression, capturingExpressionOf, shared } from '../captures/capturing-expression.ts'
import { parseExpression } from '../parse-expression.ts'
import { GROK_LIBRARY } from './grok-library.ts'

/** A reference to a pattern of the library, with the label of its capture. */
const REFERENCE = /%\{(\w+)(?::([\w.[\]]+))?\}/g
/** A character that means something in an expression. */
const SPECIAL = /[\\^$.*+?()[\]{}|]/g

/** A pattern of grok, compiled: components, section 9.4. */
export interface GrokExpression extends Pick<CapturingExpression, 'find'> {
  /** Labels in the order in which they first come. */
  readonly labels: readonly string[]
  /**
   * Labelled texts of a match, in the order of their labels. Of several captures with one label the first that is not empty counts.
   * Labels that took no part are left out. (Our choice.)
   */
  textsOf(text: string, captures: Captures): (readonly [label: string, text: string])[]
}

/** @param pattern was accepted by `grokPatternProblem` */
export function grokExpression(pattern: string): GrokExpression {
  return shared(`grok/${pattern}`, () => {
    const groups: string[] = []
    const expression = capturingExpressionOf(parseExpression(expandedPattern(pattern, groups), {}))
    const numbers = new Map<string, number[]>()
    for (const [index, label] of groups.entries())
      numbers.set(label, [...(numbers.get(label) ?? []), index + 1])
    return {
      names: expression.names,
      find: expression.find,
      labels: [...numbers.keys()],
      textsOf: (text: string, captures: Captures) => labelledTexts(text, captures, numbers),
    }
  })
}

/**
 * Expression of a pattern, whose groups are its labelled captures.
 *
 * @param groups receives the labels of the groups in their order
 */
export function expandedPattern(pattern: string, groups: string[]): string {
  let source = ''
  let at = 0
  for (const reference of pattern.matchAll(REFERENCE)) {
    source += pattern.slice(at, reference.index).replaceAll(SPECIAL, '\\$&')
    source += expandedReference(reference[1] as string, reference[2], groups)
    at = reference.index + reference[0].length
  }
  return source + pattern.slice(at).replaceAll(SPECIAL, '\\$&')
}

function expandedReference(name: string, label: string | undefined, groups: string[]): string {
  const definition = GROK_LIBRARY.get(name)
  if (definition === undefined) throw new RangeError(`no grok pattern ${name}`)
  if (label !== undefined) groups.push(label)
  const within = definition.replaceAll(REFERENCE, (_reference, inner: string, innerLabel?: string) =>
    expandedReference(inner, innerLabel, groups),
  )
  return label === undefined ? `(?:${within})` : `(${within})`
}

function labelledTexts(
  text: string,
  captures: Captures,
  numbers: ReadonlyMap<string, readonly number[]>,
): (readonly [string, string])[] {
  const texts: (readonly [string, string])[] = []
  for (const [label, ofLabel] of numbers) {
    let found: string | undefined
    for (const number of ofLabel) {
      const start = captures[2 * number] as number
      if (start < 0) continue
      found = text.slice(start, captures[2 * number + 1])
      if (found !== '') break
    }
    if (found !== undefined) texts.push([label, found])
  }
  return texts
}
