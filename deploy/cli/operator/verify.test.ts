import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CommandLine, commandLine } from '../../../test/support/command-line.ts'
import { type OperatorStandIn, operatorStandIn } from '../../../test/support/operator-stand-in.ts'

const PARTITION = {
  partition: 0,
  firstOffset: 0,
  nextOffset: 20,
  unstoredRecords: 0,
  fromMs: 0,
  untilMs: Date.UTC(2026, 0, 2, 10),
  lines: 1234,
  bytes: 56_789,
}
const DAYS = [
  { day: '2026-01-01', isClosed: true, isRecomputed: true },
  { day: '2026-01-02', isClosed: false, isRecomputed: false },
]
const MISMATCH = {
  kind: 'rows',
  table: 'lines',
  partition: 3,
  firstOffset: 17,
  lastOffset: 17,
  hour: '2026-01-01T10:00:00.000Z',
  day: null,
  expected: { rows: 5, bytes: 500, digest: '00000000000000ab' },
  found: { rows: 4, bytes: 400, digest: '00000000000000cd' },
  columns: [],
  where: {},
}

let line: CommandLine
let standIn: OperatorStandIn | undefined

beforeEach(async () => {
  line = await commandLine()
  writeFileSync(join(line.folder, 'format.json'), '{"format":1}')
})
afterEach(async () => {
  await standIn?.close()
  standIn = undefined
  await line.close()
})

async function verified(report: object, args: readonly string[] = []) {
  const events = [
    { type: 'began', partitions: 1, records: 20 },
    { type: 'progress', partition: 0, records: 10, lines: 600 },
    { type: 'partition', ...PARTITION },
    { type: 'day', ...DAYS[0] },
    { type: 'verified', report },
  ]
  standIn = await operatorStandIn(line.folder, events)
  return line.run(['verify', ...args])
}

describe('weir verify', () => {
  test('says OK with lines, bytes and rate, and ends with 0', async () => {
    const { code, out, err } = await verified({
      partitions: [PARTITION],
      days: DAYS,
      mismatch: null,
      damaged: [],
    })
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('0  OK      1,234  56.8 kB  0 to 19  the beginning          2026-01-02 10:00:00')
    expect(out).toContain(
      'Usage of 2 days is correct: 1 closed and equal to the log, 0 closed and equal to their lines, 1 open.',
    )
    expect(out).toMatch(/^OK: the store agrees with the log\. 1,234 lines, 56\.8 kB in .* s: .* lines\/s\.$/m)
    expect(out).not.toContain('The log begins at')
    expect(standIn?.requests).toEqual([{ path: '/verify', body: '{}' }])
  })

  const STOPPED = {
    partitions: [{ ...PARTITION, unstoredRecords: 7 }],
    days: [],
    mismatch: null,
    damaged: [],
    stopped: [{ partition: 2, sentence: 'A checkpoint of it cannot be read.' }],
  }

  test('names a partition that an error has stopped, although the store agrees, and ends with 1', async () => {
    const { code, out, err } = await verified(STOPPED)
    expect([code, err]).toEqual([1, ''])
    expect(out).toContain(
      'STOPPED: partition 2 does not move: A checkpoint of it cannot be read. Nothing more of it is stored.\n',
    )
    expect(out).toContain('7 records at the end of the log were not checked')
    expect(out).toMatch(/\nThe rest of the store agrees with the log\.\n$/)
    expect(out).not.toContain('OK: ')
  })

  test('names it as JSON', async () => {
    const { code, out } = await verified(STOPPED, ['--json'])
    expect([code, JSON.parse(out)]).toMatchObject([1, { ok: false, stopped: STOPPED.stopped }])
  })

  test('where several partitions have lost their ends, it reported the first one alone', async () => {
    const range = { firstOffset: 10, lastOffset: 19, where: { topic: 'weir.ingest' } }
    const lost = { ...MISMATCH, ...range, kind: 'lost-tail', table: null, hour: null }
    const lostTails = [lost, { ...lost, partition: 4, where: { topic: 'weir.outbox' } }]
    const { code, out } = await verified({
      partitions: [],
      days: [],
      mismatch: lost,
      lostTails,
      damaged: [],
    })
    expect(code).toBe(1)
    expect(out.match(/^MISMATCH: the log has lost records at its end \(partition \d/gm)).toHaveLength(2)
    expect(out).toContain('  weir log accept-loss --topic ingest --partition 3 --from 10 --to 19\n')
    expect(out).toContain('  weir log accept-loss --topic outbox --partition 4 --from 10 --to 19')
  })

  test('reports empty partitions only by their number', async () => {
    const empty = [1, 2].map(partition => ({ ...PARTITION, partition, lines: 0, bytes: 0 }))
    const { out } = await verified({
      partitions: [PARTITION, ...empty],
      days: [],
      mismatch: null,
      damaged: [],
    })
    expect(out.split('\n').slice(0, 4)).toEqual([
      expect.stringContaining('PARTITION'),
      expect.stringContaining('1,234'),
      '2 partitions without lines: OK',
      '',
    ])
  })

  test('is not OK with a part that the engine has left out, even if everything that is compared is right', async () => {
    const damaged = [{ table: 'lines', part: 'broken-on-start_20260101_1_6_1', state: 'set aside' }]
    const report = { partitions: [PARTITION], days: [], mismatch: null, damaged }
    const { code, out } = await verified(report)
    expect(code).toBe(1)
    expect(out).toContain('DAMAGED: Part broken-on-start_20260101_1_6_1 of the table lines was found damaged')
    expect(out).not.toContain('OK: the store agrees with the log')
  })

  test('reports the data that it could not check', async () => {
    const partition = { ...PARTITION, fromMs: Date.UTC(2026, 0, 1, 12), unstoredRecords: 3 }
    const { out } = await verified({ partitions: [partition], days: DAYS, mismatch: null, damaged: [] })
    expect(out).toContain('The log begins at 2026-01-01 12:00:00 (UTC): for older lines')
    expect(out).toContain('3 records at the end of the log')
  })

  test('reports the first mismatch with its meaning and the remedy, and ends with 1', async () => {
    const { code, out } = await verified({
      partitions: [PARTITION],
      days: [],
      mismatch: MISMATCH,
      damaged: [],
    })
    expect(code).toBe(1)
    expect(out).toContain(
      'MISMATCH: rows of lines are missing (partition 3, offset 17, hour of 2026-01-01 10:00 UTC).',
    )
    expect(out).toMatch(/^expected +5 +500 +00000000000000ab$/m)
    expect(out).toMatch(/^found +4 +400 +00000000000000cd$/m)
    expect(out).toContain('Remedy: ')
    expect(out).not.toContain('cut off')
    expect(out).not.toContain('OK:')
  })

  test.each([
    [
      { columns: ['line', 'size'], found: MISMATCH.expected },
      /differ from the log.*Columns that differ: line, size/s,
    ],
    [
      { found: { ...MISMATCH.found, rows: 6 } },
      /that the log does not contain.*the end of the log itself was cut off/s,
    ],
    [
      { kind: 'sums', firstOffset: 90, lastOffset: 99 },
      /whose sum differs from the log \(partition 3, offsets 90 to 99.*00000000000000ab.*00000000000000cd.*checkpoint/s,
    ],
    [
      { kind: 'beyond-log', firstOffset: 90, lastOffset: 99 },
      /beyond the end of the log \(partition 3, offsets 90 to 99.*The end of the log was cut off/s,
    ],
    [
      { kind: 'older-store', firstOffset: 90, lastOffset: 99 },
      /the store is an older copy, and lacks records \(partition 3, offsets 90 to 99.*A start stores those of them again/s,
    ],
    [{ kind: 'no-partition', partition: 77 }, /belong to no partition \(partition 77/],
    [
      {
        kind: 'usage',
        partition: null,
        firstOffset: null,
        hour: null,
        day: '2026-01-01',
        where: { account: 'a', app: 'b' },
      },
      /usage of a closed day that differs from its lines \(day 2026-01-01, account "a", app "b"\)/,
    ],
    [{ kind: 'closed-early', day: '2026-01-09' }, /usage of a day that is not over/],
    [
      { kind: 'filter', day: '2026-01-09' },
      /lines without the filter of their words [\s\S]*searches by words do not find them/,
    ],
    [{ kind: 'projection', where: { part: '20260101_1_1_0' } }, /MATERIALIZE PROJECTION usage/],
  ])('has sentences for every kind: %j', async (change, words) => {
    const { code, out } = await verified({
      partitions: [],
      days: [],
      mismatch: { ...MISMATCH, ...change },
      damaged: [],
    })
    expect(code).toBe(1)
    expect(out).toMatch(words)
  })

  test('--json prints one object', async () => {
    const report = { partitions: [PARTITION], days: DAYS, mismatch: MISMATCH, damaged: [] }
    const { code, out } = await verified(report, ['--json'])
    expect(code).toBe(1)
    expect(JSON.parse(out)).toMatchObject({ ok: false, lines: 1234, bytes: 56_789, ...report })
  })

  test('prints no control characters of stored data', async () => {
    const where = { account: 'a', app: '\u001b[2Jgone' }
    const { out } = await verified({
      partitions: [],
      days: [],
      mismatch: { ...MISMATCH, where },
      damaged: [],
    })
    expect(out).toContain('app "\\x1b[2Jgone"')
  })

  test.each([
    [[{ type: 'failed', message: 'the store does not answer' }], 'weir: The store does not answer.\n'],
    [{ status: 409, message: 'another one is under way' }, 'weir: Another one is under way.\n'],
    [
      [{ type: 'began', partitions: 1, records: 1 }],
      'weir: The server stopped in the meantime (its answer is incomplete).\n',
    ],
  ])('ends with 2 and a sentence when verification is impossible: %j', async (answer, sentence) => {
    standIn = await operatorStandIn(line.folder, answer)
    expect(await line.run(['verify'])).toEqual({ code: 2, out: '', err: sentence })
  })

  test('ends with 2 without a data folder, and creates none', async () => {
    const env = { WEIR_DATA_DIR: join(line.folder, 'none') }
    const { code, err } = await line.run(['verify'], { env })
    expect(code).toBe(2)
    expect(err).toContain(`${env.WEIR_DATA_DIR} is not a data folder. Set WEIR_DATA_DIR`)
    expect(await line.run(['backup', '/nowhere'], { env })).toMatchObject({ code: 2 })
  })
})

describe('weir backup', () => {
  test('names the folder by its full path and lists its contents', async () => {
    const summary = { directory: '/backups/today', files: 1234, bytes: 5_000_000, hasSecretKey: true }
    standIn = await operatorStandIn(line.folder, [
      { type: 'held', files: 1234, bytes: 5_000_000 },
      { type: 'copied', bytes: 1 },
      { type: 'backed-up', summary },
    ])
    const { code, out } = await line.run(['backup', 'today'])
    expect(code).toBe(0)
    expect(out).toMatch(/^Backed up 1,234 files, 5\.00 MB in .* s, into \/backups\/today\.\n.*protect it/)
    const { path, body } = standIn.requests[0] ?? { path: '', body: '{}' }
    expect([path, JSON.parse(body).directory]).toEqual(['/backup', join(process.cwd(), 'today')])
  })

  test('reports that the secret key is missing in it', async () => {
    const summary = { directory: '/backups/today', files: 1, bytes: 1, hasSecretKey: false }
    standIn = await operatorStandIn(line.folder, [{ type: 'backed-up', summary }])
    expect((await line.run(['backup', 'today'])).out).toContain(
      'It does not contain the key of WEIR_SECRET_KEY',
    )
  })
})
