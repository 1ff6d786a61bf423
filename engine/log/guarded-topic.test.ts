import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { acceptLossCommand, GuardedTopic, type LostTail } from './guarded-topic.ts'
import type { NewRecord, Topic } from './log.ts'
import { memoryLog } from './memory-log.ts'

const RECORD: NewRecord = { value: Buffer.from('x'), producer: null, priority: 'ingest' }

async function guarded(look: (partition: number, floor: bigint) => Promise<LostTail | undefined>) {
  const clock = manualClock()
  const inner = await memoryLog({ clock, entropy: seededEntropy(1) }).topic('weir.ingest', 2)
  return { clock, inner, topic: new GuardedTopic(inner, { look, monotonicMs: () => clock.monotonicMs() }) }
}

const lostIn = (partition: number): LostTail => ({ topic: 'weir.ingest', partition, from: 3n, to: 9n })

test('a partition that lacks its end accepts nothing, and the others continue', async () => {
  const { topic, inner } = await guarded(async partition => (partition === 0 ? lostIn(0) : undefined))
  await expect(topic.append(0, RECORD)).rejects.toMatchObject({
    code: 'LOG_TAIL_LOST',
    message: expect.stringContaining(
      'weir log accept-loss --topic ingest --partition 0 --from 3 --to 9',
    ) as string,
  })
  expect((await topic.append(1, RECORD)).offset).toBe(0n)
  expect((await inner.bounds(0)).next).toBe(0n)
  expect(topic.losses).toEqual([lostIn(0)])
})

test('a partition is checked once before the first append, and again a second after a refusal', async () => {
  let looks = 0
  let lost: LostTail | undefined = lostIn(0)
  const { topic, clock } = await guarded(async () => {
    looks++
    return lost
  })
  await expect(topic.append(0, RECORD)).rejects.toThrow()
  lost = undefined
  await expect(topic.append(0, RECORD)).rejects.toThrow()
  expect(looks).toBe(1)
  clock.advance(1_000)
  const appended = await Promise.all([topic.append(0, RECORD), topic.append(0, RECORD)])
  expect(appended.map(({ offset }) => offset)).toEqual([0n, 1n])
  await topic.append(0, RECORD)
  expect(looks).toBe(2)
})

test('a record beyond an end that steps back is not acknowledged, and the received offsets count from then on', async () => {
  const floors: bigint[] = []
  const { topic, inner } = await guarded(async (_, floor) => {
    floors.push(floor)
    return undefined
  })
  for (let record = 0; record < 5; record++) await topic.append(0, RECORD)
  const back: Topic = Object.create(inner, {
    append: { value: async () => ({ offset: 2n, appendTimeMs: 0 }) },
  })
  Object.defineProperty(topic, 'inner', { value: back })
  await expect(topic.append(0, RECORD)).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE', retriable: false })
  await expect(topic.append(0, RECORD)).rejects.toThrow('went back')
  expect(floors).toEqual([0n, 5n])
})

test('a mark beyond the end causes a check of the partition, and a reached one does not', async () => {
  const looked: number[] = []
  const { topic } = await guarded(async partition => {
    looked.push(partition)
    return undefined
  })
  for (let record = 0; record < 5; record++) await topic.append(0, RECORD)
  await topic.noteMark(0, 5n)
  expect(looked).toEqual([0])
  await topic.noteMark(0, 6n)
  expect(looked).toEqual([0, 0])
})

test('a record carries the end that was known when it was sent, not when it was given', async () => {
  const { topic, inner } = await guarded(async () => undefined)
  // A log that sends one record after the other.
  let last: Promise<unknown> = Promise.resolve()
  const queue: Topic = Object.create(inner, {
    append: {
      value: (partition: number, record: NewRecord) => {
        const appended = last.then(() => inner.append(partition, record))
        last = appended.then(() => setImmediate())
        return appended
      },
    },
  })
  Object.defineProperty(topic, 'inner', { value: queue })
  await Promise.all([topic.append(0, RECORD), topic.append(0, RECORD), topic.append(0, RECORD)])
  expect((await inner.read(0, 0n, 1_000)).map(({ knownEnd = 0n }) => knownEnd)).toEqual([0n, 1n, 2n])
})

test('a process refuses what lands below the end that others have reported, and the record says so', async () => {
  const { topic, inner } = await guarded(async () => undefined)
  for (let record = 0; record < 5; record++) await inner.append(0, RECORD)
  await topic.noteMark(0, 3n)
  const landed: NewRecord[] = []
  const back: Topic = Object.create(inner, {
    append: {
      value: async (_: number, record: NewRecord) => {
        landed.push(record)
        record.knownEnd?.()
        return { offset: 4n, appendTimeMs: 0 }
      },
    },
  })
  Object.defineProperty(topic, 'inner', { value: back })
  // It has seen the end at 5 when it heard of 3.
  await expect(topic.append(0, RECORD)).rejects.toThrow('went back from 5 to 4')
  expect(landed.map(({ knownEnd }) => knownEnd?.())).toEqual([5n])
})

test('a process that had seen the former end printed other numbers of a loss than the other processes, for good', async () => {
  let known = 4n
  const { topic } = await guarded(async partition => ({ ...lostIn(partition), from: 3n, to: known - 1n }))
  Object.defineProperty(topic, 'inner', { value: { bounds: async () => ({ first: 0n, next: 5n }) } })
  await topic.noteMark(0, 5n)
  expect(topic.losses).toEqual([])
  await topic.lookAt(0)
  expect(topic.losses).toMatchObject([{ to: 3n }])
  known = 5n
  Object.defineProperty(topic, 'inner', { value: { bounds: async () => ({ first: 0n, next: 3n }) } })
  await topic.noteMark(0, 5n)
  expect(topic.losses).toMatchObject([{ to: 4n }])
})

test('the command that accepts a loss names each topic in the form of the command line', () => {
  const named = (topic: string) => acceptLossCommand({ topic, partition: 1, from: 3n, to: 9n })
  for (const name of ['ingest', 'keyed', 'config'])
    expect(named(`weir.${name}`)).toBe(`weir log accept-loss --topic ${name} --partition 1 --from 3 --to 9`)
})
