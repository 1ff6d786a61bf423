import type { ExpressionTree } from './expression-tree.ts'

/** Maximum number of texts: more of them take as long to search for as the expression. */
const MAX_TEXTS = 16

/** Texts, of which each match contains at least one; undefined: none are known. */
type Required = readonly string[] | undefined

/**
 * Texts that a text must contain for an expression to match in it: at least one of them. A search for them is many times faster than the
 * expression.
 *
 * @returns undefined when no such texts are known
 */
export function requiredTexts(tree: ExpressionTree): readonly string[] | undefined {
  switch (tree.kind) {
    case 'set':
      return tree.set.single === undefined ? undefined : [tree.set.single]
    case 'edge':
      return undefined
    case 'group':
      return requiredTexts(tree.of)
    case 'repeat':
      return tree.least > 0 ? requiredTexts(tree.of) : undefined
    case 'choice':
      return ofChoice(tree.options)
    case 'sequence':
      return ofSequence(tree.parts)
  }
}

function ofChoice(options: readonly ExpressionTree[]): Required {
  const texts = new Set<string>()
  for (const option of options) {
    const required = requiredTexts(option)
    if (required === undefined) return undefined
    for (const text of required) texts.add(text)
  }
  return texts.size <= MAX_TEXTS ? [...texts] : undefined
}

/** Neighbouring characters are one text. Of several parts the one with the longest texts counts. */
function ofSequence(parts: readonly ExpressionTree[]): Required {
  let best: Required
  let run = ''
  const consider = (texts: Required) => {
    if (texts !== undefined && shortest(texts) > shortest(best)) best = texts
  }
  for (const part of parts) {
    const character = part.kind === 'set' ? part.set.single : undefined
    if (character !== undefined) run += character
    if (character !== undefined || part.kind === 'edge') continue
    if (run !== '') consider([run])
    run = ''
    consider(requiredTexts(part))
  }
  if (run !== '') consider([run])
  return best
}

function shortest(texts: Required): number {
  return texts === undefined ? 0 : Math.min(...texts.map(({ length }) => length))
}
