import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

let line: CommandLine
beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

describe('weir usage', () => {
  const answer = (results: unknown) => ({
    body: { from: '2023-11-13T23:59:59.999Z', to: '2023-11-15T00:00:00.000Z', results },
  })

  test('by app: a table of sizes, for today by default', async () => {
    line.reply = () =>
      answer([
        { name: 'web', total_bytes: 1_234_567 },
        { name: 'db', total_bytes: 999 },
      ])
    const { out } = await line.run(['usage', 'apps', '--limit', '5', '--retention', '7d'])
    expect(out).toBe(
      'APPS     SIZE      BYTES\nweb   1.23 MB  1,234,567\ndb      999 B        999\n\n2023-11-14 to 2023-11-14 (UTC)\n',
    )
    const [request] = line.service.requests
    expect(request?.url.pathname).toBe('/v2/usage/apps')
    expect(Object.fromEntries(request!.url.searchParams)).toEqual({
      from: '2023-11-14T00:00:00.000Z',
      to: '2023-11-14T23:59:59.999Z',
      limit: '5',
      retention: '7d',
    })
  })

  test('of one app whose name contains a slash', async () => {
    line.reply = () => answer([])
    const { out } = await line.run(['usage', 'apps', 'a/b ü', '--from', '7d', '--to', 'yesterday'])
    expect(line.service.requests[0]?.url.pathname).toBe('/v2/usage/apps/a%2Fb%20%C3%BC')
    expect(out).toContain('Nothing was stored')
  })

  test('in total: the lines that the account keeps and every pool with data, each with its days', async () => {
    const reply = (results: object) => {
      line.reply = ({ url }) =>
        url.pathname === '/v1/config/retention' ? { body: { days: 365 } } : answer(results)
    }
    reply({ plan_bytes: 10, restored_bytes: 0, '7d_vr_bytes': 20 })
    const { out } = await line.run(['usage'])
    expect(out).toMatch(/kept 365d \(account\) +10 B/)
    expect(out).toMatch(/kept 7d \(pool\) +20 B/)
    expect(out).not.toContain('restored')
    expect(out).toContain('Lines that arrived before the account was set to 365 days keep their own days.\n')
    reply({ plan_bytes: 0, '7d_vr_bytes': 20 })
    expect((await line.run(['usage'])).out).not.toContain('their own days')
  })

  test('in total, of an account that keeps nothing: a message that its lines are never found', async () => {
    const reply = (days: number) => {
      line.reply = ({ url }) =>
        url.pathname === '/v1/config/retention' ? { body: { days } } : answer({ plan_bytes: 10 })
    }
    reply(0)
    expect((await line.run(['usage'])).out).toMatch(
      /never found: 0 days \(account\) +10 B.*\n\n.*\(UTC\)\n.*never found: .* 0 days/s,
    )
    reply(30)
    expect((await line.run(['usage'])).out).not.toContain('found')
    line.reply = ({ url }) =>
      url.pathname === '/v1/config/retention' ? { status: 404, body: {} } : answer({ plan_bytes: 10 })
    expect(await line.run(['usage'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/retention of the account +10 B/),
      err: '',
    })
  })

  test('by app, of a million apps: a row for each, and no stack trace', async () => {
    const apps = Array.from({ length: 1_000_000 }, (_, app) => ({ name: `app-${app}`, total_bytes: 1 }))
    line.reply = () => answer(apps)
    const { code, out, err } = await line.run(['usage', 'apps'])
    expect([code, err]).toEqual([0, ''])
    const lines = out.split('\n')
    expect(lines).toHaveLength(1_000_004)
    expect(lines[1_000_000]).toBe('app-999999   1 B      1')
  })

  test('as JSON: the unchanged answer of the service', async () => {
    line.reply = () => answer([{ name: 'web', total_bytes: 1 }])
    expect(JSON.parse((await line.run(['usage', 'apps', '--json'])).out)).toEqual(
      answer([{ name: 'web', total_bytes: 1 }]).body,
    )
  })
})
