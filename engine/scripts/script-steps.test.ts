import { expect, test } from 'vitest'
import type { Steps } from '../steps.ts'
import { compilingScript } from './compile-script.ts'
import { scriptRunProblem } from './script-run-problem.ts'

/** Result of work in steps, and the number of its pauses. */
function paused<Result>(steps: Steps<Result>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next()
    if (done) return { result: value, pauses }
  }
}

const repeated = (part: (index: number) => string) => {
  const parts = Array.from({ length: 50_000 / part(999).length }, (_, index) => part(index))
  return `function f(m) { ${parts.join('')} return m }`
}

test.each([
  ['declarations', repeated(index => `let a${index};`)],
  ['assignments', repeated(() => 'm.a=1;')],
  ['blocks', repeated(() => '{let a;}')],
  [
    'statements within many blocks',
    `function f(m) {${'{'.repeat(90)}${'m=m;'.repeat(12_000)}${'}'.repeat(91)}`,
  ],
  ['branches', `function f(m) { if (m) {} ${'else if (m) {}'.repeat(3_500)} }`],
  ['loops', repeated(() => 'for (const x of m) {}')],
])('a long script of %s is compiled in steps', (_form, script) => {
  expect(paused(compilingScript(script)).pauses).toBeGreaterThan(10)
})

test('a name within many blocks is found at once, and names of ended blocks are free again', () => {
  const { result } = paused(
    compilingScript('function f(m) { let a = 1; { let a = 2; m.b = a } m.a = a; return m }'),
  )
  const surroundings = { nowMs: 0, stateVariable: () => null, search: () => undefined as never }
  expect(result.call([{}], surroundings, 100)).toMatchObject({ value: { b: 2, a: 1 } })
})

test('the finding about a script is remembered', () => {
  const script = `${repeated(index => `let b${index};`)} more`
  const first = paused(scriptRunProblem(script))
  expect(first.pauses).toBeGreaterThan(5)
  expect(first.result).toMatchObject({ message: 'something follows the function', line: 1 })
  expect(paused(scriptRunProblem(script))).toEqual({ result: first.result, pauses: 0 })
})

test('findings about long scripts are forgotten when others come, those first that nobody asked for', () => {
  const [asked, forgotten] = ['c', 'd'].map(name => repeated(index => `let ${name}${index};`)) as [
    string,
    string,
  ]
  for (const script of [asked, forgotten]) paused(scriptRunProblem(script))
  for (let other = 0; other < 8; other++) {
    paused(scriptRunProblem(`function f(m) { /*${String(other).repeat(600_000)}*/ }`))
    expect(paused(scriptRunProblem(asked)).pauses).toBe(0)
  }
  expect(paused(scriptRunProblem(forgotten)).pauses).toBeGreaterThan(5)
})
