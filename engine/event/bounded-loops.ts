import { MAX_PROBLEMS } from './problem.ts'

/** Loops over user input: the elements of a list, or the members of an object. */
const ELEMENTS = /^for\(let (i\d+)=0; \1<(\w+); \1\+\+\)\{$/
const MEMBERS = /^for\(const (key\d+) in \w+\)\{$/
/** Loops over findings, which are bounded with the others, and the loops of `uniqueItems`, which report at most one finding. */
const OTHERS = /^for\((?:let (i\d+)=\w+; \1<errors; \1\+\+|;i\d+--;|j\d+ = i\d+; j\d+--;)\)\{$/

/**
 * Rewrites the code that Ajv generates with `allErrors`, so that each loop ends once it has as many findings as are reported.
 * Otherwise a request that consists of mistakes blocks the process for minutes: each finding of a custom keyword copies all
 * findings before it. A loop that ended early has a finding, so invalid input never becomes valid.
 *
 * @throws Error when a version of Ajv generates loops of another form
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
