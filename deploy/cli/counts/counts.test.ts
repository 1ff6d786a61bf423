import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'

const PERIOD = '2023-11-14 21:13:20 to 2023-11-14 22:13:20 (UTC)'
const WHOLE = { complete: true, covered_from: 1_699_996_400_000 }

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

async function out(...args: string[]): Promise<string> {
  const ended = await line.run(args)
  expect([ended.code, ended.err]).toEqual([0, ''])
  return ended.out
}
const asked = () => Object.fromEntries(line.service.requests.at(-1)?.url.searchParams ?? [])

describe('weir stats', () => {
  const facet = (field: string, values: Record<string, number>, more: object = {}) => ({
    field,
    values: Object.entries(values).map(([value, lines]) => ({ value, lines })),
    ...{ other: 0, absent: 0, of_lines: 4_000, ...WHOLE, ...more },
  })

  test('counts lines by values of fields, with those that are not listed', async () => {
    line.reply = () => ({
      body: {
        data: [facet('app', { nginx: 3_000 }, { other: 1_000 }), facet('code', { E1: 4 }, { absent: 3_996 })],
      },
    })
    expect(await out('stats', 'timeout', '--by', 'app,code', '-n', '1', '--from', '1h', '--host', 'a')).toBe(
      'FIELD  VALUE     LINES  SHARE\n' +
        'app    nginx     3,000  75.0%\n' +
        'app    (others)  1,000  25.0%\n' +
        'code   E1            4   0.1%\n' +
        `code   (none)    3,996  99.9%\n\n4,000 lines from ${PERIOD}\n`,
    )
    expect(asked()).toEqual({
      from: '1699996400000',
      to: '1700000000000',
      query: 'timeout',
      hosts: 'a',
      fields: 'app,code',
      limit: '1',
      budget_ms: '30000',
    })
    expect(await out('stats', '-o', 'raw')).toBe('app\tnginx\t3000\napp\t\t1000\ncode\tE1\t4\ncode\t\t3996\n')
  })

  test('says from which time on lines were counted, when there are too many', async () => {
    const part = { complete: false, covered_from: 1_699_999_000_000 }
    line.reply = () => ({ body: { data: [facet('app', { nginx: 1 }, part)] } })
    expect((await line.run(['stats'])).err).toBe(
      'Only lines from 2023-11-14 21:56:40 on were read: choose a shorter period for all.\n',
    )
  })

  test('without lines is a sentence', async () => {
    line.reply = () => ({ body: { data: [facet('app', {}, { of_lines: 0 })] } })
    expect(await out('stats', '--from', '1h')).toBe(`No lines were found from ${PERIOD}.\n`)
  })
})

describe('weir histogram', () => {
  const histogram = (series: Record<string, number[]>, other: number[]) => ({
    starts: [1_699_998_000_000, 1_699_999_200_000],
    series: Object.entries(series).map(([name, lines]) => ({ name, lines })),
    other,
    lines: 1_000,
    ...WHOLE,
  })

  test('is a row with a bar for each stretch of time, in the zone of the user', async () => {
    line.reply = () => ({ body: { data: histogram({}, [900, 100]) } })
    expect(await out('--tz', '+02:00', 'histogram', '--from', '1h', '--buckets', '12')).toBe(
      'FROM (+02:00)        LINES\n' +
        `2023-11-14 23:40:00    900  ${'━'.repeat(40)}\n` +
        `2023-11-15 00:00:00    100  ${'━'.repeat(5)}\n\n` +
        '1,000 lines from 2023-11-14 23:13:20 to 2023-11-15 00:13:20 (+02:00)\n',
    )
    expect(asked()).toMatchObject({ buckets: '12', zone: '+02:00' })
    expect((await line.run(['histogram', '--buckets', '9'])).code).toBe(2)
  })

  test('with --by has a column for each value', async () => {
    line.reply = () => ({ body: { data: histogram({ ERROR: [300, 0] }, [600, 100]) } })
    expect(await out('histogram', '--by', 'level')).toMatch(
      /^FROM \(UTC\) +ERROR +LINES\n\S+ \S+ +300 +900\n\S+ \S+ +0 +100\n/,
    )
    expect(JSON.parse(await out('histogram', '--by', 'level', '-o', 'json'))).toEqual([
      { start: 1_699_998_000_000, lines: 900, by: { ERROR: 300 } },
      { start: 1_699_999_200_000, lines: 100, by: { ERROR: 0 } },
    ])
  })
})

test('weir fields lists names with their types and examples', async () => {
  const examples = ['ann', 'a text that is longer than thirty characters']
  const fields = [{ name: 'user.name', type: 'both', lines: 1_200, examples }]
  line.reply = () => ({ body: { data: { fields, of_lines: 5_000, ...WHOLE } } })
  expect(await out('fields', '--from', '1h', '--prefix', 'user')).toBe(
    'NAME       TYPE             LINES  EXAMPLES\n' +
      'user.name  text and number  1,200  ann, a text that is longer than th…\n\n' +
      `5,000 lines from ${PERIOD}\n`,
  )
  expect(asked()).toMatchObject({ prefix: 'user', limit: '100' })
  expect(await out('fields', '-o', 'raw')).toBe('user.name\n')
})
