import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cutText, LineTemplates, splitLine } from './line-templates.ts'

function templatesOf(lines: readonly string[], most = 1_000): LineTemplates {
  const templates = new LineTemplates(most)
  for (const line of lines) templates.add(splitLine(line), line.length, 'app')
  return templates
}

/** Texts of the templates, sorted, each with its number of lines. */
function shown(templates: LineTemplates): [string, number][] {
  return Array.from(templates, ({ tokens, lines }): [string, number] => [tokens.join(' '), lines]).toSorted()
}

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

test('tokens that differ become open', () => {
  expect(shown(templatesOf(['oven 4 at 231', 'oven 7 at 228']))).toEqual([['oven <*> at <*>', 2]])
  expect(shown(templatesOf(['oven\t4  at 231 ', ' oven 4 at 231']))).toEqual([['oven 4 at 231', 2]])
})

test('lines are alike from half of their tokens on', () => {
  expect(shown(templatesOf(['a b c d e f', 'a b c x y z']))).toEqual([['a b c <*> <*> <*>', 2]])
  expect(shown(templatesOf(['1 b c d', '2 b c d']))).toEqual([['<*> b c d', 2]])
  expect(shown(templatesOf(['1 b c d e', '2 b x y z']))).toEqual([
    ['1 b c d e', 1],
    ['2 b x y z', 1],
  ])
})

test('lines with other numbers of tokens, or other words at the beginning, are not alike', () => {
  expect(shown(templatesOf(['a b c', 'a b c d', 'x b c', '', '  ']))).toEqual([
    ['', 2],
    ['a b c d', 1],
    ['a b c', 1],
    ['x b c', 1],
  ])
})

test('of several templates the most similar counts, then the one with more open tokens', () => {
  // The fourth line is closer to the third; the fifth is as close to both, and the first template has an open token.
  const templates = templatesOf(['k k k a b c d e', 'k k k a b c d f', 'k k k v w x y z', 'k k k v w x q z'])
  expect(shown(templates)).toEqual([
    ['k k k a b c d <*>', 2],
    ['k k k v w x <*> z', 2],
  ])
})

test('a node has forty children: words beyond them lead to one together', () => {
  const templates = templatesOf(numbers(60).map(number => `${String.fromCodePoint(0x4e00 + number)} x y`))
  const rows = shown(templates)
  expect(rows).toHaveLength(40)
  expect(rows.find(([text]) => text === '<*> x y')).toEqual(['<*> x y', 21])
})

test('the template whose last line was longest ago is forgotten, with its way', () => {
  const templates = templatesOf(['one a', 'two b', 'one a', 'three c'], 2)
  expect(shown(templates)).toEqual([
    ['one a', 2],
    ['three c', 1],
  ])
  // The ways of forgotten templates leave room for new words.
  const words = numbers(200).map(number => String.fromCodePoint(0x4e00 + number))
  const latest = templatesOf(
    words.map(word => `${word} x`),
    3,
  )
  expect(shown(latest)).toEqual(words.slice(-3).map(word => [`${word} x`, 1]))
})

test('at most a thousand templates are kept', () => {
  const lines = numbers(1_200).map(number => Array.from({ length: number + 1 }, () => 'a').join(' '))
  expect(
    templatesOf(
      lines.map(line => line.slice(0, 1_023)),
      5_000,
    ).size,
  ).toBeLessThanOrEqual(1_000)
  const many = templatesOf(
    numbers(1_200).map(number => `w${'xyz'[number % 3]} ${String.fromCodePoint(0x4e00 + number)} ${number}`),
    5_000,
  )
  expect(many.size).toBeLessThanOrEqual(1_000)
})

test('five samples and twenty apps are kept, of a bounded length', () => {
  const templates = new LineTemplates(1_000)
  for (const number of numbers(30)) {
    const line = `a b ${number} ${'x'.repeat(2_000)}`
    templates.add(splitLine(line), line.length, `app ${number}`)
  }
  const [template] = templates
  expect(template).toMatchObject({ lines: 30, apps: { size: 20 } })
  expect(template?.samples.map(({ length }) => length)).toEqual([512, 512, 512, 512, 512])
  expect(template?.samples[4]?.slice(0, 6)).toBe('a b 4 ')
})

test('a text is not cut within a character', () => {
  expect(cutText('ab😀', 3)).toBe('ab')
  expect(cutText('ab😀', 4)).toBe('ab😀')
  expect(cutText('a😀b', 3)).toBe('a😀')
})

/** A copy of templates, as a snapshot gives it. */
function copyOf(templates: LineTemplates, most: number): LineTemplates {
  const copy = new LineTemplates(most)
  for (const template of templates)
    copy.put({ ...template, apps: new Set(template.apps), samples: [...template.samples] }, templates.made)
  return copy
}

test('a copy at any place finds the same templates for all later lines', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'e', '1')
  // Many lines have a common beginning, so that a leaf has several templates.
  const beginning = fc.constantFrom('k k k', 'k k k', 'a 1 b')
  const line = fc
    .tuple(beginning, fc.array(word, { minLength: 4, maxLength: 5 }))
    .map(([words, rest]) => `${words} ${rest.join(' ')}`)
  fc.assert(
    fc.property(
      fc.array(fc.tuple(line, fc.boolean()), { maxLength: 60, size: 'max' }),
      fc.integer({ min: 2, max: 12 }),
      (lines, most) => {
        const whole = new LineTemplates(most)
        let copied = new LineTemplates(most)
        for (const [text, isCopied] of lines) {
          if (isCopied) copied = copyOf(copied, most)
          for (const templates of [whole, copied]) templates.add(splitLine(text), 1, undefined)
        }
        expect([...copied]).toEqual([...whole])
      },
    ),
    { numRuns: 500 },
  )
})

test('of two templates that are as similar, the one that was made first counts, also in a copy', () => {
  const templates = templatesOf(['k k k a b c d e', 'k k k f g h i j', 'k k k a b c d e'])
  for (const each of [copyOf(templates, 1_000), templates]) {
    each.add(splitLine('k k k a g x y z'), 1, undefined)
    expect(shown(each)).toEqual([
      ['k k k a <*> <*> <*> <*>', 3],
      ['k k k f g h i j', 1],
    ])
  }
})
