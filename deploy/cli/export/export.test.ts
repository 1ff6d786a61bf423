import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { type CommandWorld, commandWorld } from '../../../test/support/command-world.ts'
import type { StandInReply, StandInRequest } from '../../../test/support/http-stand-in.ts'
import { runProgram } from '../program.ts'

const FIRST_MS = 1_699_999_000_000
/** Records as the server prints them; several have the same time. */
const LINES = Array.from({ length: 25 }, (_, at) =>
  JSON.stringify({
    _id: String(1000 + at),
    _ts: FIRST_MS + Math.floor(at / 4),
    _app: 'shop',
    _line: `line ${at} "}],[{" \\`,
    order: { id: [at, {}] },
  }).replace(/}$/, ',"digits":12345678901234567890}'),
)
const TEXT = LINES.map(line => `${line}\n`).join('')
/** Lines per answer: the server ends an answer before the limit of the request. */
const PAGE = 10

let line: CommandLine
let file: string
/** Called before each answer with its number; an answer of its own replaces that of the server. */
let before: (page: number) => StandInReply | undefined
let pages: number
beforeEach(async () => {
  line = await commandLine()
  file = join(line.folder, 'all.ndjson')
  pages = 0
  before = () => undefined
  line.reply = request => before(++pages) ?? { body: answerOf(request) }
})
afterEach(() => line.close())

function answerOf({ url: { searchParams } }: StandInRequest): string {
  const positions = LINES.map(text => JSON.parse(text)).map(({ _ts, _id }) => `${_ts}-${_id}`)
  const from = positions.indexOf(searchParams.get('after') ?? '') + 1
  const found = LINES.slice(from, from + Math.min(PAGE, Number(searchParams.get('limit'))))
  const next = found.length === 0 ? null : positions[from + found.length - 1]
  return [
    `{"lines":[${found.slice(0, 3).join(',')}]}`,
    `{"progress":{"covered_to":${FIRST_MS},"rows":10}}`,
    `{"lines":[${found.slice(3).join(',')}]}`,
    `{"end":{"next":${JSON.stringify(next)},"access":"order"}}`,
  ]
    .filter(piece => piece !== '{"lines":[]}')
    .map(piece => `${piece}\n`)
    .join('')
}

/** Runs an export that a test can interrupt. */
async function run(args: readonly string[], prepare: (world: CommandWorld) => void = () => {}) {
  const world = commandWorld({ env: { WEIR_URL: line.service.url, WEIR_ACCESS_TOKEN: 'x' } })
  prepare(world)
  const code = await runProgram(['export', ...args], world)
  return { code, out: world.out(), err: world.err() }
}
const interruptedAt = (page: number) => (world: CommandWorld) => {
  before = number => {
    if (number === page) world.stopNow()
    return undefined
  }
}
const files = async () => (await readdir(line.folder)).toSorted()

describe('weir export', () => {
  test('writes every line as the server sent it, the oldest first, over many answers', async () => {
    expect(await run([])).toEqual({
      code: 0,
      out: TEXT,
      err: expect.stringMatching(/^Exported 25 lines \(.*lines\/s\)\.\n$/),
    })
    const [first, second] = line.service.requests.map(({ url }) => Object.fromEntries(url.searchParams))
    expect(first).toEqual({
      from: '1699913600000',
      to: '1700000000000',
      query: '',
      order: 'oldest',
      limit: '10000',
    })
    expect(second).toMatchObject({ from: first?.from, to: first?.to, after: `${FIRST_MS + 2}-1009` })
  })

  test('gives a file its name only when it is complete', async () => {
    before = () => {
      expect(existsSync(file)).toBe(false)
      return undefined
    }
    expect((await run(['--file', file])).code).toBe(0)
    expect(await readFile(file, 'utf8')).toBe(TEXT)
    expect(await files()).toEqual(['all.ndjson'])
  })

  test('is continued by the same command after an interruption, with the same period', async () => {
    const stopped = await run(['--from', '1h', '-f', file], interruptedAt(3))
    expect(stopped).toEqual({
      code: 130,
      out: '',
      err: `weir: Stopped after 20 lines. The same command continues ${file}.part.\n`,
    })
    expect(await files()).toEqual(['all.ndjson.part', 'all.ndjson.part.json'])
    before = () => undefined
    const asked = line.service.requests.length
    // The file system may have more than the state says, after a kill.
    await writeFile(`${file}.part`, 'half a line'.repeat(1_000), { flag: 'a' })
    const continued = await run(['--from', '1h', '-f', file], world => world.clock.sleep(5_000))
    expect([continued.code, continued.err]).toEqual([
      0,
      expect.stringMatching(/^Continues behind 20 lines\.\nExported 25 lines to .*\n$/),
    ])
    expect(await readFile(file, 'utf8')).toBe(TEXT)
    expect(await files()).toEqual(['all.ndjson'])
    const [began, again] = [0, asked].map(at => line.service.requests[at]?.url.searchParams)
    expect(again?.get('to')).toBe(began?.get('to'))
    expect(again?.get('after')).toBe(`${FIRST_MS + 4}-1019`)
  })

  test('with other options does not continue it, and --restart begins again', async () => {
    await run(['-f', file], interruptedAt(2))
    before = () => undefined
    const refused = await run(['-f', file, '--app', 'shop'])
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/other options \(app\)\. Repeat .* --restart to begin again\.\n$/),
    ])
    expect((await run(['-f', file, '--app', 'shop', '--restart'])).code).toBe(0)
    expect(await readFile(file, 'utf8')).toBe(TEXT)
  })

  test('to standard output is continued by --after', async () => {
    const stopped = await run([], interruptedAt(2))
    expect(stopped).toMatchObject({
      code: 130,
      err: `weir: Stopped after 10 lines. The same command with --after ${FIRST_MS + 2}-1009 continues.\n`,
    })
    before = () => undefined
    const rest = await run(['--after', `${FIRST_MS + 2}-1009`])
    expect(stopped.out + rest.out).toBe(TEXT)
  })

  test('goes on when the server fails in between, also within an answer', async () => {
    before = page => {
      if (page === 2) return { status: 503, body: { error: 'the store is away' } }
      if (page === 3) return { body: `{"lines":[${LINES[10]}]}\n` }
      return page === 4 ? { status: 429, body: { error: 'too many' } } : undefined
    }
    expect(await run([])).toMatchObject({ code: 0, out: TEXT })
  })

  test('ends with 3 when the server stays away, and the same command continues', async () => {
    before = page => (page > 1 ? { status: 503, body: { error: 'the store is away' } } : undefined)
    expect(await run(['-f', file])).toEqual({
      code: 3,
      out: '',
      err: expect.stringMatching(
        /^weir: .*503.*the store is away\..* It ended after 10 lines\. The same command /,
      ),
    })
    before = () => undefined
    expect((await run(['-f', file])).code).toBe(0)
    expect(await readFile(file, 'utf8')).toBe(TEXT)
  })

  test('does not wait for ever for a server whose answers have no end', async () => {
    before = page => (page > 1 ? { body: '' } : undefined)
    expect(await run([])).toMatchObject({
      code: 3,
      err: expect.stringContaining('ended an answer before its end'),
    })
  })

  test.each([
    [503, 3],
    [403, 3],
    [400, 2],
  ])('that is refused with %i at once ends with %i, and leaves no file', async (status, code) => {
    before = () => ({ status, body: { error: 'the reason' } })
    expect(await run(['-f', file])).toEqual({
      code,
      out: '',
      err: expect.stringMatching(/^weir: .*the reason\..*\n$/),
    })
    expect([await files(), pages]).toEqual([[], 1])
  })

  test('has the forms of other commands, also after an interruption', async () => {
    expect((await run(['-n', '12', '-o', 'raw', '--fields', '_id'])).out).toBe(
      Array.from({ length: 12 }, (_, at) => `${1000 + at}\n`).join(''),
    )
    const csv = ['-f', file, '-o', 'csv', '--fields', '_id,digits']
    await run(csv, interruptedAt(2))
    before = () => undefined
    await run(csv)
    const rows = LINES.map((_, at) => `${1000 + at},12345678901234567890\n`)
    expect(await readFile(file, 'utf8')).toBe(`_id,digits\n${rows.join('')}`)
  })

  test('is not written over a folder or a device', async () => {
    await mkdir(file)
    for (const name of [file, '/dev/null'])
      expect(await run(['-f', name])).toMatchObject({
        code: 2,
        err: expect.stringContaining('is not a file'),
      })
    expect(pages).toBe(0)
  })

  test('has one writer per file', async () => {
    const second: { ended?: ReturnType<typeof run> } = {}
    before = page => {
      if (page === 1) second.ended = run(['-f', file])
      return undefined
    }
    expect((await run(['-f', file])).code).toBe(0)
    expect(await second.ended).toMatchObject({ code: 2, err: expect.stringContaining('Another export') })
  })
})
