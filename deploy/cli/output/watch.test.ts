import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { type CommandWorld, commandWorld } from '../../../test/support/command-world.ts'
import type { StandInReply } from '../../../test/support/http-stand-in.ts'
import { runProgram } from '../program.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

const keys = (...names: string[]): StandInReply => ({
  body: names.map(name => ({ id: `id of ${name}`, name, type: 'ingestion' })),
})

/** Runs a command that is interrupted when the service has given all of these answers. */
async function watch(
  args: readonly string[],
  answers: readonly StandInReply[],
  terminal?: { readonly rows: number },
) {
  const env = { WEIR_URL: line.service.url, WEIR_ACCESS_TOKEN: 'x', NO_COLOR: '1' }
  const world: CommandWorld = commandWorld({ env, terminal: terminal !== undefined })
  Object.assign(world.stdout, terminal)
  let given = 0
  line.reply = () => {
    const answer = answers[given++]
    if (answer === undefined) world.stopNow()
    return answer ?? { body: [] }
  }
  const code = await runProgram([...args, '--watch'], world)
  return { code, out: world.out(), err: world.err(), clock: world.clock }
}

describe('a listing with --watch', () => {
  test('is printed again and again, and ends with 0 when it is interrupted', async () => {
    const raw = ['key', 'list', '-o', 'raw', '--fields', 'name']
    const { code, out, err, clock } = await watch(raw, [keys('a'), keys('a', 'b'), keys()])
    expect([code, out, err]).toEqual([0, 'a\na\nb\n', ''])
    expect(clock).toMatchObject({ slept: [2_000, 2_000, 2_000] })
  })

  test('waits as long as --every says', async () => {
    const { clock } = await watch(['key', 'list', '--every', '1m'], [keys('a'), keys('a')])
    expect(clock).toMatchObject({ slept: [60_000, 60_000] })
    expect((await line.run(['key', 'list', '--watch', '--every', '1'])).code).toBe(2)
  })

  test('takes the place of the one before on a terminal', async () => {
    const { code, out } = await watch(
      ['key', 'list', '--quiet', '--fields', 'name'],
      [keys('a', 'b'), keys('c')],
      { rows: 24 },
    )
    expect([code, out]).toEqual([
      0,
      '\u001b[?7l' + '\r\u001b[Ja\nb\n' + '\r\u001b[2A\u001b[Jc\n' + '\u001b[?7h',
    ])
  })

  test('is cut to the height of the terminal, since rows that have left it cannot be replaced', async () => {
    const { out } = await watch(
      ['key', 'list', '--quiet', '--fields', 'name'],
      [keys('a', 'b', 'c', 'd'), keys('e')],
      { rows: 3 },
    )
    expect(out).toContain('\u001b[Ja\nb\n\r\u001b[2A\u001b[Je\n')
    expect(out).not.toContain('c')
  })

  test('ends when the first result is an error', async () => {
    const { code, out, err } = await watch(['key', 'list'], [{ status: 503, body: { error: 'away' } }])
    expect([code, out, err]).toEqual([3, '', expect.stringContaining('away')])
  })

  test('outlasts a server that is away for a while, but no refused request', async () => {
    const raw = ['key', 'list', '-o', 'raw', '--fields', 'name']
    const answers = [
      keys('a'),
      { status: 503, body: { error: 'away' } },
      keys('b'),
      { status: 404, body: { error: 'gone' } },
    ]
    const { code, out, err } = await watch(raw, answers)
    expect([code, out]).toEqual([2, 'a\nb\n'])
    expect(err).toMatch(/^weir: .*away\..*\nweir: .*gone\.\n$/)
  })
})

test('commands that change something have no --watch', async () => {
  for (const args of [
    ['key', 'create', 'x'],
    ['key', 'delete', 'x'],
    ['pipeline', 'create', 'x'],
  ])
    expect(await line.run([...args, '--watch'])).toMatchObject({
      code: 2,
      err: expect.stringContaining('unknown option'),
    })
})
