/** Literals that are allowed between references: components, section 9.4. */
const LITERALS = ' ,;:-'
const REFERENCE = /%\{\w+(?::[\w.[\]]+(:[^}]*)?)?\}/y

/**
 * Checks the form of a grok pattern: references, and the few literals that are allowed between them. The owner of the library
 * checks that each name exists.
 *
 * @returns the reason when the text does not have that form
 */
export function grokPatternProblem(text: string): string | undefined {
  let at = 0
  while (at < text.length) {
    REFERENCE.lastIndex = at
    const reference = REFERENCE.exec(text)
    if (reference !== null) {
      if (reference[1] !== undefined) return `Must be a valid grok pattern: ${reference[0]} has a type suffix`
      at = REFERENCE.lastIndex
    } else {
      const character = String.fromCodePoint(text.codePointAt(at) as number)
      if (text.startsWith('%{', at))
        return `Must be a valid grok pattern: no reference at character ${at + 1}`
      if (!LITERALS.includes(character))
        return `Must be a valid grok pattern: '${character}' must not stand between references`
      at += 1
    }
  }
  return undefined
}
