import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeSettings } from '../../deploy/settings/settings.ts'
import { foreignForm } from '../../engine/query-language/foreign-forms.ts'
import { runHere } from '../support/command-world.ts'
import { blocksOf, isShown } from '../support/guides/guide-page.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GUIDES = join(ROOT, 'docs/guides')
const NAMES = readdirSync(GUIDES)
const MAX_WORDS = 1_200

/** Variables of the command line, which are not settings of the server, and a name that is wrong on purpose. */
const VARIABLES = ['WEIR_URL', 'WEIR_ACCESS_TOKEN', 'WEIR_INGESTION_KEY', 'WEIR_TZ', 'WEIR_PROT']

const pageOf = (name: string) => readFileSync(join(GUIDES, name), 'utf8')

/** Text of a page without its blocks. */
const proseOf = (page: string) => page.replaceAll(/^```.*?^```$/gms, '')

function anchorsOf(page: string): readonly string[] {
  return [...page.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Links that lead nowhere, from a page of a folder. */
function deadLinksOf(page: string, folder: string, own: string): string[] {
  return [...page.matchAll(/\]\((?!https?:)([^)]+)\)/g)].flatMap(([, link = '']) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? own : join(folder, path)
    if (!existsSync(target)) return [link]
    const isThere = anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).includes(anchor)
    return isThere ? [] : [link]
  })
}

function unknownSettingsOf(page: string): string[] {
  const known = new Set([...VARIABLES, ...describeSettings().flatMap(({ name }) => [name, `${name}_FILE`])])
  const named = page.match(/\b(?:WEIR|KAFKA|CLICKHOUSE|SCHEMA_REGISTRY)_[A-Z_]+/g) ?? []
  return named.filter(name =>
    name.endsWith('_') ? ![...known].some(each => each.startsWith(name)) : !known.has(name),
  )
}

interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}
const API = JSON.parse(readFileSync(join(ROOT, 'docs/openapi.json'), 'utf8')) as ApiDocument

/** Addresses of the API that a page names and the API does not have. */
function unknownAddressesOf(page: string): string[] {
  const calls = [...proseOf(page).matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/[^\s`?]*)/g)]
  const wrong = calls.filter(
    ([, method = '', path = '']) => API.paths[path]?.[method.toLowerCase()] === undefined,
  )
  const addresses = [...page.matchAll(/(?:_URL|:\d+|MZ_ENDPOINT=)(\/[a-z][\w/]*)/g)].map(
    ([, path = '']) => path,
  )
  return [...wrong.map(([call]) => call), ...addresses.filter(path => API.paths[path] === undefined)]
}

/** Beginning of a command of the program in a shell or in the configuration of another program. */
const COMMAND = /(?:^\s*(?:- )?|[|;&(]\s*|exec (?:\S+ (?:-- )?)?|\/bin\/|=\S+ )weir ([a-z-][^|;#)\n]*)/gm

/** Commands of a page with their options: those in its text, and those of blocks that do not run. */
function commandsOf(page: string): readonly string[] {
  const inText = [...proseOf(page).matchAll(/`weir ([a-z-][^`]*)`/g)]
  const blocks = blocksOf(page).filter(block => block.kind === 'elsewhere')
  const inBlocks = blocks.flatMap(block => [...block.text.replaceAll('\\\n', ' ').matchAll(COMMAND)])
  return [...inText, ...inBlocks].map(([, command = '']) => command)
}

/** @returns the fault of a command, if the program does not have it or one of its options */
async function faultOf(command: string): Promise<string | undefined> {
  const words = command.replace(/^--use \S+ /, '').split(/\s+/)
  const [name = '', verb = ''] = words
  const help = await helpOf([name])
  const hasVerbs = help.includes('\nCommands:\n') && /^[a-z][a-z-]*$/.test(verb)
  const text = hasVerbs ? await helpOf([name, verb]) : help
  const options = words.filter(word => /^--[a-z]/.test(word))
  const unknown = options.filter(option => !new RegExp(`${option}(?![\\w-])`).test(text))
  return text === '' || unknown.length > 0 ? `weir ${command}: ${unknown.join()}` : undefined
}

/** @returns empty when the program does not have the command */
async function helpOf(path: readonly string[]): Promise<string> {
  const { out } = await runHere([...path, '--help'], {})
  return out.startsWith(`Usage: weir ${path.join(' ')} `) ? out : ''
}

const shellFault = (text: string) => spawnSync('bash', ['-n'], { input: text, encoding: 'utf8' }).stderr

/** Faults in the form of blocks that do not run. */
function malformedBlocksOf(page: string): string[] {
  return blocksOf(page).flatMap(block => {
    if (block.kind !== 'elsewhere') return []
    const at = `line ${block.line}`
    if (block.language === 'yaml') {
      const value: unknown = parse(block.text)
      return typeof value === 'object' && value !== null ? [] : [at]
    }
    if (block.language === 'sh' && shellFault(block.text) !== '') return [at]
    const isSetting = (line: string) => /^(?:[A-Z]\w+=.*|\[\w+\]|)$/.test(line)
    return block.language === 'ini' && !block.text.split('\n').every(isSetting) ? [at] : []
  })
}

describe.each(NAMES)('the guide %s', name => {
  const page = pageOf(name)

  test('is as long as one reads in a few minutes', () => {
    expect(proseOf(page).split(/\s+/).length).toBeLessThanOrEqual(MAX_WORDS)
  })
  test('has links that lead somewhere', () => {
    expect(deadLinksOf(page, GUIDES, join(GUIDES, name))).toEqual([])
  })
  test('names settings, addresses and commands that exist', async () => {
    expect([...unknownSettingsOf(page), ...unknownAddressesOf(page)]).toEqual([])
    const faults = await Promise.all(commandsOf(page).map(faultOf))
    expect(faults.filter(fault => fault !== undefined)).toEqual([])
  })
  test('has configuration of other programs that can be read', () => {
    expect(malformedBlocksOf(page)).toEqual([])
  })
})

test('the index lists every guide', () => {
  const listed = [...pageOf('README.md').matchAll(/^\| \[[^\]]+\]\((?!\.\.)([^)]+)\)/gm)].map(
    ([, link]) => link,
  )
  expect(listed.toSorted()).toEqual(NAMES.filter(each => each !== 'README.md').toSorted())
})

test('the figures of the guide to sizing are those that were measured', () => {
  const tables = [...pageOf('sizing.md').matchAll(/<!-- figures: (\S+), .* -->\n\n?((?:\|.*\n)+)/g)]
  expect(tables.length).toBeGreaterThan(3)
  for (const [, source = '', table = ''] of tables) {
    const measured = readFileSync(join(ROOT, source), 'utf8')
    const cells = table
      .split('\n')
      .slice(2)
      .flatMap(row => row.split('|').slice(2, -1))
    for (const figure of cells.map(cell => cell.trim()))
      expect(measured, `${figure} in ${dirname(source)}`).toMatch(
        new RegExp(`[| ]${RegExp.escape(figure)}[ |]`),
      )
  }
})

test('forms of other query languages are refused, or taken as words, as the guide to searching says', () => {
  const page = readFileSync(join(ROOT, 'docs/query-language.md'), 'utf8')
  const [, section = ''] = page.split('## What the language does not have\n')
  const [refused = '', taken = ''] = section.split('These forms are ordinary words everywhere')
  const formsOf = (text: string) => {
    const rows = text.split(/^\| Query/m)[0]?.matchAll(/^\| `([^`]+)`/gm) ?? []
    return [...rows].map(([, form = '']) => form.replaceAll('\\|', '|'))
  }
  expect([formsOf(refused).length, formsOf(taken).length]).toEqual([6, 4])
  expect(formsOf(refused).filter(form => foreignForm(form) === undefined)).toEqual([])
  expect(formsOf(taken).filter(form => foreignForm(form) !== undefined)).toEqual([])
})

describe('output that a guide shows', () => {
  test.each([
    ['a b\n', 'a b\n', true],
    ['a   b\n', 'a b\n', true],
    ['ab\n', 'a b\n', false],
    ['a\nb\nc\n', 'a\n…\nc\n', true],
    ['a\nc\n', 'a\n…\nc\n', true],
    ['a\nb\nd\n', 'a\n…\nc\n', false],
    ['took 5 ms in all\n', 'took … in all\n', true],
    ['2026-01-02T03:04:05.678Z x\n', '2026-11-20T08:15:02.113Z x\n', true],
    ['2026-01-02T03:04:05.678Z x\n', '2026-11-20T08:15:02.113Z y\n', false],
    ['a\nb\n', 'a\n', false],
  ])('%j is that of %j: %j', (output, shown, expected) => {
    expect(isShown(output, shown)).toBe(expected)
  })
  test('a comment that is not directly before its block is refused, since the block would run', () => {
    expect(() => blocksOf('<!-- elsewhere: x -->\ntext\n```sh\nls\n```\n')).toThrow(/not directly before/)
    expect(blocksOf('<!-- elsewhere: x -->\n\n```sh\nls\n```\n')).toMatchObject([{ kind: 'elsewhere' }])
  })
  test.each([
    '```ts\nx\n```\n',
    '```text\nno command before it\n```\n',
    '<!-- elsewhere: -->\n```sh\nls\n```\n',
  ])('a block whose treatment is not clear is refused: %j', page => {
    expect(() => blocksOf(page)).toThrow(/line 1 is not clear/)
  })
})
