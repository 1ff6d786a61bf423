import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonText, parseJson } from '../../../engine/json/json-text.ts'
import type { PipelineFile } from '../../../schemas/http/pipeline-file.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { parseFile, printFile } from './file-text.ts'

const yaml = (text: string) => parseFile(text, 'yaml')
const findings = (text: string) => yaml(text).problems

describe('a file in YAML', () => {
  test('is read as the JSON that it says', () => {
    const text = 'a: 1\nb: [x, "2", 0x10, 1.5, true, null, yes, 2026-01-01]\nc: |\n  two\n  lines\n'
    expect(yaml(text).value).toEqual({
      a: 1,
      b: ['x', '2', 16, 1.5, true, null, 'yes', '2026-01-01'],
      c: 'two\nlines\n',
    })
  })

  test('keeps all digits of large integers', () => {
    expect(yaml('a: [9007199254740991, 9007199254740993, -9007199254740993]').value).toEqual({
      a: [9007199254740991, 9007199254740993n, -9007199254740993n],
    })
  })

  test('gives every alias a copy of its own', () => {
    const { value } = yaml('a: &a {b: 1}\nc: [*a, *a]')
    const { c } = value as { c: { b: number }[] }
    expect(value).toEqual({ a: { b: 1 }, c: [{ b: 1 }, { b: 1 }] })
    expect(c[0]).not.toBe(c[1])
  })

  test('takes names of members for what they are', () => {
    const { value } = yaml('__proto__: 1\n2: b\ntrue: c')
    expect(Object.entries(value as object)).toEqual([
      ['2', 'b'],
      ['__proto__', 1],
      ['true', 'c'],
    ])
  })

  test('knows the line of each value, and of what holds one that is not there', () => {
    const { lineOf } = yaml('a: 1\nb:\n  - c: 1\n  - d/e: 1\n    f:\n      g: 2\n')
    expect(['/a', '/b', '/b/0', '/b/1', '/b/1/d~1e', '/b/1/f/g', '/b/1/f/h', '/z'].map(lineOf)).toEqual([
      1, 2, 3, 4, 4, 6, 5, 1,
    ])
  })

  test.each([
    ['a: [1', '', /^must be YAML: .*\(line 1\)$/],
    ['a: 1\n---\nb: 2', '', /multiple documents.*\(line 2\)$/],
    ['a: !!binary aGk=', '', /^must be YAML: Unresolved tag/],
    ['a: !mine 1', '', /^must be YAML: Unresolved tag/],
    ['a: 1\nb: 2\na: 3', '/a', /^must NOT be there twice$/],
    ['? {x: 1}\n: 2', '', /plain texts/],
    ['a: .nan', '/a', /number that JSON can hold/],
    ['a: [-.inf]', '/a/0', /number that JSON can hold/],
    ['a: *b', '/a', /^must be an anchor from before: \*b$/],
    ['a: &a\n  b: *a', '/a', /nested more than 64 levels/],
    [`${'- '.repeat(65)}1`, '/0', /nested more than 64 levels/],
    ['['.repeat(90_000), '', /^must NOT be nested more than 64 levels deep$/],
    ['- '.repeat(250_000), '', /^must NOT be nested more than 64 levels deep$/],
    ['{a: '.repeat(90_000), '', /^must NOT be nested more than 64 levels deep$/],
    [
      '- {a: 1}\n'.repeat(55_000),
      '',
      /more than 100000 signs, words and line ends as YAML: a larger one may be JSON$/,
    ],
    [`a: "${'x'.repeat(512 * 1024)}"`, '', /more than 524288 characters/],
  ])('is refused: %.40j', (text, pointer, message) => {
    const { value, problems } = yaml(text)
    expect(value).toBeUndefined()
    expect(problems[0]?.instancePath).toSatisfy((found: string) => found.startsWith(pointer))
    expect(problems[0]?.message).toMatch(message)
  })

  test('may be nested 64 levels deep', () => {
    expect(findings(`${'- '.repeat(64)}1`)).toEqual([])
  })

  test('that grows without bounds by aliases of aliases is refused, not unfolded', () => {
    const rows = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]']
    for (let level = 1; level < 12; level++)
      rows.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      )
    expect(findings(rows.join('\n'))).toEqual([
      { instancePath: '', message: 'must NOT have more than 200000 values' },
    ])
  })
})

describe('a text that kept everybody else waiting for a second', () => {
  test.each([
    ['elements', '- {a: 1}\n'.repeat(55_000)],
    ['members', Array.from({ length: 38_000 }, (_, index) => `k${index}: 1\n`).join('')],
    ['anchors', '&a '.repeat(170_000)],
    ['directives', '%YAML\n'.repeat(80_000)],
    ['open brackets', '['.repeat(250_000)],
    ['blank lines', '\n'.repeat(500_000)],
    ['as many mistakes as a text may have parts', '"" '.repeat(49_000)],
  ])('%s: refused in a share of the time that other texts take', (_what, text) => {
    const others = '- {a: 1}\n'.repeat(9_000)
    expect(findings(others)).toEqual([])
    expect(findings(text)).not.toEqual([])
    const cpuMs = (sent: string) => Math.min(...[1, 2, 3].map(() => cpuMsOf(() => yaml(sent))))
    expect(cpuMs(text)).toBeLessThan(2 * cpuMs(others))
  })

  test('twelve thousand lines of options are read', () => {
    const options = Array.from({ length: 12_000 }, (_, index) => `    option_${index}: some text here\n`)
    expect(findings(`a:\n  b:\n${options.join('')}`)).toEqual([])
  })
})

function cpuMsOf(run: () => void): number {
  const before = process.threadCpuUsage()
  run()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1000
}

test('a file in JSON that is nested without end is refused with a sentence', () => {
  const text = `${'['.repeat(200_000)}1e999${']'.repeat(200_000)}`
  expect(parseFile(text, 'json').problems).toEqual([
    { instancePath: '', message: 'must NOT be nested more than 64 levels deep' },
  ])
})

test('a file in JSON that is none is refused', () => {
  expect(parseFile('{"a": 1,}', 'json').problems[0]?.message).toMatch(/^must be JSON: /)
})

test.each(['yaml', 'json'] as const)('what is printed as %s is read as the same', format => {
  const text = fc.string({ unit: 'grapheme' })
  const json = fc.jsonValue({ stringUnit: 'grapheme' })
  const blanks = fc.string({
    unit: fc.constantFrom(...' \n\t\r#:-\'"|>&*', 'word', 'a long one '.repeat(12)),
  })
  const largeInteger = fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n })
  const members = fc.dictionary(text, fc.oneof(json, text, blanks, largeInteger))
  fc.assert(
    fc.property(text, members, (title, config) => {
      // As everything that was ever sent: no minus for zero, and large integers are bigint.
      const file = parseJson(jsonText({ title, config: config as JsonObject }))
      const { value, problems } = parseFile(printFile(file as unknown as PipelineFile, format), format)
      expect(problems).toEqual([])
      expect(value).toEqual(file)
    }),
    { numRuns: 500 },
  )
})
