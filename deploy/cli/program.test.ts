import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'
import { VERSION } from '../version.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

describe('weir', () => {
  test.each([['--help'], ['ship', '--help'], ['pipeline', '--help'], ['help', 'search']])(
    '%s %s prints examples and ends with 0',
    async (...args) => {
      const { code, out } = await line.run(args)
      expect(code).toBe(0)
      expect(out).toContain('Examples:')
    },
  )

  test.each(['all', 'ingest', 'api', 'engine', 'store'])(
    '%s --help names the list of settings',
    async role => {
      const { code, out } = await line.run([role, '--help'])
      expect(code).toBe(0)
      expect(out).toContain('docs/operations.md, section "Settings"')
      expect(readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8')).toMatch(
        /^## Settings$/m,
      )
    },
  )

  test.each([
    [['--help']],
    [['pipeline', '--help']],
    [['token', '--help']],
    [['account', '--help']],
    [['rule', '--help']],
    [['gateway', '--help']],
    [['context', '--help']],
    [['log', '--help']],
  ])('%j lists commands in one style: a phrase in lower case', async args => {
    const { out } = await line.run(args)
    const lists = out.match(/^(?:Commands|For the server's operator|Server):\n(?: .*\n)+/gm) ?? []
    const abouts = lists
      .flatMap(list => list.split(/\n {2}(?=\S)/).slice(1))
      .map(entry =>
        entry
          .replace(/^.*? {2,}/, '')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      )
    expect(abouts.length).toBeGreaterThan(1)
    expect(abouts.filter(about => !/^[a-z].*[^.]$/.test(about))).toEqual([])
  })

  test('the help of a resource has the article of its noun', async () => {
    expect((await line.run(['account', 'create', '--help'])).out).toContain('Create an account.')
    expect((await line.run(['group', 'create', '--help'])).out).toContain('Create a group.')
  })

  test.each(['--version', '-V'])('%s prints the version', async option => {
    const { code, out } = await line.run([option])
    expect({ code, out }).toEqual({ code: 0, out: `${VERSION}\n` })
  })

  test.each([
    [['serch']],
    [['usage', 'colours']],
    [['search', '--limit', '0']],
    [['search', '--nope']],
    [['pipeline', 'show']],
  ])('%j is wrong use and ends with 2', async args => {
    const { code, err } = await line.run(args)
    expect(code).toBe(2)
    expect(err).toContain('--help')
  })
})
