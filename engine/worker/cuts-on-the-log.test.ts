import { expect, test, vi } from 'vitest'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { controlType } from '../../schemas/log/control.ts'
import { INGEST_TOPIC, partitionOfAccount } from '../../schemas/log/topics.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { LogError } from '../log/log.ts'
import { memoryLog } from '../log/memory-log.ts'
import { CutsOnTheLog } from './cuts-on-the-log.ts'

const ACCOUNT = 'a1b2c3d4e5'

async function world(deployed: number) {
  const clock = manualClock(1_000_000)
  const ingest = await memoryLog({ clock, entropy: seededEntropy(1) }).topic(INGEST_TOPIC, 2)
  const configuration = { get: () => ({ value: { number: deployed } }) }
  const cuts = new CutsOnTheLog({ ingest, clock, configuration: configuration as never })
  const append = (version: number, entity = 'p', knownEnd = 0n) => {
    const body = { 'weir.Cut': { kind: 'pipeline' as const, entity, version, payload: '' } }
    return ingest.append(partitionOfAccount(ACCOUNT, 2), {
      value: controlType.encode({ behaviour: BEHAVIOUR, body }),
      producer: null,
      priority: 'control',
      knownEnd: () => knownEnd,
    })
  }
  return { clock, ingest, cuts, append }
}

test('a change holds once its cut is on the log, even if it was appended a moment ago', async () => {
  const { cuts, append, clock } = await world(3)
  await append(2)
  await append(3, 'another')
  const waiting = cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 3)
  expect(cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBeUndefined()
  await append(3)
  expect(await clock.advanceUntil(waiting)).toBe(true)
  expect(cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBe(3)
  await append(4)
  clock.advance(500)
  expect(await cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 4)).toBe(true)
})

test('a cut that is not appended does not hold, and the previous one still does', async () => {
  const { cuts, append, clock } = await world(2)
  await append(1)
  expect(await cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 1)).toBe(true)
  expect(await clock.advanceUntil(cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 2))).toBe(false)
  expect(cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBe(1)
})

test('a cut that was refused does not hold, because its offset was given before', async () => {
  const { cuts, append, clock } = await world(2)
  const waiting = cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 2)
  await append(2, 'p', 9n)
  expect(await clock.advanceUntil(waiting)).toBe(false)
  expect(cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBeUndefined()
})

test('a cut is noticed even if it is appended after the wait for it ended', async () => {
  const { cuts, append, clock } = await world(3)
  await append(1)
  expect(await cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 1)).toBe(true)
  clock.advance(60_000)
  expect(await clock.advanceUntil(cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 3))).toBe(false)
  await append(2)
  await expect.poll(() => cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBe(2)
  clock.advance(3_600_000)
  await append(3)
  await expect.poll(() => cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBe(3)
  expect(await cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 3)).toBe(true)
})

test('those who wait for different changes of a partition learn of their own', async () => {
  const { cuts, append, clock } = await world(3)
  const first = cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 1)
  const other = cuts.whenInEffect(ACCOUNT, 'pipeline', 'q', 5)
  await append(7, 'q')
  expect(await other).toBe(true)
  expect(await clock.advanceUntil(first)).toBe(false)
})

test('while the log is unavailable no change is known to hold, and later the cut is found', async () => {
  const { cuts, append, clock, ingest } = await world(3)
  const away = vi
    .spyOn(ingest, 'read')
    .mockRejectedValue(new LogError('LOG_UNAVAILABLE', 'x', { retriable: true }))
  const waiting = cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 3)
  await append(3)
  expect(await clock.advanceUntil(waiting)).toBe(false)
  expect(cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBeUndefined()
  away.mockRestore()
  const again = cuts.whenInEffect(ACCOUNT, 'pipeline', 'p', 3)
  expect(await clock.advanceUntil(again)).toBe(true)
  expect(cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBe(3)
})

test('a deployment that this process has not changed holds, and of other changes it knows nothing', async () => {
  const { cuts } = await world(7)
  expect(cuts.cutVersion(ACCOUNT, 'pipeline', 'p')).toBe(7)
  expect(cuts.cutVersion(ACCOUNT, 'dead-letter', 'p')).toBeUndefined()
})
