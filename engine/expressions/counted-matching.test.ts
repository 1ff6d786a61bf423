import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { CountedMatching } from './counted-matching.ts'
import { expressionProgram } from './expression-program.ts'
import { expressionSize } from './expression-size.ts'
import { compileRegularExpression } from './regular-expression.ts'

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

const CHARACTERS = [
  'a',
  'b',
  'B',
  'k',
  's',
  '1',
  ' ',
  '-',
  '_',
  '\n',
  '\u017f',
  '\u212a',
  'é',
  'É',
  'ß',
  'ẞ',
  'Σ',
  'ς',
  'ж',
  '字',
  '😀',
  '\ud83d',
  'İ',
  'ı',
]
const CLASSES = [
  '[ab]',
  '[^a]',
  '[a-k]',
  '[^\\d]',
  '[\\w-]',
  '[^\\W_]',
  '[]a]',
  '[^]a]',
  '[a-]',
  '[-a]',
  '[[:alpha:]1]',
  '[[:^digit:]]',
  '[[:word:]]',
  '[^[:space:]b]',
  '[\\pL]',
  '[^\\p{Lu}a]',
  '[\\x{e9}-\\x{17f}]',
  '[\\141\\x62]',
  '[a-z&&b]',
  '[[a]',
  '[é-ж]',
  '[^\\x00-\\x{10FFFF}]',
  '[\\n-\\r]',
  '[\\]\\\\]',
  '[\\D]',
  '[\\P{L}1]',
  '[\\p{^L}]',
  '[K]',
  '[ſ]',
  '[\u212a]',
]
const ATOMS = [
  'a',
  'b',
  'B',
  'k',
  'é',
  'ж',
  '😀',
  'ſ',
  '.',
  '\\d',
  '\\D',
  '\\w',
  '\\W',
  '\\s',
  '\\S',
  '\\b',
  '\\B',
  '^',
  '$',
  '\\A',
  '\\z',
  '\\pL',
  '\\p{Greek}',
  '\\P{Lu}',
  '\\p{^Ll}',
  '\\PN',
  '\\x61',
  '\\x{1F600}',
  '\\n',
  '\\.',
  '\\-',
  '\\141',
  '\\0',
  '\\Qa.b\\E',
  '\\Q\\E',
  '(?i)',
  '(?-i)',
  '(?s)',
  '(?m)',
  '(?s-i)',
  '(?U)',
  '{',
  '{,2}',
  '{02}',
  '}',
  ']',
  '()',
  '-',
  ...CLASSES,
]
const REPEATS = [
  '*',
  '+',
  '?',
  '*?',
  '+?',
  '??',
  '{0}',
  '{2}',
  '{1,3}',
  '{0,2}?',
  '{2,}',
  '{1}',
  '{0,0}',
  '{3,3}',
]

const expressions = fc.letrec<{ whole: string; part: string }>(tie => ({
  whole: fc.array(tie('part'), { minLength: 0, maxLength: 5 }).map(parts => parts.join('')),
  part: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    { weight: 6, arbitrary: fc.constantFrom(...ATOMS) },
    {
      weight: 3,
      arbitrary: fc
        .tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...REPEATS))
        .map(parts => parts.join('')),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(tie('whole'), fc.constantFrom('', ...REPEATS))
        .map(([inner, repeat]) => `(${inner})${repeat}`),
    },
    { weight: 1, arbitrary: tie('whole').map(inner => `(?i:${inner})`) },
    { weight: 1, arbitrary: tie('whole').map(inner => `(?:${inner})*`) },
    { weight: 1, arbitrary: tie('whole').map(inner => `(?P<n>${inner})`) },
    { weight: 2, arbitrary: fc.tuple(tie('whole'), tie('whole')).map(([one, other]) => `(${one}|${other})`) },
    { weight: 1, arbitrary: fc.tuple(tie('whole'), tie('whole')).map(([one, other]) => `${one}|${other}`) },
  ),
})).whole
const texts = fc.array(fc.constantFrom(...CHARACTERS), { maxLength: 12 }).map(parts => parts.join(''))

test('an expression matches where the library says that it does', () => {
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

test('the size of an expression is reckoned without building it, and is never too small', () => {
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

test('what an expression costs follows from it and the text, wherever the matching rests', () => {
  const text = 'abcd0123'.repeat(100)
  const whole = matchingOf('[^x]{0,99}[ab][^y]{0,99}[^a-d0-9]', text)
  expect(whole.run(Number.POSITIVE_INFINITY)).toBe(false)
  const inPieces = matchingOf('[^x]{0,99}[ab][^y]{0,99}[^a-d0-9]', text)
  let answer: boolean | undefined
  for (let until = 1; answer === undefined; until += 1_000) answer = inPieces.run(until)
  expect([answer, inPieces.units]).toEqual([false, whole.units])
})

/** A change of these numbers is a change of behaviour: it raises its number. */
test.each([
  ['a', 'xxxa', 5],
  ['abc', 'ababab', 17],
  ['(a|b)*c', 'abababab', 76],
  ['\\bfoo\\b', 'a foo b', 11],
  ['[^x]{0,9}[ab][^y]{0,9}[^a-d]', 'abcdabcdabcd', 465],
  ['\\p{L}+1', 'ééé', 149],
])('%s on "%s" costs %i units', (source, text, units) => {
  const matching = matchingOf(source, text)
  matching.run(Number.POSITIVE_INFINITY)
  expect(matching.units).toBe(units)
})

test('an expression that says the same too often has no program, and its bound is what it costs', () => {
  const options = Array.from(
    { length: 60 },
    (_, index) => `${'x'.repeat(60)}${String.fromCharCode(0x100 + index)}`,
  )
  const expression = compileRegularExpression(`(?:${options.join('|')}){30}`)
  expect(expression.counting('x')).toBeUndefined()
  expect(expression.boundFor('x'.repeat(99))).toBe(500_000)
})
