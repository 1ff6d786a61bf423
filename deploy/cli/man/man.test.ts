import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { roffText } from './roff.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

/** Programs that format manual pages, with the arguments by which they report what is wrong with one, and print nothing else. */
const FORMATTERS: readonly (readonly [program: string, args: readonly string[]])[] = [
  ['mandoc', ['-T', 'lint', '-W', 'warning']],
  ['groff', ['-man', '-ww', '-z', '-K', 'utf8']],
]

async function writePages(): Promise<readonly string[]> {
  const folder = join(line.folder, 'man', 'man1')
  const { code, err } = await line.run(['man', '--folder', folder])
  const pages = readdirSync(folder).map(name => join(folder, name))
  expect([code, err]).toEqual([0, `Wrote ${pages.length} pages to ${folder}.\n`])
  return pages
}

test('every command has a page, with the options and verbs of its help', async () => {
  const pages = await writePages()
  const names = pages.map(page => page.replace(/.*\//, ''))
  const help = (await line.run(['--help'])).out
  const commands = [...help.matchAll(/^ {2}([a-z]+)(?= |$)/gm)].map(([, name]) => name)
  for (const command of commands.filter(name => name !== 'weir' && name !== 'help'))
    expect(names).toContain(`weir-${command}.1`)
  expect(names).toContain('weir.1')
  const { out } = await line.run(['man', 'pipeline'])
  expect(out).toContain('\n.SH "weir pipeline dead\\-letters"\n')
  expect(out).toContain('\n.TP\n\\fB\\-\\-dry\\-run\\fR\n')
  expect(out).toContain('\n.SH "EXAMPLES"\n.EX\n')
})

test('the page of the program is that of no command, and names the others', async () => {
  const { code, out } = await line.run(['man'])
  expect(out).toContain('weir \\- self-hosted log management')
  expect([code, out.split('\n')[0]]).toEqual([0, expect.stringMatching(/^\.TH WEIR 1 2023-11-14 "weir /)])
  expect(out).toContain('weir\\-search(1)')
  expect(out).toContain('.SH "EXIT STATUS"\n0 success, 1 done')
})

test('a command that does not exist ends with the nearest one', async () => {
  expect(await line.run(['man', 'serch'])).toEqual({
    code: 2,
    out: '',
    err: 'weir: There is no command "serch"; did you mean "search"?\n',
  })
})

describe.each(FORMATTERS)('%s', (program, args) => {
  const isHere = spawnSync(program, ['--version']).error === undefined
  if (!isHere) console.warn(`Skipped: ${program} is not installed, so it has not read the manual pages`)

  test.skipIf(!isHere)('accepts every page', async () => {
    const { status, stdout, stderr } = spawnSync(program, [...args, ...(await writePages())], {
      encoding: 'utf8',
    })
    expect([status, stdout + stderr]).toEqual([0, ''])
  })
})

test('nothing of a text is a request or an escape', async () => {
  expect(roffText('..\\fB it\'s `x` ~/a^b "c" --d')).toBe(
    '\\&..\\efB it\\(aqs \\(gax\\(ga \\(ti/a\\(hab \\(dqc\\(dq \\-\\-d',
  )
  const known = /^\.(TH|SH|PP|EX|EE|TP)( |$)/
  for (const page of await writePages()) {
    const requests = readFileSync(page, 'utf8')
      .split('\n')
      .filter(each => /^[.']/.test(each))
    expect(requests.filter(each => !known.test(each))).toEqual([])
  }
})
