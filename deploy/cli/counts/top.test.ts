import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

const facet = (values: Record<string, number>, more: object = {}) => ({
  field: 'app',
  values: Object.entries(values).map(([value, lines]) => ({ value, lines })),
  other: 0,
  absent: 0,
  of_lines: Object.values(values).reduce((sum, lines) => sum + lines, 0),
  distinct: Object.keys(values).length,
  exact: true,
  ...more,
})
/** Answers to the question about the last period, and to that about the one before. */
function counted(now: object, before: object) {
  line.reply = ({ url }) => ({
    body: { data: [url.searchParams.get('to') === '1700000000000' ? now : before] },
  })
}

test('the applications with the most lines of the last minute are shown with their rates, and those before', async () => {
  counted(facet({ nginx: 12_000, shop: 90 }, { absent: 60, of_lines: 12_150 }), facet({ shop: 6_000 }))
  const { code, out } = await line.run(['top'])
  expect([code, out]).toEqual([
    0,
    'APP    LINES/S  BEFORE   LINES  SHARE\n' +
      'nginx      200       -  12,000  98.8%\n' +
      'shop      1.50     100      90   0.7%\n\n' +
      '12,150 lines (203/s), different values of app: 2; 60 without app\n' +
      '2023-11-14 22:12:20 to 2023-11-14 22:13:20 (UTC)\n',
  ])
  const asked = line.service.requests.map(({ url }) => Object.fromEntries(url.searchParams))
  expect(asked).toContainEqual({
    from: '1699999940001',
    to: '1700000000000',
    query: '',
    fields: 'app',
    limit: '20',
  })
  // All values of the time before are needed, because the largest are others.
  expect(asked).toContainEqual({
    from: '1699999880001',
    to: '1699999940000',
    query: '',
    fields: 'app',
    limit: '1000',
  })
})

test('fields, windows and queries are chosen, and every form of a listing is there', async () => {
  counted(facet({ 500: 30 }), facet({}))
  const { out } = await line.run([
    'top',
    'timeout',
    '--by',
    'status',
    '--window',
    '10s',
    '--app',
    'a',
    '-o',
    'json',
  ])
  expect(JSON.parse(out)).toEqual([
    { value: '500', lines: 30, per_second: 3, per_second_before: 0, share: 1 },
  ])
  expect(line.service.requests[0]?.url.search).toContain('query=timeout&apps=a&fields=status')
  expect((await line.run(['top', '--window', '0s'])).code).toBe(2)
})

test('the rate before is unknown where the service has counted other values', async () => {
  counted(facet({ rare: 60 }), facet({ nginx: 5 }, { other: 7 }))
  expect((await line.run(['top'])).out).toMatch(/^rare +1\.00 +\? +60 +100\.0%$/m)
})

test('a quiet minute is a sentence', async () => {
  counted(facet({}), facet({}))
  expect(await line.run(['top'])).toEqual({
    code: 0,
    out: 'Nothing was stored from 2023-11-14 22:12:20 to 2023-11-14 22:13:20 (UTC).\n',
    err: '',
  })
})
