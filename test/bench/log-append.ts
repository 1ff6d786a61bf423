import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '../../engine/clock/system-clock.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import type { Topic } from '../../engine/log/log.ts'
import { openSegmentLog } from '../../engine/log/segment-log.ts'
import type { Report } from './figure.ts'

const WRITERS = 16
const RUN_MS = 600
const ROUNDS = 3
const SIZES = [
  { name: '4 kB', bytes: 4 * 1024 },
  { name: '64 kB', bytes: 64 * 1024 },
  { name: '1 MB', bytes: 1024 * 1024 },
]

export const summary =
  'The benchmark measures the durable appends of the segment log with 16 waiting writers. Rounds alternate with two floors of the same disk. One writes 16 records with one write and fdatasync, which is ideal group commit. The other writes one record after another.'

export async function run(report: Report): Promise<void> {
  for (const { name, bytes } of SIZES) {
    const single: number[] = []
    const grouped: number[] = []
    const log: number[] = []
    const perCpu: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      single.push(await inFolder(directory => rawRate(directory, bytes, 1)))
      grouped.push(await inFolder(directory => rawRate(directory, bytes, WRITERS)))
      const measured = await inFolder(directory => logRate(directory, bytes))
      log.push(measured.rate)
      perCpu.push(measured.perCpu)
    }
    const floor = { name: `${WRITERS} a write and fdatasync`, values: grouped }
    report({ name: `records of ${name}`, unit: 'MB/s', values: log, floor })
    report({
      name: `records of ${name}, none of ours: one at a time, with an fdatasync each`,
      unit: 'MB/s',
      values: single,
      floor,
    })
    report({ name: `records of ${name}, of one core`, unit: 'MB per CPU-s', values: perCpu })
  }
}

/** MB/s of writes of `records` records, each followed by fdatasync. */
async function rawRate(directory: string, bytes: number, records: number): Promise<number> {
  const file = await open(join(directory, 'raw'), 'wx')
  const buffer = Buffer.alloc(bytes * records, 'x')
  const started = performance.now()
  let position = 0
  while (performance.now() - started < RUN_MS) {
    await file.write(buffer, 0, buffer.length, position)
    await file.datasync()
    position += buffer.length
  }
  const rate = megabytesPerSecond(position, performance.now() - started)
  await file.close()
  return rate
}

async function logRate(directory: string, bytes: number): Promise<{ rate: number; perCpu: number }> {
  const log = await openSegmentLog({
    directory,
    clock: systemClock(),
    entropy: systemEntropy(),
    maxBytes: 2 ** 40,
    minFreeDiskBytes: 0,
  })
  const topic = await log.topic('weir.bench', 1)
  const cpu = process.cpuUsage()
  const started = performance.now()
  const written = await Promise.all(Array.from({ length: WRITERS }, () => write(topic, bytes, started)))
  const elapsedMs = performance.now() - started
  const { user, system } = process.cpuUsage(cpu)
  await log.close()
  const total = written.reduce((sum, each) => sum + each, 0)
  return {
    rate: megabytesPerSecond(total, elapsedMs),
    perCpu: megabytesPerSecond(total, (user + system) / 1000),
  }
}

async function write(topic: Topic, bytes: number, started: number): Promise<number> {
  const value = Buffer.alloc(bytes, 'x')
  let written = 0
  while (performance.now() - started < RUN_MS) {
    await topic.append(0, { value, producer: null, priority: 'ingest' })
    written += bytes
  }
  return written
}

async function inFolder<T>(measure: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), 'weir-bench-'))
  try {
    return await measure(directory)
  } finally {
    await rm(directory, { recursive: true })
  }
}

function megabytesPerSecond(bytes: number, ms: number): number {
  return bytes / 1e6 / (ms / 1000)
}
