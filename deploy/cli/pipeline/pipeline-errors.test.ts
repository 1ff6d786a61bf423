import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'

const ID = '0d5c8f3e-5f0f-4d0e-9a53-1f6f1f6b7a11'
const ENTRY = {
  id: 'e',
  pipeline_id: ID,
  node_id: 'n',
  node_kind: 'transform',
  code: 'E_NOT_FOUND',
  field: '.a',
  message: 'There is no .a.',
  captured: `a\u001b[2J${'x'.repeat(300)}`,
  first_seen: '2026-01-01T00:00:00.000Z',
  last_seen: '2026-01-01T00:05:00.000Z',
  count: 3,
}

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

test('weir pipeline errors shows each entry with its cause, cut and without control characters', async () => {
  const once = { ...ENTRY, count: 1, captured: '{}' }
  line.reply = () => ({ body: { data: [ENTRY, once] } })
  const { code, out } = await line.run(['pipeline', 'errors', ID])
  expect(code).toBe(0)
  expect(out.split('\n')).toEqual([
    'E_NOT_FOUND 3 times, 2026-01-01T00:00:00.000Z to 2026-01-01T00:05:00.000Z',
    '  transform n: There is no .a.',
    `  a\\x1b[2J${'x'.repeat(195)}…`,
    '',
    'E_NOT_FOUND at 2026-01-01T00:05:00.000Z',
    '  transform n: There is no .a.',
    '  {}',
    '',
    '',
  ])
})

test('weir pipeline errors sends the options as parameters', async () => {
  line.reply = ({ url }) => ({
    body: { data: url.pathname.endsWith('/error') ? [] : [{ id: ID, title: 'P' }] },
  })
  const asked = async (...options: string[]) => {
    const { code, err } = await line.run(['pipeline', 'errors', 'P', ...options])
    expect([code, err]).toEqual([0, 'No errors were reported in that time.\n'])
    const { url } = line.service.requests.at(-1) as { url: URL }
    expect(url.pathname).toBe(`/v3/pipeline/${ID}/error`)
    return Object.fromEntries(url.searchParams)
  }
  expect(await asked('--from', '2026-01-01', '--to', '2026-01-02', '--node', 'n', '-n', '5')).toEqual({
    from: '2026-01-01T00:00:00.000Z',
    to: '2026-01-02T23:59:59.999Z',
    node_id: 'n',
    limit: '5',
  })
  expect(await asked('--code', 'E_NOT_FOUND')).toMatchObject({ code: 'E_NOT_FOUND' })
  expect(await asked()).toEqual({ from: expect.stringMatching(/Z$/), limit: '100' })
})

test('weir pipeline errors --json prints entries unchanged', async () => {
  line.reply = () => ({ body: { data: [ENTRY] } })
  const { out } = await line.run(['pipeline', 'errors', ID, '--json'])
  expect(JSON.parse(out)).toEqual(ENTRY)
})
