import { expect, test } from 'vitest'
import { scriptProblem } from './script-check.ts'

test.each([
  ['a function', 'function sum (accumulator, event) {\n  return accumulator + event.value\n}'],
  ['what fails or never ends when it runs', 'while (true) { missing() }'],
  ['what would load a module when it runs', 'import("fs")'],
  ['nothing', ''],
])('%s compiles, and is not run', (_name, source) => {
  expect(scriptProblem(source)).toBeUndefined()
})

test.each([
  ['an open brace', 'function f () {', 'Unexpected end of input (line 1, column 16)'],
  ['a name twice', 'let a = 1\n  let a = 2', "Identifier 'a' has already been declared (line 2, column 7)"],
  [
    'a statement of modules',
    'import x from "y"',
    'Cannot use import statement outside a module (line 1, column 1)',
  ],
  ['a return of no function', 'return 1', 'Illegal return statement (line 1, column 1)'],
  ['more brackets than a compiler takes', '('.repeat(60_000), 'it is nested too deeply'],
])('%s does not compile', (_name, source, reason) => {
  expect(scriptProblem(source)).toBe(`script is not valid JavaScript: ${reason}`)
})
