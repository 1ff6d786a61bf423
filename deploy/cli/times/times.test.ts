import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { DAY_MS } from '../../../engine/times/duration.ts'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { commandWorld } from '../../../test/support/command-world.ts'
import { CommandError } from '../command-error.ts'
import { timeZone } from './time-zone.ts'
import { timesOf } from './times.ts'

const inZone = (zone: string) => timesOf(commandWorld({ env: { WEIR_TZ: zone } }))
/** Time that a text means in a zone. */
async function read(text: string, zone: string, edge: 'start' | 'end' = 'start'): Promise<string> {
  return new Date((await inZone(zone)).read('--from', text, edge)).toISOString()
}

describe('times of a zone', () => {
  test('dates and times without an offset are those of its clocks, also when these are changed', async () => {
    expect(await read('2026-01-31', 'Europe/Berlin')).toBe('2026-01-30T23:00:00.000Z')
    expect(await read('2026-07-31 12:00', 'Europe/Berlin')).toBe('2026-07-31T10:00:00.000Z')
    expect(await read('2026-07-31 12:00', '+05:30')).toBe('2026-07-31T06:30:00.000Z')
    expect(await read('2026-07-31 12:00Z', 'Europe/Berlin')).toBe('2026-07-31T12:00:00.000Z')
    // The day of the change has 23 hours, and no 02:30.
    expect(await read('2026-03-29', 'Europe/Berlin', 'end')).toBe('2026-03-29T21:59:59.999Z')
    expect(await read('2026-03-29 02:30', 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
    // 02:30 comes twice: the first is meant.
    expect(await read('2026-10-25 02:30', 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
  })

  test('a time that is printed is read as the same time', async () => {
    for (const zone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kathmandu', '-03:00']) {
      const times = await inZone(zone)
      fc.assert(
        fc.property(fc.integer({ min: Date.UTC(1980, 0, 1), max: Date.UTC(2060, 0, 1) }), ms => {
          expect(times.read('--from', times.iso(ms), 'start')).toBe(ms)
        }),
        { numRuns: 50 },
      )
    }
  })

  test('a day begins when the one before it has ended', () => {
    const zones = ['Europe/Berlin', 'America/Sao_Paulo', 'Asia/Beirut', 'Australia/Lord_Howe', 'Pacific/Apia']
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 40_000 }), (name, day) => {
        const zone = timeZone(name)
        if (zone === undefined) throw new Error(name)
        const startMs = zone.toUtcMs(day * DAY_MS)
        expect(zone.toUtcMs((day + 1) * DAY_MS)).toBeGreaterThanOrEqual(startMs)
        expect(zone.toClockMs(startMs)).toBeGreaterThanOrEqual(day * DAY_MS)
      }),
    )
  })

  test('a text that is not a time names the forms, and an unknown zone is refused', async () => {
    const times = await inZone('UTC')
    expect(() => times.read('--from', 'soon', 'start')).toThrow(/^--from "soon" is not a time\. Write 1h/)
    await expect(inZone('Europe/Nowhere')).rejects.toThrow(CommandError)
    await expect(inZone('Europe/Nowhere')).rejects.toThrow('"Europe/Nowhere" is not a time zone.')
  })
})

describe('in commands', () => {
  let line: CommandLine
  beforeEach(async () => {
    line = await commandLine()
    const lines = [{ _ts: Date.UTC(2026, 6, 31, 10), _host: 'web', _app: 'shop', _line: 'hello' }]
    line.reply = () => ({ body: { lines, pagination_id: null } })
  })
  afterEach(() => line.close())
  const asked = () => line.service.requests.at(-1)?.url.searchParams

  test('--tz decides how times are read and printed, before or after the command', async () => {
    for (const args of [
      ['--tz', 'Europe/Berlin', 'search', '--from', '2026-07-31', '--to', '2026-07-31'],
      ['search', '--from', '2026-07-31', '--to', '2026-07-31', '--tz=Europe/Berlin'],
    ]) {
      const { out, code } = await line.run(args)
      expect([out, code]).toEqual(['2026-07-31T12:00:00.000+02:00 web shop hello\n', 0])
      expect(asked()?.get('from')).toBe(String(Date.UTC(2026, 6, 30, 22)))
      expect(asked()?.get('to')).toBe(String(Date.UTC(2026, 6, 31, 22) - 1))
    }
  })

  test('WEIR_TZ does the same, and --utc overrides it', async () => {
    const env = { WEIR_URL: line.service.url, WEIR_ACCESS_TOKEN: 'sts_x', WEIR_TZ: '+02:00' }
    expect((await line.run(['search'], { env })).out).toMatch(/^2026-07-31T12:00:00\.000\+02:00 /)
    expect((await line.run(['search', '--utc'], { env })).out).toMatch(/^2026-07-31T10:00:00\.000Z /)
  })

  test('a span may begin with a minus, as values of options rarely do', async () => {
    expect((await line.run(['search', '--from', '-1d12h', '--to', '-1h'])).code).toBe(0)
    const [from, to] = [Number(asked()?.get('from')), Number(asked()?.get('to'))]
    expect(to - from).toBe(35 * 3_600_000)
  })

  test('an unknown zone is wrong use', async () => {
    const { code, err } = await line.run(['search', '--tz', 'Nowhere'])
    expect([code, err]).toEqual([2, expect.stringContaining('"Nowhere" is not a time zone.')])
  })
})
