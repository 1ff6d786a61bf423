import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { expressions, texts } from '../../test/support/drawn-expressions.ts'
import { automatonSize } from './automaton-size.ts'
import { CountedMatching, START_UNITS } from './counted-matching.ts'
import { type ExpressionProgram, expressionProgram, Step } from './expression-program.ts'
import { expressionSize } from './expression-size.ts'
import { compileRegularExpression, UNCOUNTED_SIZE } from './regular-expression.ts'

function matchingOf(source: string, text: string, ignoreCase = false): CountedMatching {
  return new CountedMatching(expressionProgram(source, ignoreCase), text)
}

function matches(source: string, text: string, ignoreCase: boolean): boolean | undefined {
  return matchingOf(source, text, ignoreCase).run(Number.POSITIVE_INFINITY)
}

function compiledByLibrary(source: string, ignoreCase: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch {
    return undefined
  }
}

test('an expression matches in the same places as in the library', () => {
  let compared = 0
  const property = fc.property(
    expressions,
    fc.boolean(),
    fc.array(texts, { minLength: 1, maxLength: 8 }),
    (source, ignoreCase, drawn) => {
      const compiled = compiledByLibrary(source, ignoreCase)
      if (compiled === undefined) return
      for (const text of drawn) {
        expect(matches(source, text, ignoreCase), JSON.stringify([source, ignoreCase, text])).toBe(
          compiled.test(text),
        )
        compared++
      }
    },
  )
  fc.assert(property, { numRuns: Number(process.env.EXPRESSION_RUNS ?? 3_000) })
  expect(compared).toBeGreaterThan(1_000)
})

test('the size of an expression is computed without building it, and is never too small', () => {
  let compared = 0
  const property = fc.property(expressions, source => {
    const compiled = compiledByLibrary(source, false)
    if (compiled === undefined) return
    const { states = 0 } = expressionSize(source) ?? {}
    expect(states, JSON.stringify(source)).toBeGreaterThanOrEqual(compiled.programSize())
    expect(states, JSON.stringify(source)).toBeGreaterThan(expressionProgram(source, true).size)
    compared++
  })
  fc.assert(property, { numRuns: Number(process.env.EXPRESSION_RUNS ?? 3_000) })
  expect(compared).toBeGreaterThan(1_000)
})

test.each([
  ['abc', 5],
  ['(a|b)*c', 10],
  ['[^x]{0,999}', 2_000],
  ['(?:a{0,30}){20}', 1_202],
  ['()', 5],
])('the size of %s is %i states', (source, states) => {
  expect(expressionSize(source)?.states).toBe(states)
})

test('the cost of an expression depends only on it and the text, wherever the matching pauses', () => {
  const text = 'abcd0123'.repeat(100)
  const whole = matchingOf('[^x]{0,99}[ab][^y]{0,99}[^a-d0-9]', text)
  expect(whole.run(Number.POSITIVE_INFINITY)).toBe(false)
  const inPieces = matchingOf('[^x]{0,99}[ab][^y]{0,99}[^a-d0-9]', text)
  let answer: boolean | undefined
  for (let until = 1; answer === undefined; until += 1_000) answer = inPieces.run(until)
  expect([answer, inPieces.units]).toEqual([false, whole.units])
})

/** A change of these numbers is a change of behaviour: it raises the behaviour number. */
test.each([
  ['a', 'xxxa', 37],
  ['abc', 'ababab', 49],
  ['(a|b)*c', 'abababab', 108],
  ['\\bfoo\\b', 'a foo b', 58],
  ['[^x]{0,9}[ab][^y]{0,9}[^a-d]', 'abcdabcdabcd', 497],
  ['\\p{L}+1', 'ééé', 206],
])('%s on "%s" costs %i units', (source, text, units) => {
  const matching = matchingOf(source, text)
  matching.run(Number.POSITIVE_INFINITY)
  expect(matching.units).toBe(units)
})

test('an expression with too many repetitions has no program, and its bound is its cost', () => {
  const options = Array.from(
    { length: 60 },
    (_, index) => `${'x'.repeat(60)}${String.fromCharCode(0x100 + index)}`,
  )
  const expression = compileRegularExpression(`(?:${options.join('|')}){30}`)
  expect(expression.counting('x')).toBeUndefined()
  expect(expression.boundFor('x'.repeat(99))).toBe(START_UNITS + 100 * UNCOUNTED_SIZE)
})

/** Sets of steps in which the program is somewhere in the text, with those that follow without a character left out. */
function statesMet(program: ExpressionProgram, text: string): Set<string> {
  const { kinds, next, other, sets, start } = program
  const met = new Set<string>()
  let steps = new Set<number>()
  for (const character of text) {
    const following = new Set<number>()
    // The set grows while it is iterated, in insertion order.
    const seen = steps.add(start)
    for (const step of seen) {
      if (kinds[step] === Step.MATCH) return met
      if (kinds[step] === Step.FORK) seen.add(next[step] as number).add(other[step] as number)
      else if (sets[other[step] as number]?.has(character.codePointAt(0) as number))
        following.add(next[step] as number)
    }
    met.add([...following].sort((left, right) => left - right).join())
    steps = following
  }
  return met
}

/** States in the library's automaton, which it builds while it runs. */
function statesInLibrary(compiled: RE2JS): number {
  const { re2Input } = compiled as unknown as { re2Input: { lazyDFA: { stateCount: number } | null } }
  return re2Input.lazyDFA?.stateCount ?? 0
}

test('an automaton has no more states than computed, here and in the library, whatever it reads', () => {
  let isSmall = 0
  const property = fc.property(
    expressions,
    fc.boolean(),
    fc.array(texts, { minLength: 1, maxLength: 30, size: 'max' }),
    (source, ignoreCase, drawn) => {
      const compiled = compiledByLibrary(source, ignoreCase)
      if (compiled === undefined) return
      const program = expressionProgram(source, ignoreCase)
      const { work } = automatonSize(program)
      if (work === undefined) return
      isSmall++
      const met = new Set<string>()
      for (const text of drawn) {
        compiled.test(text)
        if (!program.hasEdges) for (const state of statesMet(program, text)) met.add(state)
      }
      const shown = JSON.stringify([source, ignoreCase, drawn])
      const steps = [...met].reduce((sum, state) => sum + state.split(',').length, 0)
      expect(steps, shown).toBeLessThanOrEqual(work)
      const sides = program.hasEdges ? 4 : 1
      expect(statesInLibrary(compiled), shown).toBeLessThanOrEqual(sides * work)
    },
  )
  fc.assert(property, { numRuns: Number(process.env.EXPRESSION_RUNS ?? 1_000) })
  expect(isSmall).toBeGreaterThan(300)
})

test.each([
  '(?P<door>[a-z]+)-(?P<number>\\d{2})',
  '(?<staff_no>S-\\d{4})',
  'st.tus=5\\d\\d',
  '\\b\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\b',
  '[\\w.+-]+@[\\w-]+\\.[\\w.]+',
  '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}',
  '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}',
  'error|warn|fatal',
  '^(GET|POST|PUT|DELETE) /api/v\\d+/\\S+ HTTP/1\\.[01]',
  '(?:\\d[ -]*?){13,16}',
  'straße|größe|müll',
  '\\p{Lu}\\p{Ll}+',
])('%s has a small automaton', source => {
  expect(automatonSize(expressionProgram(source, true)).work).toBeLessThan(2_000)
})

test.each([
  '[^x]{0,30}[ab][^y]{0,30}[^a-d0-9][^0]',
  '[^x]{0,20}[ab][^y]{0,20}[^a-d0-9][^0]',
  '[ab][^y]{14}[e-h]',
  '[ab][^y]{60}[e-h]',
  '(?:a|b)\\w{12}c',
  '\\p{L}\\p{Lu}\\p{Ll}\\p{N}',
])('%s has an automaton with many states', source => {
  expect(automatonSize(expressionProgram(source, true)).work).toBeUndefined()
})
