import { describe, expect, test } from 'vitest'
import { Alias, Scalar, YAMLMap, YAMLSeq } from 'yaml'
import { parseFile, parsingFile } from './file-text.ts'

const yaml = (text: string) => parseFile(text, 'yaml')
const findings = (text: string) => yaml(text).problems

describe('a file in YAML', () => {
  test('is read as the JSON that it represents', () => {
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

  test('can have any names of members', () => {
    const { value } = yaml('__proto__: 1\n2: b\ntrue: c')
    expect(Object.entries(value as object)).toEqual([
      ['2', 'b'],
      ['__proto__', 1],
      ['true', 'c'],
    ])
  })

  test('has the line of each value, and of the value around a missing one', () => {
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

  test('with unlimited growth by aliases of aliases is refused before they are expanded', () => {
    const rows = ['a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]']
    for (let level = 1; level < 12; level++)
      rows.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(', ')}]`,
      )
    expect(findings(rows.join('\n'))).toEqual([
      { instancePath: '', message: 'must NOT have more than 50000 values' },
    ])
  })
})

describe('a text that blocked all other requests for a second', () => {
  test.each([
    ['elements', '- {a: 1}\n'.repeat(55_000)],
    ['members', Array.from({ length: 38_000 }, (_, index) => `k${index}: 1\n`).join('')],
    ['anchors', '&a '.repeat(170_000)],
    ['directives', '%YAML\n'.repeat(80_000)],
    ['open brackets', '['.repeat(250_000)],
    ['blank lines', '\n'.repeat(500_000)],
    ['as many mistakes as a text may have parts', '"" '.repeat(49_000)],
  ])('%s: refused after no more work than texts that are read', (_what, text) => {
    const [others, refused] = ['- {a: 1}\n'.repeat(9_000), text].map(sent => stepsOf(sent))
    expect(others?.problems).toEqual([])
    expect(refused?.problems).not.toEqual([])
    expect(refused?.steps).toBeLessThanOrEqual(others?.steps ?? 0)
  })

  test('twelve thousand lines of options are read', () => {
    const options = Array.from({ length: 12_000 }, (_, index) => `    option_${index}: some text here\n`)
    expect(findings(`a:\n  b:\n${options.join('')}`)).toEqual([])
  })

  test.each([
    ['read', 'a: b\n'.repeat(12_000)],
    ['refused', `a: [${'[b],'.repeat(30_000)}]`],
  ])('that is long kept all other requests waiting for a tenth of a second: it is %s in steps', (_, text) => {
    expect(stepsOf(text).steps).toBeGreaterThan(100)
  })
})

describe('a small YAML file that blocked the whole process for tens of seconds', () => {
  const [first = '', ...further] = 'abcdefghij'
  const nine = (name: string) => Array(9).fill(`*${name}`).join(', ')
  const bomb = [`${first}: &${first} ["lol"]`]
  for (const [index, name] of further.entries())
    bomb.push(`${name}: &${name} [${nine('abcdefghij'.charAt(index))}]`)
  const ones = (count: number) => Array(count).fill('1').join(',')
  const aliases = (count: number) => Array(count).fill('*b').join(',')

  test('16,000 values and 9,000 aliases: each value and alias is read a few times, not once per alias', () => {
    const text = `a: [${ones(16_000)}]\nb: &b 1\nc: [${aliases(9_000)}]`
    const looks = looksAtNodesOf(() => expect(findings(text)).toEqual([]))
    expect(looks).toBeLessThan(10 * 25_000)
  })

  test('aliases of aliases: the walk ends with the last allowed value', () => {
    const looks = looksAtNodesOf(() => expect(findings(bomb.join('\n'))).toHaveLength(1))
    expect(looks).toBeLessThan(2 * 50_000)
  })

  test('10,000 aliases are allowed, and one more is refused', () => {
    expect(findings(`b: &b 1\nc: [${aliases(10_000)}]`)).toEqual([])
    expect(findings(`b: &b 1\nc: [${aliases(10_001)}]`)).toEqual([
      { instancePath: '', message: 'must NOT have more than 10000 aliases' },
    ])
  })

  test('a long text with an alias to it in each of many values is refused', () => {
    expect(findings(`b: &b ${'x'.repeat(1000)}\nc: [${aliases(1_047)}]`)).toEqual([])
    expect(findings(`b: &b ${'x'.repeat(1000)}\nc: [${aliases(1_048)}]`)[0]?.message).toMatch(
      /^must NOT have more than 1048576 characters of names and texts/,
    )
  })

  test('many values below a long name: the name is not repeated for each of them', () => {
    const text = `? ${'x'.repeat(20_000)}\n: [${ones(5_000)}]`
    const { set } = Map.prototype
    let characters = 0
    Map.prototype.set = function (key, value) {
      if (typeof key === 'string') characters += key.length
      return set.call(this, key, value)
    }
    try {
      expect(findings(text)).toEqual([])
    } finally {
      Map.prototype.set = set
    }
    expect(characters).toBeLessThan(10 * text.length)
  })

  test.each([
    ['a long name', `{${'x'.repeat(20_000)}: [${Array(2_000).fill('.nan')}]}`],
    ['an alias with a long name', `a: &a [*${'x'.repeat(20_000)}]\nb: [${Array(2_000).fill('*a')}]`],
    ['a long prefix of tags', `%TAG !a! ${'x'.repeat(20_000)}\n---\n${'- !a!b 1\n'.repeat(2_000)}`],
  ])('%s: a thousand findings do not repeat it', (_what, text) => {
    expect(JSON.stringify(findings(text)).length).toBeLessThan(5_000_000)
    expect(findings(text).length).toBeLessThanOrEqual(1_000)
  })

  test('comments after tens of thousands of blank lines are refused before the parser reads the lines for each', () => {
    const between = (lines: number) => `a: |9\n          x\n${'\n'.repeat(lines)}b: 1`
    expect(findings(between(1_900))).toEqual([])
    const text = `a: |9\n          x\n${'\n'.repeat(40_000)}${'     #c\n'.repeat(18_000)}`
    expect(findings(text)[0]?.message).toMatch(/^must NOT have more than 2000 signs, comments and line ends/)
  })
})

test('an alias refers to the latest earlier anchor of its name', () => {
  expect(yaml('a: &x 1\nb: *x\nc: &x 2\nd: [*x, &x 3, *x]').value).toEqual({ a: 1, b: 1, c: 2, d: [2, 3, 3] })
})

test('the line of a value behind an alias is the line of its anchor', () => {
  const { lineOf } = yaml('a: &a\n  b: 1\nc: *a\nd: [*a]')
  expect(['/c', '/c/b', '/d/0', '/d/0/b'].map(lineOf)).toEqual([3, 2, 4, 2])
})

/** Counts how often the run reads the anchor or the place of a node of any document. */
function looksAtNodesOf(run: () => void): number {
  const types = [Alias, Scalar, YAMLMap, YAMLSeq].map(({ prototype }) => prototype as object)
  let looks = 0
  for (const type of types)
    for (const name of ['anchor', 'range']) {
      const values = new WeakMap<object, unknown>()
      Object.defineProperty(type, name, {
        configurable: true,
        get(this: object) {
          looks++
          return values.get(this)
        },
        set(this: object, value: unknown) {
          values.set(this, value)
        },
      })
    }
  try {
    run()
  } finally {
    for (const type of types) for (const name of ['anchor', 'range']) Reflect.deleteProperty(type, name)
  }
  return looks
}

/** Reads a text in YAML, and counts the steps of it. */
function stepsOf(text: string): { readonly problems: readonly unknown[]; readonly steps: number } {
  const reading = parsingFile(text, 'yaml')
  for (let steps = 0; ; steps++) {
    const { done, value } = reading.next()
    if (done) return { problems: value.problems, steps }
  }
}

test('a file in JSON with unlimited nesting is refused with a sentence', () => {
  const text = `${'['.repeat(200_000)}1e999${']'.repeat(200_000)}`
  expect(parseFile(text, 'json').problems).toEqual([
    { instancePath: '', message: 'must NOT be nested more than 64 levels deep' },
  ])
})

test('a file in JSON that is invalid is refused', () => {
  expect(parseFile('{"a": 1,}', 'json').problems[0]?.message).toMatch(/^must be JSON: /)
})
