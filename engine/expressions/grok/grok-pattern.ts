import { GROK_LIBRARY } from './grok-library.ts'
import { grokSteps, MAX_GROK_STEPS } from './grok-size.ts'

/** Literals that are allowed between references: components, section 9.4. */
const LITERALS = ' ,;:-'
const REFERENCE = /%\{(\w+)(?::[\w.[\]]+(:[^}]*)?)?\}/y

/**
 * Checks a grok pattern: references to patterns of the library, and the few literals that are allowed between them.
 *
 * @returns the reason when the text does not have that form
 */
export function grokPatternProblem(text: string): string | undefined {
  let at = 0
  while (at < text.length) {
    REFERENCE.lastIndex = at
    const reference = REFERENCE.exec(text)
    if (reference !== null) {
      const [text, name, suffix] = reference
      if (suffix !== undefined) return `Must be a valid grok pattern: ${text} has a type suffix`
      if (!GROK_LIBRARY.has(name as string))
        return `Must be a valid grok pattern: there is no pattern ${name}`
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
  if (grokSteps(text) > MAX_GROK_STEPS) return 'Must be a valid grok pattern: it is too large'
  return undefined
}
