import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { Log, Topic } from '../../engine/log/log.ts'
import { openSegmentLog } from '../../engine/log/segment-log.ts'
import { IS_LONG } from '../support/long-form.ts'
import { allFrom, record } from './log-contract.ts'

const KILLS = IS_LONG ? 10 : 5
const WRITER = new URL('./log-writer.ts', import.meta.url).pathname

const run = promisify(execFile)

/** Runs the writer until it has acknowledged that many records, then kills it. @returns its output */
async function killedWriter(directory: string, life: number, acknowledged: number): Promise<string> {
  const writer = spawn(process.execPath, [WRITER, directory, `${life}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exit = once(writer, 'exit')
  let printed = ''
  let lines = 0
  for await (const chunk of writer.stdout.setEncoding('utf8')) {
    printed += chunk
    lines += (chunk as string).split('\n').length - 1
    if (lines >= acknowledged) writer.kill('SIGKILL')
  }
  expect((await exit)[1]).toBe('SIGKILL')
  return printed.slice(0, printed.lastIndexOf('\n') + 1)
}

test(`nothing acknowledged is lost or moved by ${KILLS} kills at any moment`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'weir-log-'))
  const acknowledged = new Map<bigint, string>()
  const chance = seededEntropy(Number(process.env.SEED ?? 1))
  for (let life = 0; life < KILLS; life++) {
    const printed = await killedWriter(directory, life, 1 + (chance.bytes(2).readUInt16LE() % 1500))
    for (const line of printed.trimEnd().split('\n')) {
      const [offset = '', name = ''] = line.split(' ')
      expect(acknowledged.has(BigInt(offset))).toBe(false)
      acknowledged.set(BigInt(offset), name)
    }
  }
  const options = { clock: manualClock(), entropy: seededEntropy(1), maxBytes: 2 ** 30, minFreeDiskBytes: 0 }
  const log = await openSegmentLog({ directory, ...options })
  const topic = await log.topic('weir.test', 1)
  const kept = await allFrom(topic, 0n)
  await log.close()
  await rm(directory, { recursive: true })

  expect(acknowledged.size).toBeGreaterThan(KILLS)
  expect(kept.map(({ offset }) => offset)).toEqual(kept.map((_, place) => BigInt(place)))
  const names = kept.map(({ value }) => value.toString().split(' ')[0])
  for (const [offset, name] of acknowledged) expect(names[Number(offset)]).toBe(name)
  expect(new Set(names).size).toBe(names.length)
  expect(kept.every(({ value }) => isWhole(value.toString()))).toBe(true)
})

function isWhole(value: string): boolean {
  const [name = '', filling = ''] = value.split(' ')
  return filling.length === (Number(name.split('.')[2]) * 997) % 9000 && /^x*$/.test(filling)
}

describe('a full disk', () => {
  const DISK_BYTES = 4 * 1024 * 1024

  test('refuses lines, keeps stored ones, accepts control records in the remaining space, and is emptied after a restart', async context => {
    const disk = await mountDisk(DISK_BYTES)
    if (disk === undefined) return context.skip('needs the right to mount a small file system')
    const options = {
      directory: join(disk.path, 'log'),
      clock: manualClock(),
      entropy: seededEntropy(1),
      maxBytes: 2 ** 30,
      segmentBytes: 512 * 1024,
    }
    const logs: Log[] = []
    const open = async (minFreeDiskBytes: number) => {
      const log = await openSegmentLog({ ...options, minFreeDiskBytes })
      logs.push(log)
      return { log, topic: await log.topic('weir.test', 1) }
    }
    try {
      const { log, topic } = await open(0)
      const taken = await fill(topic, 'ingest')
      expect(taken).toBeGreaterThan(50)
      expect(await fill(topic, 'control')).toBe(0)
      expect(log.space().takesControl).toBe(false)
      await log.close()

      const again = await open(1024 * 1024)
      expect(await again.topic.bounds(0)).toEqual({ first: 0n, next: BigInt(taken) })
      expect(await allFrom(again.topic, 0n)).toHaveLength(taken)
      expect(again.log.space().takesIngest).toBe(false)
      await again.topic.trim(0, BigInt(taken))
      options.clock.advance(1000)
      expect(await fill(again.topic, 'ingest')).toBeGreaterThan(20)
      expect(await fill(again.topic, 'control')).toBeGreaterThan(5)
    } finally {
      for (const log of logs) await log.close()
      await disk.unmount()
    }
  })

  async function fill(topic: Topic, priority: 'ingest' | 'control'): Promise<number> {
    for (let count = 0; ; count++) {
      try {
        await topic.append(0, record('x'.repeat(50_000), priority))
      } catch (error) {
        expect(error).toMatchObject({ code: 'LOG_FULL', retriable: true })
        return count
      }
    }
  }
})

async function mountDisk(bytes: number) {
  const path = await mkdtemp(join(tmpdir(), 'weir-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', path])
  } catch {
    await rm(path, { recursive: true })
    return undefined
  }
  const unmount = async () => {
    await run('umount', [path])
    await rm(path, { recursive: true })
  }
  return { path, unmount }
}
