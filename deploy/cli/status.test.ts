import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SystemStatusRecord } from '../../schemas/http/system-api.ts'
import type { JsonObject } from '../../schemas/json.ts'
import { type CommandLine, commandLine } from '../../test/support/command-line.ts'

let line: CommandLine

beforeEach(async () => {
  line = await commandLine()
})
afterEach(() => line.close())

const STATUS: SystemStatusRecord = {
  version: '1.2.3',
  read_at: '2026-01-02T03:05:00.000Z',
  started_at: '2026-01-02T03:04:05.000Z',
  roles: ['ingest', 'api', 'engine'],
  ready: true,
  reasons: [],
  log: {
    used_bytes: 2_000_000,
    limit_bytes: 20_000_000_000,
    reserved_bytes: 12_000_000_000,
    takes_ingest: true,
    oldest_at: null,
  },
  store: {
    reachable: true,
    bytes: 5_000_000,
    rows: 1_234_567,
    oldest_day: '2026-01-01',
    disk_free_bytes: 7_000_000_000,
    uncovered_rows: 0,
  },
  partitions: [
    {
      ...{ topic: 'weir.ingest', partition: 0, worker: 'here/1', first: 0, next: 9, lag_records: 2 },
      ...{ unstored_records: 1234, log_time: '2026-01-02T03:04:06.000Z', behind_s: 0, trouble: null },
    },
  ],
  tails: 0,
  taps: 0,
}

test('without Kafka it shows what the server knows', async () => {
  line.reply = () => ({ body: { meta: {}, data: STATUS as unknown as JsonObject } })
  const shown = await line.run(['status'])
  expect(shown).toMatchObject({ code: 0, err: '' })
  expect(shown.out).toContain('here/1')
  expect(shown.out).toContain('1,234')
  expect(shown.out).toContain('Weir 1.2.3, started at 2026-01-02 03:04:05 (UTC), is ready.')
  expect(shown.out).toContain('The log takes 2.00 MB of 20.0 GB, of which lines may use 8.00 GB.')
  expect(shown.out).toContain('The store has 1,234,567 lines since 2026-01-01')
  expect(JSON.parse((await line.run(['status', '--json'])).out)).toEqual(STATUS)
})

test.each([
  ['a server that is not ready', { ready: false, reasons: ['The log is full.'] }, 'The log is full.'],
  ['a partition without a worker', { partitions: [{ ...STATUS.partitions[0], worker: null }] }, 'nobody'],
])('%s gives exit code 1', async (_, change, text) => {
  line.reply = () => ({ body: { meta: {}, data: { ...STATUS, ...change } as unknown as JsonObject } })
  const shown = await line.run(['status'])
  expect(shown.code).toBe(1)
  expect(shown.out).toContain(text)
})
