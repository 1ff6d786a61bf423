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
