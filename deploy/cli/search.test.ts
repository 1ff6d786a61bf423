import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

describe('weir search', () => {
  const record = (at: number, more: Record<string, unknown> = {}) => ({
    _ts: 1_700_000_000_000 + at,
    _host: 'web-1',
    _app: 'nginx',
    _line: `line ${at}`,
    level: 'ERROR',
    ...more,
  })

  test('prints the newest lines, oldest first, over pages whose parameters stay the same', async () => {
    const pages = [
      { lines: [record(3), record(4)], pagination_id: 'p2' },
      { lines: [record(1), record(2)], pagination_id: 'p3' },
    ]
    line.reply = request => ({ body: request.url.searchParams.get('pagination_id') ? pages[1] : pages[0] })
    const { code, out } = await line.run([
      'search',
      'timeout -ok',
      '--limit',
      '3',
      '--app',
      'a,b',
      '--from',
      '1h',
    ])
    expect(code).toBe(0)
    expect(out).toBe(
      [2, 3, 4].map(at => `2023-11-14T22:13:20.00${at}Z web-1 nginx ERROR line ${at}\n`).join(''),
    )
    const [first, second] = line.service.requests.map(request => Object.fromEntries(request.url.searchParams))
    expect(first).toEqual({
      from: '1699996400000',
      to: '1700000000000',
      query: 'timeout -ok',
      size: '3',
      prefer: 'tail',
      apps: 'a,b',
    })
    expect(second).toEqual({ ...first, pagination_id: 'p2' })
    expect(line.service.requests).toHaveLength(2)
  })

  test('reports possibly missing lines, beside the found ones', async () => {
    const headers = { 'x-weir-incomplete': 'fields; days="2026-11-20, 2026-11-21"' }
    line.reply = () => ({ body: { lines: [record(1)], pagination_id: null }, headers })
    const { code, out, err } = await line.run(['search', 'status:404'])
    expect([code, out]).toEqual([0, '2023-11-14T22:13:20.001Z web-1 nginx ERROR line 1\n'])
    expect(err).toContain(
      'Lines may be missing: on 2026-11-20, 2026-11-21 (UTC) there were more names of fields',
    )
    line.reply = () => ({ body: { lines: [record(1)], pagination_id: null } })
    expect((await line.run(['search', 'status:404'])).err).toBe('')
  })

  test('with --prefer head shows the oldest lines, and with --json prints records with all their digits', async () => {
    line.reply = () => ({
      body: '{"lines":[{"_ts":1,"id":12345678901234567890},{"_ts":2},{"_ts":3}],"pagination_id":null}',
    })
    const { out } = await line.run(['search', '--prefer', 'head', '--limit', '2', '--json'])
    expect(out).toBe('{"_ts":1,"id":12345678901234567890}\n{"_ts":2}\n')
  })

  test.each([['search'], ['tail'], ['export'], ['top'], ['explain', '--query']])(
    'a form of another query language is refused by weir %s with the one that works',
    async (...args) => {
      const { code, out, err } = await line.run([...args, 'took ms>12'])
      expect([code, out]).toEqual([2, ''])
      expect(err).toBe(
        'weir: The query language does not have "ms>12". Comparisons follow a colon: write ms:>12. ' +
          `In quotes it is text: '"ms>12"'.\n`,
      )
      expect(line.service.requests).toEqual([])
    },
  )

  test('accepts a query that begins with a minus behind --', async () => {
    line.reply = () => ({ body: { lines: [], pagination_id: null } })
    expect((await line.run(['search', '--limit', '5', '--', '-debug'])).code).toBe(0)
    expect(line.service.requests[0]?.url.searchParams.get('query')).toBe('-debug')
  })

  test('requests at most 10,000 lines at once', async () => {
    line.reply = () => ({ body: { lines: [], pagination_id: null } })
    await line.run(['search', '--limit', '10001'])
    expect(line.service.requests[0]?.url.searchParams.get('size')).toBe('10000')
  })

  test('without results ends with 0, and with --fail-if-none with 1', async () => {
    line.reply = () => ({ body: { lines: [], pagination_id: null } })
    expect((await line.run(['search', 'x'])).code).toBe(0)
    expect((await line.run(['search', 'x', '--fail-if-none'])).code).toBe(1)
  })

  test('shows `message` if there is one, and makes control characters visible', async () => {
    line.reply = () => ({
      body: { lines: [record(1, { message: 'a\u001b[31mb\nc\td', level: '' })], pagination_id: null },
    })
    expect((await line.run(['search'])).out).toBe('2023-11-14T22:13:20.001Z web-1 nginx a\\x1b[31mb\\nc\td\n')
  })

  test('uses colours on a terminal only, and not with NO_COLOR', async () => {
    line.reply = () => ({ body: { lines: [record(1)], pagination_id: null } })
    const env = { WEIR_URL: line.service.url, WEIR_ACCESS_TOKEN: 'x' }
    expect((await line.run(['search'], { env, terminal: true })).out).toContain('\u001b[31mERROR')
    expect(
      (await line.run(['search'], { env: { ...env, NO_COLOR: '1' }, terminal: true })).out,
    ).not.toContain('\u001b')
    expect((await line.run(['search'], { env })).out).not.toContain('\u001b')
  })
})
