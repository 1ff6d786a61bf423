import { MAX_PROBLEMS } from './problem.ts'

/** Loops over what a user sent: the elements of a list, and the members of an object. */
const ELEMENTS = /^for\(let (i\d+)=0; \1<(\w+); \1\+\+\)\{$/
const MEMBERS = /^for\(const (key\d+) in \w+\)\{$/
/** Loops over findings, which are bounded with the others, and those of `uniqueItems`, which find one thing at most. */
const OTHERS = /^for\((?:let (i\d+)=\w+; \1<errors; \1\+\+|;i\d+--;|j\d+ = i\d+; j\d+--;)\)\{$/

/**
 * Rewrites the code that Ajv generates with `allErrors`, so that no loop goes on once it has found as much as anybody is
 * told. Otherwise one request with nothing but mistakes stops the process for minutes: each finding of a keyword of our
 * own copies all findings before it. A loop that was left has found something, so nothing becomes valid by it.
 *
 * @throws Error when a version of Ajv generates other loops than this one knows
 */
export function withBoundedLoops(code: string): string {
  return code.replaceAll(/for\([^{]*\{/g, head => {
    const [, element, length] = ELEMENTS.exec(head) ?? []
    if (element !== undefined)
      return `for(let ${element}=0, before_${element}=errors; ${element}<${length} && errors-before_${element}<${MAX_PROBLEMS}; ${element}++){`
    const [, key] = MEMBERS.exec(head) ?? []
    if (key !== undefined)
      return `const before_${key}=errors;${head}if(errors-before_${key}>=${MAX_PROBLEMS})break;`
    if (OTHERS.test(head)) return head
    throw new Error(`Ajv generates a loop that nobody has bounded: ${head}`)
  })
}
