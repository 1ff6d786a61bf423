import { beforeEach, expect, test } from 'vitest'
import { INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue } from '../../test/support/line-batches.ts'
import { type ManualClock, manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { encodeControl } from '../fold/control-record.ts'
import type { Flush } from '../fold/flush.ts'
import { foldIdentity, PartitionFold } from '../fold/partition-fold.ts'
import type { Topic } from '../log/log.ts'
import { memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { CATALOGUE } from '../nodes/catalogue.ts'
import { HOUR_MS } from '../times/duration.ts'
import { LoopTurns } from '../turns/loop-turns.ts'
import type { PartitionOwnership } from './partition-ownership.ts'
import { RecordApplying } from './record-applying.ts'
import { Retries } from './retries.ts'

let clock: ManualClock
let topic: Topic
let fold: PartitionFold
beforeEach(async () => {
  clock = manualClock()
  topic = await memoryLog({ clock, entropy: seededEntropy(1) }).topic(INGEST_TOPIC, 1)
  fold = new PartitionFold(CATALOGUE, foldIdentity(topic, 0))
})

const append = (value: Buffer) => topic.append(0, { value, producer: null, priority: 'control' })
const lines = (line: string) => append(lineBatchValue([{ lines: [{ line }] }]))
const owner = (worker: string) => append(encodeControl(CATALOGUE, { 'weir.Owner': { worker } }))

/** @param epochOffset of the owner record of this worker */
function applying(epochOffset: bigint, onCutPause?: (step: string) => void): RecordApplying {
  const ownership = { epochOffset } as Partial<PartitionOwnership> as PartitionOwnership
  const retries = new Retries({ partition: 0, clock, logger: silentLogger })
  return new RecordApplying(
    { partition: 0, topic, clock, turns: new LoopTurns(clock), ownership, retries, onCutPause },
    fold,
  )
}

test('records are applied up to the head of the log, where there is nothing to do', async () => {
  const { offset } = await owner('this one')
  const reading = applying(offset)
  expect(reading.caughtUp).toBe(false)
  await lines('x')
  const flushes: Flush[] = []
  expect(await reading.readOnce(flush => flushes.push(flush))).toBe(true)
  expect([fold.nextOffset, reading.caughtUp, flushes]).toEqual([2n, true, []])
  expect(await reading.readOnce(flush => flushes.push(flush))).toBe(false)
  clock.advance(5_000)
  await lines('y')
  await reading.readOnce(flush => flushes.push(flush))
  expect(flushes).toHaveLength(1)
})

test('an owner record behind the own one ends the worker; earlier ones do not', async () => {
  await owner('the one before')
  const { offset } = await owner('this one')
  const reading = applying(offset)
  await reading.readOnce(() => {})
  await owner('the next one')
  await expect(reading.readOnce(() => {})).rejects.toThrow('partition 0 was taken by the next one')
  expect(fold.nextOffset).toBe(2n)
})

test.each([
  [HOUR_MS, false],
  [HOUR_MS + 1, true],
])('a record %i ms ahead of the clock is refused: %s', async (aheadMs, isRefused) => {
  const nowMs = clock.wallMs()
  clock.advance(aheadMs)
  await lines('x')
  clock.wallMs = () => nowMs
  const read = applying(0n).readOnce(() => {})
  if (isRefused) await expect(read).rejects.toThrow('60 minutes in the future of this machine')
  else expect(await read).toBe(true)
  expect(fold.nextOffset).toBe(isRefused ? 0n : 1n)
})

test('a pause is reported for records with cuts alone', async () => {
  const pauses: string[] = []
  const reading = applying(0n, step => pauses.push(step))
  await lines('x')
  await reading.readOnce(() => {})
  expect(pauses).toEqual([])
  const cut = { kind: 'slice', entity: INGEST_TOPIC, version: 1, payload: '2000' } as const
  await append(encodeControl(CATALOGUE, { 'weir.Cut': cut }))
  await reading.readOnce(() => {})
  expect(pauses).toEqual(['apply'])
})
