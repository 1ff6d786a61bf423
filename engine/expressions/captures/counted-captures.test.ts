import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { expressions, texts } from '../../../test/support/drawn-expressions.ts'
import { BEYOND_BUDGET, freeMeter } from '../cost-meter.ts'
import { answerOf } from '../counted-work.ts'
import { parseExpression } from '../parse-expression.ts'
import { type AutomatonBounds, CapturingAutomaton } from './capturing-automaton.ts'
import { type CapturingFlags, compileCapturing } from './capturing-expression.ts'
import { capturingProgram } from './capturing-program.ts'
import { CountedCaptures } from './counted-captures.ts'

function found(source: string, text: string, flags: CapturingFlags = {}, from = 0): number[] | undefined {
  const captures = answerOf(compileCapturing(source, flags).find(text, from))
  return captures === null ? undefined : [...captures]
}

/** Captured texts; null where a group took no part. */
function groups(
  source: string,
  text: string,
  flags: CapturingFlags = {},
): readonly (string | null)[] | undefined {
  const places = found(source, text, flags)
  if (places === undefined) return undefined
  return Array.from({ length: places.length / 2 }, (_, group) => {
    const start = places[2 * group] as number
    return start < 0 ? null : text.slice(start, places[2 * group + 1])
  })
}

function compiledByLibrary(source: string, ignoreCase: boolean): RE2JS | undefined {
  try {
    return RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  } catch {
    return undefined
  }
}

/** Places of all groups of each match in turn, as the library finds them. */
function foundByLibrary(compiled: RE2JS, text: string): number[][] {
  const matcher = compiled.matcher(text)
  const matches: number[][] = []
  while (matcher.find()) {
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => group)
    matches.push(groups.flatMap(group => [matcher.start(group), matcher.end(group)]))
  }
  return matches
}

function foundInTurn(source: string, text: string, ignoreCase: boolean): number[][] {
  const matches: number[][] = []
  for (let from = 0; from <= text.length; ) {
    const match = found(source, text, { ignoreCase }, from)
    if (match === undefined) break
    matches.push(match)
    const [start, end] = match as [number, number]
    from = end
    if (start === end) from += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1
  }
  return matches
}

/** Expressions and texts on which engines for JavaScript's expressions differ from the library. */
const KNOWN_TO_DIFFER = [
  '(?:(a)|b)*',
  '(?:(a)|(b))+',
  '^.$',
  '(^.$)',
  '[^x]',
  '([^x])(.)?',
  '.',
  '(.)(\\s)?',
  '(a*)*',
  '(a*)+',
  '(?:(a*)|b)*',
  '(|a)+',
  '(a|)*',
  '(a??)*',
  '(?:a(b)?)*',
  '(a*?)*?b',
  '(?m)^(.*)$',
  '(?i)(k)|(ſ)',
  '(\\b)|(\\B)',
  '(a{0,2}){2,3}',
  '(?U)(a+)(a*)',
  '(?:()a|a)b?',
  '(?:a|()a)(b)?',
  '(?:b|(?:(\\b)a|a))+',
]
const drawn = fc.oneof(
  { weight: 3, arbitrary: expressions },
  { weight: 1, arbitrary: fc.constantFrom(...KNOWN_TO_DIFFER) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...KNOWN_TO_DIFFER), expressions).map(parts => parts.join('')),
  },
  { weight: 1, arbitrary: expressions.map(source => `(${source})`) },
)
const drawnTexts = fc.oneof(
  { weight: 5, arbitrary: texts },
  { weight: 1, arbitrary: fc.constantFrom('ab', '😀', '\r', '\u2028', 'a\r\nb', 'aab', '') },
)

test('each match has the same places of all groups as in the library', () => {
  let compared = 0
  const property = fc.property(
    drawn,
    fc.boolean(),
    fc.array(drawnTexts, { minLength: 1, maxLength: 8 }),
    (source, ignoreCase, texts) => {
      const compiled = compiledByLibrary(source, ignoreCase)
      if (compiled === undefined) return
      for (const text of texts) {
        const message = JSON.stringify([source, ignoreCase, text])
        expect(foundInTurn(source, text, ignoreCase), message).toEqual(foundByLibrary(compiled, text))
        compared++
      }
    },
  )
  fc.assert(property, { numRuns: Number(process.env.EXPRESSION_RUNS ?? 3_000) })
  expect(compared).toBeGreaterThan(1_000)
})

function searchesOf(source: string, bounds?: AutomatonBounds): (text: string) => CountedCaptures {
  const automaton = new CapturingAutomaton(capturingProgram(parseExpression(source, {})), bounds)
  return text => new CountedCaptures(automaton, text)
}

test('neither what is kept from earlier texts nor a pause changes the captures or their cost', () => {
  const property = fc.property(
    drawn,
    fc.array(drawnTexts, { minLength: 1, maxLength: 8 }),
    fc.integer({ min: 1, max: 40 }),
    fc.record({
      cells: fc.integer({ min: 1, max: 300 }),
      charactersPerMemory: fc.integer({ min: 1, max: 50 }),
      listedPlaces: fc.integer({ min: 1, max: 8 }),
    }),
    (source, texts, pauseUnits, bounds) => {
      if (compiledByLibrary(source, false) === undefined) return
      const kept = searchesOf(source)
      const partlyKept = searchesOf(source, bounds)
      const briefly = searchesOf(source, { listedPlaces: bounds.listedPlaces })
      for (const text of texts) {
        const fresh = searchesOf(source, { cells: 0 })(text)
        const expected = [answerOf(fresh), fresh.units]
        const inPieces = searchesOf(source)(text)
        for (let until = 1; inPieces.run(until) === undefined; ) until += pauseUnits
        for (const search of [kept(text), partlyKept(text), briefly(text), inPieces])
          expect([answerOf(search), search.units], JSON.stringify([source, text])).toEqual(expected)
      }
    },
  )
  fc.assert(property, { numRuns: Number(process.env.EXPRESSION_RUNS ?? 500) })
})

/** A change of these numbers is a change of behaviour: it raises the behaviour number. */
test.each([
  ['(a)', 'xxxa', 50],
  ['(?<word>\\w+)-(\\d+)', 'door-17 x', 96],
  ['^(\\S+) (\\S+)$', 'one two', 83],
  ['\\b(foo)\\b', 'a foo b', 57],
  ['(\\p{L}+)1', 'éé1', 146],
])('%s on "%s" costs %i units', (source, text, units) => {
  const search = compileCapturing(source).find(text)
  answerOf(search)
  expect(search.units).toBe(units)
})

test('a long match with a few changes of threads is followed back over all of its list', () => {
  const text = `${'-'.repeat(40_000)}😀${'x'.repeat(40_000)} 17${'-'.repeat(20_000)}`
  expect(found('(-*)(😀)(x+) (\\d+)', text)).toEqual([
    0, 80_005, 0, 40_000, 40_000, 40_002, 40_002, 80_002, 80_003, 80_005,
  ])
})

test('a text that lacks what each match contains is not searched', () => {
  const search = compileCapturing('(?:(\\w+) )+took (\\d+) ms').find('one two '.repeat(1_000))
  expect(answerOf(search)).toBeNull()
  expect(search.units).toBeLessThan(4_000)
})

test.each([
  ['(?:(a+)+)+$', `${'a'.repeat(60)}!`],
  ['^(?:(a|aa)*)*$', `${'a'.repeat(60)}!`],
  ['(.*)(.*)(.*)(.*)(.*)=$', 'x'.repeat(4_000)],
  ['(?:(\\w{0,30})+x){3}$', 'ab'.repeat(2_000)],
])('%s takes time linear in the text', (source, text) => {
  const search = compileCapturing(source).find(text)
  expect(answerOf(search)).toBeNull()
  const { size, slots } = capturingProgram(parseExpression(source, {}))
  expect(search.units).toBeLessThan(2 * size * slots * (text.length + 1))
})

test('an event whose captures cost more than it may fails, and only after that cost', () => {
  const expression = compileCapturing('(?:[^x]{0,99}([ab])[^y]{0,99}){3}[^a-d0-9]')
  const text = 'abcd0123'.repeat(2_000)
  const meter = freeMeter()
  meter.begin(-1)
  let search: CountedCaptures | undefined
  const find = () =>
    meter.count(() => {
      search = expression.find(text)
      return search
    })
  expect(find).toThrow(BEYOND_BUDGET)
  expect(search?.units).toBeGreaterThan(230_000)
  expect(search?.units).toBeLessThan(240_000)
})

test('named groups are listed in their order', () => {
  expect(compileCapturing('(?P<b>x)(y)(?<a>z(?<c>))').names).toEqual([
    { name: 'b', number: 1 },
    { name: 'a', number: 3 },
    { name: 'c', number: 4 },
  ])
})

describe('flags', () => {
  test('letters of any case', () => {
    expect(groups('(door)', 'the DOOR', { ignoreCase: true })).toEqual(['DOOR', 'DOOR'])
    expect(groups('(door)', 'the DOOR')).toBeUndefined()
  })

  test('edges of lines', () => {
    expect(groups('^(b)$', 'a\nb\nc', { multiline: true })).toEqual(['b', 'b'])
    expect(groups('^(b)$', 'a\nb\nc')).toBeUndefined()
  })

  test('the point accepts a line feed', () => {
    expect(groups('a(.)b', 'a\nb', { dotAll: true })).toEqual(['a\nb', '\n'])
    expect(groups('a(.)b', 'a\nb')).toBeUndefined()
  })

  test('a carriage return and a line feed end a line together', () => {
    const flags = { multiline: true, crlf: true }
    expect(groups('^(b)$', 'a\r\nb\r\nc', flags)).toEqual(['b', 'b'])
    expect(groups('^(b)$', 'a\r\nb\r\nc', { multiline: true })).toBeUndefined()
    expect(groups('^(b)$', 'a\nb\nc', flags)).toEqual(['b', 'b'])
    // Neither of the two ends a line without the other, and there is no edge between them.
    expect(groups('^(b)$', 'b\rc', flags)).toBeUndefined()
    expect(groups('(\\r)$', 'b\r\nc', flags)).toBeUndefined()
    expect(groups('(\\r)$', 'b\r', flags)).toEqual(['\r', '\r'])
    expect(groups('^(\\n)', 'b\r\nc', flags)).toBeUndefined()
    expect(found('(?:$)()', 'b\r\nc', flags)).toEqual([1, 1, 1, 1])
    expect(found('^()', 'b\r\nc', flags, 1)).toEqual([3, 3, 3, 3])
    expect(found('$()', 'b\r\nc', flags, 2)).toEqual([4, 4, 4, 4])
  })

  test('the leading flag for blanks and comments', () => {
    expect(groups('(?x) (?<a> \\d+ ) # digits\n -', '17-')).toEqual(['17-', '17'])
  })
})

test('a search that begins within a text sees the characters before', () => {
  expect(found('\\b(a)', 'xa a', {}, 1)).toEqual([3, 4, 3, 4])
  expect(found('^(a)', 'xa', {}, 1)).toBeUndefined()
})
