import { afterEach, beforeEach, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
  line.reply = ({ method, body }) => ({ body: method === 'PUT' ? JSON.parse(body) : { days: 30 } })
})
afterEach(() => line.close())

test('weir retention shows the days, under either name', async () => {
  for (const args of [['retention'], ['retention', 'show']])
    expect(await line.run(args)).toEqual({ code: 0, out: 'Lines are kept 30 days.\n', err: '' })
  expect(JSON.parse((await line.run(['retention', 'show', '--json'])).out)).toEqual({ days: 30 })
  expect(line.service.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual(
    Array.from({ length: 3 }, () => 'GET /v1/config/retention'),
  )
})

test('weir retention reports that 0 days, which clients of an enterprise may set, keep nothing', async () => {
  line.reply = () => ({ body: { days: 0 } })
  const { code, out } = await line.run(['retention'])
  expect(code).toBe(0)
  expect(out).toMatch(/never found: the retention of the account is 0 days\..*"weir retention set 30"/)
})

test.each([
  ['1', '1 day'],
  ['3650', '3650 days'],
])('weir retention set %s', async (days, words) => {
  const { code, out } = await line.run(['retention', 'set', days])
  expect([code, out]).toEqual([0, `Lines that arrive from now on are kept ${words}.\n`])
  expect(JSON.parse(line.service.requests[0]?.body ?? '')).toEqual({ days: Number(days) })
})

test.each(['0', '3651', '-1', '1.5', '1e2', 'many', ''])(
  'weir retention set "%s" is wrong use',
  async days => {
    const { code, err } = await line.run(['retention', 'set', days])
    expect([code, line.service.requests.length]).toEqual([2, 0])
    if (days !== '-1') expect(err).toContain('It must be a whole number from 1 to 3650.')
  },
)
