import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ManualClock, manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { HOUR_MS } from '../times/duration.ts'
import { LogError, type NewRecord, type Topic } from './log.ts'
import { memoryLog } from './memory-log.ts'
import { Producer, type ProducerOptions } from './producer.ts'

/**
 * Fates of an append: whether it is stored, whether its caller learns the result, and whether a copy is stored much
 * later.
 */
type Fate = 'stored' | 'full' | 'lost' | 'stored, answer lost' | 'lost, stored late' | 'refused'

/** A topic in memory whose appends meet the given fates in order, and then succeed. */
async function faultyTopic(fates: Fate[], clock: ManualClock) {
  const topic = await memoryLog({ clock, entropy: seededEntropy(1) }).topic('weir.test', 1)
  const sent: NewRecord[] = []
  const late: NewRecord[] = []
  const append: Topic['append'] = async (partition, record) => {
    sent.push(record)
    const fate = fates.shift() ?? 'stored'
    if (fate === 'full') throw new LogError('LOG_FULL', 'full', { retriable: true })
    if (fate === 'refused') throw new LogError('LOG_CLOSED', 'closed')
    if (fate === 'lost, stored late') late.push(record)
    if (fate === 'lost' || fate === 'lost, stored late') throw new LogError('LOG_UNAVAILABLE', 'lost')
    // A late copy arrives before the records that follow.
    for (const repeated of late.splice(0, sent.length % 2)) await topic.append(partition, repeated)
    const appended = await topic.append(partition, record)
    if (fate === 'stored, answer lost') throw new LogError('LOG_UNAVAILABLE', 'lost')
    return appended
  }
  const settle = async () => {
    for (const repeated of late.splice(0)) await topic.append(0, repeated)
  }
  const faulty: Topic = Object.assign(Object.create(topic), { append })
  Object.defineProperties(faulty, { name: { value: topic.name }, partitions: { value: topic.partitions } })
  return { faulty, topic, sent, settle }
}

/** Reads as the engine does: a sequence at or below the highest of its producer is a repeat. */
async function readOnce(topic: Topic): Promise<string[]> {
  const highest = new Map<string, number>()
  const values: string[] = []
  for (const { value, producer } of await topic.read(0, 0n, 1_000_000)) {
    const { id, sequence } = producer as { id: string; sequence: number }
    if (sequence <= (highest.get(id) ?? -1)) continue
    highest.set(id, sequence)
    values.push(value.toString())
  }
  return values
}

async function bench(fates: Fate[], options: Partial<ProducerOptions> = {}) {
  const clock = manualClock()
  const { faulty, topic, sent, settle } = await faultyTopic(fates, clock)
  const producer = new Producer({ topic: faulty, clock, entropy: seededEntropy(2), ...options })
  const append = (value: string) => producer.append(0, Buffer.from(value), 'ingest')
  return {
    clock,
    topic,
    sent,
    settle,
    append,
    positions: () => sent.map(({ producer: position }) => position),
  }
}

/** Lets pauses pass until all calls have a result. */
async function settled<T>(clock: ManualClock, calls: Promise<T>[]): Promise<PromiseSettledResult<T>[]> {
  let done = false
  const outcomes = Promise.allSettled(calls).finally(() => {
    done = true
  })
  while (!done) {
    await new Promise(setImmediate)
    clock.advance(50)
  }
  return outcomes
}

describe('the numbers of a producer', () => {
  test('rise by one from 0 for successive appends, under one id', async () => {
    const { append, positions } = await bench([])
    for (const value of ['a', 'b', 'c']) await append(value)
    const id = positions()[0]?.id
    expect(positions()).toEqual([0, 1, 2].map(sequence => ({ id, sequence })))
  })

  test('differ by id for simultaneous appends, which reach the log in the order of the calls', async () => {
    const { append, positions, topic } = await bench([])
    await Promise.all(['a', 'b', 'c'].map(append))
    expect(new Set(positions().map(position => position?.id)).size).toBe(3)
    expect(await readOnce(topic)).toEqual(['a', 'b', 'c'])
  })

  test('are used again after a first attempt that found the log full', async () => {
    const { append, positions, topic } = await bench(['stored', 'full', 'stored'])
    await append('a')
    await expect(append('b')).rejects.toMatchObject({ code: 'LOG_FULL' })
    await append('c')
    expect(positions().map(position => position?.sequence)).toEqual([0, 1, 1])
    expect(await readOnce(topic)).toEqual(['a', 'c'])
  })

  test('are repeated with the same record after an unknown outcome', async () => {
    const { append, clock, sent, topic } = await bench(['stored, answer lost', 'lost', 'stored'])
    await settled(clock, [append('a')])
    expect(
      new Set(sent.map(({ value, producer }) => `${value} ${producer?.id} ${producer?.sequence}`)).size,
    ).toBe(1)
    expect(sent).toHaveLength(3)
    expect(await readOnce(topic)).toEqual(['a'])
  })

  test('are never used again when patience ended: a late copy and a new record both count once', async () => {
    const { append, clock, positions, settle, topic } = await bench(['lost, stored late'], { patienceMs: 0 })
    await expect(append('a')).rejects.toMatchObject({ code: 'LOG_UNAVAILABLE' })
    await append('b')
    await settle()
    expect(clock.monotonicMs()).toBe(0)
    expect(positions()[1]?.id).not.toBe(positions()[0]?.id)
    expect((await readOnce(topic)).sort()).toEqual(['a', 'b'])
  })

  test('are never used again when a repeat found the log full: the first attempt may have been stored', async () => {
    const { append, clock, topic } = await bench(['stored, answer lost', 'full', 'stored'])
    const [outcome] = await settled(clock, [append('a')])
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'LOG_UNAVAILABLE' } })
    await append('b')
    expect(await readOnce(topic)).toEqual(['a', 'b'])
  })

  test('begin again under another id after 12 h of rest, on either clock, and not earlier', async () => {
    const { append, clock, positions } = await bench([])
    await append('a')
    clock.advance(12 * HOUR_MS - 1)
    await append('b')
    clock.advance(12 * HOUR_MS)
    await append('c')
    clock.setWall(clock.wallMs() + 12 * HOUR_MS)
    await append('d')
    const ids = positions().map(position => position?.id)
    expect(ids[1]).toBe(ids[0])
    expect(new Set(ids).size).toBe(3)
    expect(positions().map(position => position?.sequence)).toEqual([0, 1, 0, 0])
  })

  test('a record is not repeated after the machine slept through 12 h', async () => {
    const { append, clock, sent } = await bench(['stored, answer lost'])
    const call = append('a').catch((error: unknown) => error)
    await new Promise(setImmediate)
    clock.setWall(clock.wallMs() + 12 * HOUR_MS)
    clock.advance(50)
    expect(await call).toMatchObject({ code: 'LOG_UNAVAILABLE' })
    expect(sent).toHaveLength(1)
  })
})

test('patience limits the repeats', async () => {
  const { append, clock, sent } = await bench(
    Array.from({ length: 1000 }, () => 'lost'),
    { patienceMs: 2000 },
  )
  const startMs = clock.monotonicMs()
  const [outcome] = await settled(clock, [append('a')])
  expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'LOG_UNAVAILABLE' } })
  expect(clock.monotonicMs() - startMs).toBeLessThanOrEqual(2100)
  expect(sent.length).toBeGreaterThan(3)
})

test('simultaneous appends beyond the number of producer ids wait in order', async () => {
  const { append, positions, topic } = await bench([], { idsPerPartition: 2 })
  const values = Array.from({ length: 20 }, (_, number) => `${number}`)
  await Promise.all(values.map(append))
  expect(new Set(positions().map(position => position?.id)).size).toBe(2)
  expect(await readOnce(topic)).toEqual(values)
})

test('an error in this program is not treated as an unknown outcome', async () => {
  const { clock, topic } = await bench([])
  const producer = new Producer({ topic, clock, entropy: seededEntropy(2) })
  await expect(producer.append(7, Buffer.alloc(0), 'ingest')).rejects.toThrow('not 7')
})

test('whatever happens: an acknowledged record is stored once, a refused one never, an unknown one at most once', async () => {
  const fate = fc.constantFrom<Fate>(
    'stored',
    'full',
    'lost',
    'stored, answer lost',
    'lost, stored late',
    'refused',
  )
  const rounds = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 12 })
  const patience = fc.constantFrom(0, 60, 400, 10_000)
  await fc.assert(
    fc.asyncProperty(
      fc.array(fate, { maxLength: 60, size: 'max' }),
      rounds,
      patience,
      async (fates, counts, patienceMs) => {
        const { append, clock, settle, topic } = await bench(fates, { patienceMs, idsPerPartition: 3 })
        const codes = new Map<string, string>()
        let values = 0
        for (const count of counts) {
          const names = Array.from({ length: count }, () => `${values++}`)
          const outcomes = await settled(clock, names.map(append))
          for (const [place, outcome] of outcomes.entries()) {
            const code = outcome.status === 'fulfilled' ? 'stored' : (outcome.reason as LogError).code
            codes.set(names[place] as string, code)
          }
        }
        await settle()
        const read = await readOnce(topic)
        for (const [value, code] of codes) {
          const times = read.filter(other => other === value).length
          if (code === 'stored') expect(times).toBe(1)
          else if (code === 'LOG_UNAVAILABLE') expect(times).toBeLessThanOrEqual(1)
          else expect(times).toBe(0)
        }
      },
    ),
    { numRuns: 150 },
  )
})
