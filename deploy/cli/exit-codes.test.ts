import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'
import { commandWorld } from '../../test/support/command-world.ts'
import { httpStandIn } from '../../test/support/http-stand-in.ts'
import { UNREACHABLE } from './command-error.ts'
import { runProgram } from './program.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

describe('exit codes', () => {
  test.each([
    [400, 2],
    [401, 3],
    [403, 3],
    [404, 2],
    [409, 2],
    [413, 2],
    [429, 3],
    [500, 3],
    [503, 3],
  ])('an answer of %i ends every command with %i and one sentence', async (status, code) => {
    line.reply = () => ({ status, body: { error: 'the reason', code: 'X' } })
    for (const args of [
      ['search'],
      ['usage', 'apps'],
      ['pipeline', 'list'],
      ['token', 'list'],
      ['status'],
      ['export'],
      ['top'],
      ['rule', 'retention', 'list'],
      ['gateway', 'list'],
    ]) {
      const ended = await line.run(args)
      expect([args, ended]).toEqual([
        args,
        { code, out: '', err: expect.stringMatching(/^weir: .*the reason.*\n$/) },
      ])
    }
  })

  test.each([
    [401, 'It may be wrong, revoked or expired; "weir credentials" shows those of this machine.'],
    [403, 'Another token may be: "weir token list" shows their rights.'],
    [429, 'the reason. Try again in 7 s.'],
    [503, 'the reason. Try again in 7 s. "weir doctor" on the machine of the server shows what is wrong.'],
  ])('an answer of %i ends with the way on: %s', async (status, wayOn) => {
    line.reply = () => ({ status, body: { error: 'the reason' }, headers: { 'retry-after': '7' } })
    expect((await line.run(['usage', 'apps'])).err).toMatch(new RegExp(`${wayOn.replaceAll('.', '\\.')}\n$`))
    line.reply = () => ({ status, body: { error: 'the reason.' } })
    expect((await line.run(['usage', 'apps'])).err).not.toContain('..')
  })

  test.each([
    [['pipeline', 'diff', '/nowhere/x.yaml'], 'weir: /nowhere/x.yaml does not exist.\n'],
    [['view', 'create', 'x', '-f', '/tmp'], 'weir: EISDIR: illegal operation on a directory, read\n'],
  ])('%j names the file and the cause in a sentence', async (args, sentence) => {
    expect(await line.run(args)).toEqual({ code: 2, out: '', err: sentence })
  })

  test.each([
    [['search', '--limt', '1'], '--limit'],
    [['pipelin', 'list'], 'pipeline'],
    [['pipeline', 'lst'], 'list'],
    [['search', '--from', 'soon'], 'is not a time'],
    [['search', '-o', 'xml'], 'Allowed choices'],
  ])('%j is wrong use, ends with 2, and names what was meant', async (args, meant) => {
    const { code, out, err } = await line.run(args)
    expect([code, out, err]).toEqual([2, '', expect.stringContaining(meant)])
    expect(line.service.requests).toEqual([])
  })

  test('a service that does not run ends a command with 3', async () => {
    const gone = await httpStandIn(() => ({ body: {} }))
    await gone.close()
    const env = { WEIR_URL: gone.url, WEIR_ACCESS_TOKEN: 'x' }
    const { code, err } = await line.run(['search'], { env })
    expect([code, err]).toEqual([3, expect.stringContaining(`Nothing answers at ${gone.url}`)])
  })

  test('an interruption ends a command with 130', async () => {
    const world = commandWorld({ env: { WEIR_URL: line.service.url, WEIR_ACCESS_TOKEN: 'x' } })
    world.stopNow()
    expect(await runProgram(['search'], world)).toBe(130)
  })

  test('the help lists them', async () => {
    expect((await line.run(['--help'])).out).toContain(
      'Exit codes: 0 success, 1 done with a negative result, 2 ',
    )
  })

  test.each(['search', 'tail', 'explain', 'ship'])(
    'the help of %s has the same words for 3',
    async command => {
      expect((await line.run([command, '--help'])).out.replaceAll(/\s+/g, ' ')).toContain(`3 ${UNREACHABLE}`)
    },
  )
})
