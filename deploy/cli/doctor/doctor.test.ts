import { chmod, mkdtemp, readdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../../engine/clock/system-clock.ts'
import { commandWorld } from '../../../test/support/command-world.ts'
import { type ServedCommandLine, servedCommandLine } from '../../../test/support/served-command-line.ts'
import { findingsAbout } from '../../cluster/topic-findings.ts'
import { runProgram } from '../program.ts'
import { syncFinding } from './folder-checks.ts'
import { clocks } from './server-checks.ts'

interface Row {
  readonly check: string
  readonly verdict: string
  readonly finding: string
}

const TMPFS = 0x0102_1994

let weir: ServedCommandLine
let folder: string
beforeEach(async () => {
  weir = await servedCommandLine()
  folder = weir.line.folder
})
afterEach(() => weir.close())

async function doctor(changes: Record<string, string> = {}): Promise<{ code: number; rows: readonly Row[] }> {
  const world = commandWorld({ env: { ...weir.env, ...changes }, clock: systemClock() })
  const code = await runProgram(['doctor', '-o', 'json'], world)
  return { code, rows: JSON.parse(world.out()) }
}
const findingsOf = (rows: readonly Row[], check: string) =>
  rows.filter(row => row.check === check).map(({ verdict, finding }) => `${verdict}: ${finding}`)

describe('weir doctor', () => {
  test('checks every part, and leaves nothing in the data folder', async () => {
    const { rows } = await doctor()
    const checks = ['settings', 'node', 'clock', 'open files', 'memory', 'data folder', 'disk', 'fsync']
    expect([...new Set(rows.map(({ check }) => check))]).toEqual([
      ...checks,
      'server',
      'Kafka',
      'store server',
    ])
    expect(findingsOf(rows, 'settings')).toEqual(['ok: All settings can be used.'])
    expect(findingsOf(rows, 'data folder')).toEqual([`ok: ${folder} is private and has no format yet.`])
    expect(findingsOf(rows, 'server').join('\n')).toContain(
      'ok: The clocks of server and this machine agree.',
    )
    expect(findingsOf(rows, 'Kafka')[0]).toMatch(/^skipped: KAFKA_BROKERS is not set/)
    expect(await readdir(folder)).toEqual([])
  })

  test('ends with 1 when something is wrong, and says how to mend it', async () => {
    const { code, rows } = await doctor({ WEIR_PORT: '99999', WEIR_LOG_LIMIT: '1' })
    expect(code).toBe(1)
    expect(findingsOf(rows, 'settings')).toEqual([
      expect.stringMatching(/^wrong: WEIR_PORT .*\.$/),
      'wrong: WEIR_LOG_LIMIT is not a setting of Weir.',
    ])
    await weir.installation.app.close()
    const away = await doctor()
    expect([away.code, findingsOf(away.rows, 'server')]).toEqual([
      1,
      [expect.stringMatching(/^wrong: (Nothing answers at http:|http:.* cannot be reached)/)],
    ])
  })

  test('finds a folder that others can enter, a newer format, and one that is no folder', async () => {
    await chmod(folder, 0o755)
    await writeFile(join(folder, 'format.json'), '{"format":99}')
    expect(findingsOf((await doctor()).rows, 'data folder')).toEqual([
      expect.stringMatching(/^warning: Other users can enter /),
      expect.stringMatching(/^wrong: .* has format 99, but this program supports 2/),
    ])
    const file = join(folder, 'format.json')
    expect(findingsOf((await doctor({ WEIR_DATA_DIR: file })).rows, 'disk')).toEqual([
      `wrong: ${file} is not a folder: correct WEIR_DATA_DIR.`,
    ])
    expect(findingsOf((await doctor({ WEIR_DATA_DIR: join(folder, 'none') })).rows, 'fsync')[0]).toMatch(
      /^skipped/,
    )
  })

  test('finds a data folder in memory', async context => {
    const memory = await mkdtemp('/dev/shm/weir-doctor-').catch(() => undefined)
    if (memory === undefined) return context.skip()
    try {
      if ((await statfs(memory)).type !== TMPFS) return context.skip()
      const { code, rows } = await doctor({ WEIR_DATA_DIR: memory })
      expect([code, findingsOf(rows, 'disk')[0]]).toEqual([
        1,
        expect.stringMatching(/^wrong: .* is on tmpfs/),
      ])
    } finally {
      await rm(memory, { recursive: true })
    }
  })

  test('names a store server that does not answer', async () => {
    const { rows } = await doctor({ CLICKHOUSE_URL: 'http://127.0.0.1:9' })
    expect(findingsOf(rows, 'store server')[0]).toMatch(
      /^wrong: http:\/\/127\.0\.0\.1:9.* \(CLICKHOUSE_URL\) does not answer/,
    )
  })

  test('for people is a table with a summary', async () => {
    const world = commandWorld({ env: weir.env, clock: systemClock() })
    await runProgram(['doctor'], world)
    expect(world.out()).toMatch(/^CHECK +RESULT +FINDING\nsettings +ok +All settings can be used\.\n/)
    expect(world.out()).toMatch(/\n\n(Nothing is wrong|.*wrong, with \d+ warnings?)/)
  })
})

test.each([
  [0.3, 'ok'],
  [19.9, 'ok'],
  [20, 'warning'],
  [199, 'warning'],
  [200, 'wrong'],
])('a sync of %d ms is %s', (ms, verdict) => {
  expect(syncFinding(ms).verdict).toBe(verdict)
})

test.each([
  [10_000, 10_400, 10_900, 'agree'],
  [10_000, 15_999, 16_100, 'agree'],
  [10_000, 16_001, 16_100, 'is 5 s behind this one'],
  [20_000, 10_000, 15_000, 'agree'],
  [30_000, 10_000, 15_000, 'is 15 s ahead of this one'],
  [Number.NaN, 0, 1, 'does not send its time'],
])('a server that says %d between %d and %d: its clock %s', (sentMs, startMs, endMs, expected) => {
  expect(clocks(sentMs, startMs, endMs)[0]?.finding).toContain(expected)
})

describe('topics on Kafka', () => {
  const partition = (changes: object = {}) => ({
    partitionErrorCode: 0,
    partitionId: 0,
    leader: 1,
    replicas: [1, 2, 3],
    isr: [1, 2, 3],
    ...changes,
  })
  const expected = { brokers: 3, partitions: 2, kafkaReplication: 3, kafkaTopicPrefix: 'x.' }
  const found = (partitions: ReturnType<typeof partition>[], wanted = ['x.weir.ingest']) =>
    findingsAbout([{ name: 'x.weir.ingest', partitions }], wanted, expected).map(({ sentence }) => sentence)

  test('are as they should be, or each difference is named', () => {
    expect(found([partition(), partition()])).toEqual(['1 topics on 3 brokers are as they should be.'])
    expect(found([partition(), partition()], ['x.weir.ingest', 'x.weir.keyed'])[0]).toContain(
      'x.weir.keyed is missing',
    )
    expect(found([partition()])[0]).toContain('has 1 partitions, but WEIR_PARTITIONS is 2')
    expect(found([partition({ isr: [1] }), partition()])[0]).toContain(
      '1 partitions of x.weir.ingest lack copies',
    )
    expect(found([partition({ leader: -1 }), partition()])[0]).toContain('have no leader')
    const single = partition({ replicas: [1], isr: [1] })
    expect(found([single, single])).toEqual([
      'Some topics have 1 copy on 3 brokers: the loss of a broker loses lines.',
    ])
  })
})
