import stringWidth from 'string-width'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { fitted } from './help-layout.ts'

const COLUMNS = 60

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

/** Helps of a command and of all commands below it. */
async function helps(...path: string[]): Promise<string[]> {
  const { out } = await line.run([...path, '--help'], { columns: COLUMNS })
  const lists = out.match(/^(?:Commands|For the server's operator|Server):\n(?: .*\n)+/gm) ?? []
  const children = lists.flatMap(list => [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name ?? ''))
  const below: string[] = []
  for (const child of children) if (child !== 'help') below.push(...(await helps(...path, child)))
  return [out, ...below]
}

test('the help of every command fits 60 columns', async () => {
  const all = await helps()
  expect(all.length).toBeGreaterThan(100)
  const wide = all.flatMap(help => help.split('\n')).filter(each => stringWidth(each) > COLUMNS)
  expect(wide).toEqual([])
})

test('a wide terminal has the help as it is written', async () => {
  const { out } = await line.run(['search', '--help'], { columns: 110 })
  expect(out).toContain(
    '\nLines are printed oldest first. Of more than --limit lines, the newest are shown (--prefer head: the oldest).\n',
  )
})

test('a paragraph is filled anew, and an example keeps its line and its indent', () => {
  const text = 'one two three\nfour five six\n\nExamples:\n  weir search  finds lines\n  weir top\n'
  expect(fitted(text, 15)).toBe(
    'one two three\nfour five six\n\nExamples:\n  weir\n      search\n      finds\n      lines\n  weir top\n',
  )
  expect(fitted(text, 11)).toMatch(/^one two\nthree four\nfive six\n\nExamples:\n/)
  expect(fitted(text, 26)).toBe(text)
})
