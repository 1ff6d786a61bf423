import { expect, test } from 'vitest'
import { BEHAVIOUR, FOURTH_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../../schemas/log/control.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../../../test/support/line-batches.ts'
import { readNativeBlock } from '../../../test/support/native-reader.ts'
import { exclusion } from '../../../test/support/world.ts'
import type { LogRecord } from '../../log/log.ts'
import { CATALOGUE } from '../../nodes/catalogue.ts'
import { DAY_MS } from '../../times/duration.ts'
import { PartitionFold } from '../partition-fold.ts'

const START_MS = Date.UTC(2026, 10, 20, 12)
const IDENTITY = {
  topic: 'weir.ingest',
  partition: 0,
  partitions: 1,
  logId: '00000000-0000-4000-8000-000000000000',
}

/** A partition that is folded record by record. */
function folding(behaviour: number) {
  let fold = new PartitionFold(CATALOGUE, IDENTITY)
  let offset = 0n
  const apply = (appendTimeMs: number, value: Buffer) => {
    const record: LogRecord = { offset: offset++, appendTimeMs, value, producer: null }
    return fold
      .apply(record)
      .flatMap(({ tables }) => tables)
      .filter(({ table }) => table === 'full_field_days')
      .flatMap(({ block, first, last, sinceMs }) => {
        const { rows } = readNativeBlock(block)
        expect([first.offset, last.offset]).toEqual([rows[0]?.offset, rows.at(-1)?.offset])
        expect(sinceMs).toBe(Number(rows[0]?.t))
        return rows.map(row => [Number(row.t), Number(row.offset), row.row, row.account])
      })
  }
  const control = (timeMs: number, body: Parameters<typeof controlType.encode>[0]['body']) =>
    apply(timeMs, controlType.encode({ behaviour, body }))
  control(START_MS, { 'weir.Owner': { worker: 'w' } })
  return {
    control,
    lines: (timeMs: number, texts: readonly string[], account = SAMPLE_ACCOUNT) =>
      apply(timeMs, lineBatchValue([{ lines: texts.map(line => ({ line })) }], account)),
    /** Ends all open tables. */
    tick: (timeMs: number) => control(timeMs, { 'weir.Tick': { deadlineMs: timeMs } }),
    restart: () => {
      fold = PartitionFold.restored(CATALOGUE, IDENTITY, fold.checkpointAtRest().checkpoint as Buffer)
    },
  }
}

const named = (prefix: string, count: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, 1])))

test('the first stored line of a day with a name that was left out is noted once, also after a checkpoint', () => {
  const { lines, tick, restart } = folding(BEHAVIOUR)
  expect([...lines(START_MS, ['text', named('a', 500), named('a', 500)]), ...tick(START_MS + 5_000)]).toEqual(
    [],
  )
  lines(START_MS + 6_000, ['text', '{"a1":2}', '{"a1":2,"more":1}', '{"other":1}'])
  expect(tick(START_MS + 10_000)).toEqual([[START_MS + 6_000, 3, 2, SAMPLE_ACCOUNT]])
  for (const at of [11_000, 21_000]) {
    lines(START_MS + at, ['{"further":1}'])
    expect(tick(START_MS + at + 5_000)).toEqual([])
    restart()
  }
  const next = START_MS + DAY_MS
  lines(next, [named('b', 501)])
  expect(tick(next + 5_000)).toEqual([[next, 9, 0, SAMPLE_ACCOUNT]])
})

test('each account has its own days', () => {
  const { lines, tick } = folding(BEHAVIOUR)
  lines(START_MS, [named('a', 501)], 'aaaaaaaaaa')
  lines(START_MS, [named('a', 500)], 'bbbbbbbbbb')
  lines(START_MS, [named('a', 501)], 'cccccccccc')
  expect(tick(START_MS + 5_000)).toEqual([
    [START_MS, 1, 0, 'aaaaaaaaaa'],
    [START_MS, 3, 0, 'cccccccccc'],
  ])
})

test('a line that is not stored is not noted', () => {
  const { control, lines, tick } = folding(BEHAVIOUR)
  const exclusions = [exclusion('1111111111', { query: 'left' })]
  const payload = JSON.stringify({ accountId: SAMPLE_ACCOUNT, exclusions, retentionRules: [] })
  control(START_MS, { 'weir.Cut': { kind: 'line-rules', entity: SAMPLE_ACCOUNT, version: 1, payload } })
  lines(START_MS, [named('a', 500), '{"x":"left"}', '{"x":"right"}'])
  expect(tick(START_MS + 5_000)).toEqual([[START_MS, 2, 2, SAMPLE_ACCOUNT]])
})

test('before the fifth behaviour nothing is noted', () => {
  const { lines, tick } = folding(FOURTH_BEHAVIOUR)
  expect([...lines(START_MS, [named('a', 501)]), ...tick(START_MS + 5_000)]).toEqual([])
})
