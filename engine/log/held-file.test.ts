import { closeSync, mkdirSync, mkdtempSync, openSync, readSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import type { HeldFile } from './held-file.ts'
import type { Topic } from './log.ts'
import { openSegmentLog } from './segment-log.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-held-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const open = (directory: string) =>
  openSegmentLog({
    directory,
    clock: manualClock(),
    entropy: seededEntropy(1),
    maxBytes: 1e9,
    segmentBytes: 2_000,
    minFreeDiskBytes: 0,
  })

const append = async (topic: Topic, from: number, to: number) => {
  for (let number = from; number < to; number++) {
    const value = Buffer.from(`${number} ${'x'.repeat(100)}`)
    await topic.append(number % 2, { value, producer: null, priority: 'ingest' })
  }
}

const numbersOf = async (topic: Topic, partition: number) => {
  const numbers: number[] = []
  const { first, next } = await topic.bounds(partition)
  for (let offset = first; offset < next; ) {
    for (const record of await topic.read(partition, offset, 1e9)) {
      numbers.push(Number.parseInt(record.value.toString(), 10))
      offset = record.offset + 1n
    }
  }
  return numbers
}

function copy(held: readonly HeldFile[], from: string, to: string): void {
  for (const { path, bytes } of held) {
    const buffer = Buffer.alloc(bytes)
    const file = openSync(path, 'r')
    expect(readSync(file, buffer, 0, bytes, 0)).toBe(bytes)
    closeSync(file)
    const target = join(to, relative(from, path))
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, buffer)
  }
}

test('a copy of a held log is the log of that moment, whatever was appended or trimmed since', async () => {
  const log = await open(join(folder, 'log'))
  const topic = await log.topic('weir.test', 2)
  await append(topic, 0, 100)
  const held = await log.hold('weir.test', join(folder, 'held', 'weir.test'))
  await append(topic, 100, 300)
  for (const partition of [0, 1]) await topic.trim(partition, 140n)
  expect((await topic.bounds(0)).first).toBeGreaterThan(50n)
  copy(held, join(folder, 'held'), join(folder, 'copy'))
  await log.close()

  const copied = await open(join(folder, 'copy'))
  const again = await copied.topic('weir.test', 2)
  expect(again.logId).toBe(topic.logId)
  const numbers = Array.from({ length: 100 }, (_, number) => number)
  for (const partition of [0, 1])
    expect(await numbersOf(again, partition)).toEqual(numbers.filter(number => number % 2 === partition))
  await append(again, 100, 102)
  expect((await numbersOf(again, 1)).at(-1)).toBe(101)
  await copied.close()
})

test('a topic that is not open cannot be held', async () => {
  const log = await open(join(folder, 'log'))
  await expect(log.hold('weir.test', join(folder, 'held'))).rejects.toThrow('topic weir.test is not open')
  await log.close()
})
