import {
  appendFile,
  mkdtemp,
  readFile,
  rename,
  rm,
  truncate,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type CommandWorld,
  commandWorld,
  type ImpatientClock,
  impatientClock,
} from '../../../test/support/command-world.ts'
import { type Answer, type IngestStandIn, ingestStandIn } from '../../../test/support/ingest-stand-in.ts'
import { Delivery, Stopped } from './delivery.ts'
import { Follower } from './follower.ts'
import { Positions } from './positions.ts'
import { Totals } from './totals.ts'

let service: IngestStandIn
let folder: string
let path: string
let open: Follower[]
beforeEach(async () => {
  service = await ingestStandIn()
  folder = await mkdtemp(join(tmpdir(), 'weir-follow-'))
  path = join(folder, 'app.log')
  open = []
})
afterEach(async () => {
  for (const follower of open) await follower.close()
  await service.close()
  await rm(folder, { recursive: true })
})

interface Run {
  readonly follower: Follower
  readonly world: CommandWorld
  readonly clock: ImpatientClock
  readonly problems: string[]
  readonly totals: Totals
}

/** A new run of the program: it knows only the position file. */
async function start(seed = 1, options: { app?: string } = {}): Promise<Run> {
  const clock = impatientClock()
  const world = commandWorld({ clock, seed })
  const address = { url: service.url, secret: { value: 'key', origin: 'x' } }
  const problems: string[] = []
  const totals = new Totals()
  const follower = new Follower({
    path,
    ingestUrl: service.url,
    lines: { app: options.app ?? 'app', file: path, keepEmpty: false },
    host: 'web-1',
    tags: undefined,
    delivery: new Delivery({ address, world, retryForMs: Number.POSITIVE_INFINITY }),
    positions: await Positions.open(join(folder, 'positions.json')),
    totals,
    world,
    onProblem: sentence => problems.push(sentence),
  })
  open.push(follower)
  return { follower, world, clock, problems, totals }
}

async function settle({ follower }: Run): Promise<void> {
  for (let steps = 0; await follower.step(); steps++) expect(steps).toBeLessThan(100)
}

/** Lets the time pass after which a rotated file counts as finished. */
async function settleRotation(run: Run): Promise<void> {
  await settle(run)
  await run.clock.sleep(5_000)
  await settle(run)
}

/** Ends the run in its next step, after a request with that outcome and before another one is answered. */
async function interrupted(run: Run, outcome: Answer): Promise<void> {
  service.plan.push(outcome, 'hang')
  const step = run.follower.step()
  await service.arrived(service.requests.length + 2)
  run.world.stopNow()
  await expect(step).rejects.toThrow(Stopped)
  await run.follower.close()
}

function lines(from: number, to: number): string {
  return Array.from({ length: to - from + 1 }, (_, at) => `line ${from + at}\n`).join('')
}

function texts(from: number, to: number): string[] {
  return lines(from, to).split('\n').slice(0, -1)
}

describe('a followed file', () => {
  test('is sent from its beginning and continued with appended lines, and an unfinished line waits for its end', async () => {
    await writeFile(path, 'one\ntw')
    const run = await start()
    await settle(run)
    expect(service.stored).toEqual(['one'])
    await appendFile(path, 'o\r\n\nthree')
    await settle(run)
    await settle(run)
    expect(service.stored).toEqual(['one', 'two'])
    expect(run.totals.lines).toBe(2)
  })

  test('may appear later', async () => {
    const run = await start()
    expect(await run.follower.step()).toBe(false)
    await writeFile(path, 'one\n')
    await settle(run)
    expect(service.stored).toEqual(['one'])
  })

  test('with many lines is sent in batches of rising numbers under one stream', async () => {
    await writeFile(path, lines(1, 12_000))
    await settle(await start())
    expect(service.stored).toEqual(texts(1, 12_000))
    const keys = service.requests.map(request => request.key.split('/'))
    expect(keys.map(([, number]) => Number(number))).toEqual([0, 1, 2])
    expect(new Set(keys.map(([stream]) => stream)).size).toBe(1)
  })
})

describe('a restart', () => {
  test('continues behind the acknowledged lines', async () => {
    await writeFile(path, lines(1, 3))
    const first = await start()
    await settle(first)
    await first.follower.close()
    await appendFile(path, lines(4, 5))
    await settle(await start(2))
    expect(service.stored).toEqual(texts(1, 5))
    expect(service.requests.map(request => request.key.split('/')[1])).toEqual(['0', '1'])
    expect(new Set(service.requests.map(request => request.key.split('/')[0])).size).toBe(1)
  })

  test.each(['store and break', 'break'] as const)(
    'in the middle of a batch (%s) sends the same bytes under the same key, although file and options have changed',
    async outcome => {
      await writeFile(path, lines(1, 3))
      const first = await start()
      await first.follower.step()
      await interrupted(first, outcome)

      await appendFile(path, lines(4, 6))
      await settle(await start(2, { app: 'renamed' }))
      expect(service.stored).toEqual(texts(1, 6))
      expect(service.requests).toHaveLength(4)
      const [before, , after, next] = service.requests
      expect([after!.key, after!.body]).toEqual([before!.key, before!.body])
      expect(next!.lines[0]).toMatchObject({ line: 'line 4', app: 'renamed' })
    },
  )

  test('before the last line of a rotated file was acknowledged sends that line again, with the same bytes', async () => {
    await writeFile(path, 'one\nlast')
    const first = await start()
    await settle(first)
    await rename(path, `${path}.1`)
    await writeFile(path, 'new\n')
    await settle(first)
    await first.clock.sleep(5_000)
    await interrupted(first, 'store and break')

    await settleRotation(await start(2))
    expect(service.stored).toEqual(['one', 'last', 'new'])
  })

  test('finds the file that was renamed in between, finishes it, and then reads later files', async () => {
    await writeFile(path, lines(1, 2))
    const first = await start()
    await settle(first)
    await first.follower.close()

    await appendFile(path, lines(3, 4))
    await writeFile(`${path}.3`, 'older\n')
    await utimes(path, 1_000, 1_000)
    await utimes(`${path}.3`, 900, 900)
    await rename(path, `${path}.2`)
    await writeFile(`${path}.1`, lines(5, 6))
    await utimes(`${path}.1`, 2_000, 2_000)
    await writeFile(path, lines(7, 8))
    const second = await start(2)
    await settleRotation(second)
    await settleRotation(second)
    expect(service.stored).toEqual(texts(1, 8))
    expect(second.problems).toEqual([])
  })

  test('after the file was replaced by another one begins with the new file', async () => {
    await writeFile(path, lines(1, 2))
    const first = await start()
    await settle(first)
    await first.follower.close()
    await unlink(path)
    await writeFile(path, 'other 1\nother 2\nother 3\n')
    await settle(await start(2))
    expect(service.stored).toEqual([...texts(1, 2), 'other 1', 'other 2', 'other 3'])
  })

  test('recognises a file that was copied back by its first bytes', async () => {
    await writeFile(path, lines(1, 3))
    const first = await start()
    await settle(first)
    await first.follower.close()
    const content = await readFile(path)
    await writeFile(`${path}.copy`, content)
    await rename(`${path}.copy`, path)
    await appendFile(path, lines(4, 4))
    await settle(await start(2))
    expect(service.stored).toEqual(texts(1, 4))
  })

  test.each([
    ['gz', 'another inode', gzipSync],
    ['gz', 'the same inode', gzipSync],
    ['zst', 'another inode', zstdCompressSync],
  ])(
    'reads the remaining lines of a file that was rotated and compressed (.%s) in between, although the new one has %s',
    async (suffix, inode, compress) => {
      await writeFile(path, lines(1, 5))
      const first = await start()
      await settle(first)
      await first.follower.close()

      const whole = lines(1, 5) + lines(6, 400)
      if (inode === 'another inode') await rename(path, `${path}.away`)
      await writeFile(`${path}.1.${suffix}`, compress(whole))
      // Overwriting keeps the inode of the old file.
      await writeFile(path, lines(401, 402))
      const second = await start(2)
      await settle(second)
      expect(service.stored).toEqual(texts(1, 402))
      expect(second.problems).toEqual([])
      await settle(await start(3))
      expect(service.stored).toEqual(texts(1, 402))
    },
  )

  test('in the middle of a compressed file sends the same bytes under the same key', async () => {
    await writeFile(path, lines(1, 2))
    const first = await start()
    await settle(first)
    await first.follower.close()
    await unlink(path)
    await writeFile(`${path}.1.gz`, gzipSync(lines(1, 4)))
    const second = await start(2)
    await second.follower.step()
    await interrupted(second, 'store and break')

    await writeFile(path, lines(5, 5))
    await settle(await start(3))
    expect(service.stored).toEqual(texts(1, 5))
    const [, before, , after] = service.requests
    expect([after!.key, after!.body]).toEqual([before!.key, before!.body])
  })

  test('names the file and the byte when the rotated file cannot be found', async () => {
    await writeFile(path, lines(1, 2))
    const first = await start()
    await settle(first)
    await first.follower.close()
    await unlink(path)
    await writeFile(`${path}.1.gz`, gzipSync('something else\n'))
    await writeFile(`${path}.2.gz`, 'no archive at all')
    await writeFile(path, lines(5, 5))
    const second = await start(2)
    await settle(second)
    expect(second.problems.join()).toContain(
      `${path} was replaced or truncated while it was not followed: its content from byte 14 may be lost`,
    )
    expect(service.stored).toEqual([...texts(1, 2), ...texts(5, 5)])
  })

  test('names compressed files in between, which it does not read', async () => {
    await writeFile(path, lines(1, 2))
    const first = await start()
    await settle(first)
    await first.follower.close()
    await unlink(path)
    await writeFile(`${path}.2.gz`, gzipSync(lines(1, 3)))
    await utimes(`${path}.2.gz`, 1_000, 1_000)
    await writeFile(`${path}.1.gz`, gzipSync('between\n'))
    await utimes(`${path}.1.gz`, 2_000, 2_000)
    await writeFile(path, lines(4, 4))
    const second = await start(2)
    await settle(second)
    expect(second.problems).toEqual([expect.stringContaining(`${path}.1.gz was rotated and compressed`)])
    expect(service.stored).toEqual(texts(1, 4))
  })

  test('reports lines with an unknown outcome that are gone', async () => {
    await writeFile(path, lines(1, 3))
    const first = await start()
    await first.follower.step()
    await interrupted(first, 'break')
    await truncate(path)
    const second = await start(2)
    await settle(second)
    expect(second.problems.join()).toMatch(/its lines may be missing/)
  })
})

describe('rotation', () => {
  test('by renaming: the old file is finished, including a last line without an end, and then the new one is read', async () => {
    await writeFile(path, lines(1, 2))
    const run = await start()
    await settle(run)
    await rename(path, `${path}.1`)
    await appendFile(`${path}.1`, 'late\nunfinished')
    await writeFile(path, 'new\n')
    await settle(run)
    expect(service.stored).toEqual([...texts(1, 2), 'late'])
    await settleRotation(run)
    expect(service.stored).toEqual([...texts(1, 2), 'late', 'unfinished', 'new'])
  })

  test('by renaming: while the new file is empty, or the old one still grows, the old one is not left', async () => {
    await writeFile(path, lines(1, 1))
    const run = await start()
    await settle(run)
    await rename(path, `${path}.1`)
    await writeFile(path, '')
    await settleRotation(run)
    await appendFile(`${path}.1`, lines(2, 2))
    await settle(run)
    await appendFile(path, lines(4, 4))
    await settle(run)
    await run.clock.sleep(4_999)
    await appendFile(`${path}.1`, lines(3, 3))
    await settle(run)
    expect(service.stored).toEqual(texts(1, 3))
    await settleRotation(run)
    expect(service.stored).toEqual(texts(1, 4))
  })

  test('by renaming twice between two checks: the file in between is read, too', async () => {
    await writeFile(path, lines(1, 1))
    const run = await start()
    await settle(run)
    await rename(path, `${path}.2`)
    await writeFile(`${path}.1`, lines(2, 2))
    await writeFile(path, lines(3, 3))
    await settleRotation(run)
    await settleRotation(run)
    await settleRotation(run)
    expect(service.stored).toEqual(texts(1, 3))
  })

  test('by renaming, faster than files are left: a file with a successor is not waited for', async () => {
    await writeFile(path, lines(1, 1))
    const run = await start()
    await settle(run)
    for (let round = 2; round <= 10; round++) {
      await rename(path, `${path}.${100 - round}`)
      await utimes(`${path}.${100 - round}`, round, round)
      await writeFile(path, lines(round, round))
    }
    await settle(run)
    expect(service.stored).toEqual(texts(1, 9))
    await settleRotation(run)
    expect(service.stored).toEqual(texts(1, 10))
    expect(run.clock.slept).toEqual([5_000])
  })

  test('by renaming and removing: a file with the inode number of a finished one is read', async () => {
    await writeFile(path, lines(1, 1))
    const run = await start()
    await settle(run)
    await rename(path, `${path}.1`)
    await utimes(`${path}.1`, 1, 1)
    await writeFile(path, lines(2, 2))
    await settleRotation(run)
    // Overwriting keeps the inode of the old file.
    await writeFile(`${path}.1`, lines(3, 3))
    await utimes(path, 2, 2)
    await rename(path, `${path}.2`)
    await writeFile(path, lines(4, 4))
    await settleRotation(run)
    await settleRotation(run)
    expect(service.stored).toEqual(texts(1, 4))
  })

  test('by renaming repeatedly: a finished file is not read twice, even if its times were changed', async () => {
    await writeFile(path, lines(1, 1))
    const run = await start()
    await settle(run)
    await rename(path, `${path}.1`)
    await writeFile(path, lines(2, 2))
    await settleRotation(run)
    await rename(`${path}.1`, `${path}.2`)
    await rename(path, `${path}.1`)
    await utimes(`${path}.2`, 4_000_000_000, 4_000_000_000)
    await writeFile(path, lines(3, 3))
    await settleRotation(run)
    await settleRotation(run)
    expect(service.stored).toEqual(texts(1, 3))
  })

  test('by truncation: the file is read from its beginning', async () => {
    await writeFile(path, lines(1, 3))
    const run = await start()
    await settle(run)
    await truncate(path)
    await appendFile(path, 'after\n')
    await settle(run)
    expect(service.stored).toEqual([...texts(1, 3), 'after'])
  })

  test('by truncation: also when the remaining text begins as before', async () => {
    await writeFile(path, lines(1, 1_000))
    const run = await start()
    await settle(run)
    await truncate(path, Buffer.byteLength(lines(1, 500)))
    await settle(run)
    expect(service.stored).toEqual([...texts(1, 1_000), ...texts(1, 500)])
  })

  test('by truncation: also when the file has grown beyond the old position before the next check', async () => {
    await writeFile(path, lines(1, 3))
    const run = await start()
    await settle(run)
    await truncate(path)
    await appendFile(path, lines(101, 120))
    await settle(run)
    expect(service.stored).toEqual([...texts(1, 3), ...texts(101, 120)])
  })
})

describe('answers of the service', () => {
  test('413 halves the batch until it is accepted, each part under a new number', async () => {
    await writeFile(path, lines(1, 100))
    service.maxBodyBytes = 1_000
    const run = await start()
    await settle(run)
    expect(service.stored).toEqual(texts(1, 100))
    const numbers = service.requests.map(request => Number(request.key.split('/')[1]))
    expect(numbers).toEqual([...numbers].sort((left, right) => left - right))
    expect(new Set(numbers).size).toBe(numbers.length)
  })

  test('409 means that the key was used for other bytes, so the lines are sent under a new stream', async () => {
    await writeFile(path, lines(1, 2))
    service.plan.push({ status: 409 })
    const run = await start()
    await settle(run)
    expect(service.stored).toEqual(texts(1, 2))
    expect(run.problems.join()).toMatch(/sent again under a new key/)
  })

  test('400 for the whole request ends the work and loses nothing: a start with other options sends the lines', async () => {
    await writeFile(path, lines(1, 2))
    service.plan.push({ status: 400, body: { error: '"hostname" is required', code: 'BadRequest' } })
    const run = await start()
    await expect(settle(run)).rejects.toMatchObject({
      message: expect.stringContaining('"hostname" is required'),
      exitCode: 2,
    })
    expect([run.totals.lines, run.totals.refused]).toEqual([0, 0])
    await settle(await start(2, { app: 'better' }))
    expect(service.stored).toEqual(texts(1, 2))
    expect(service.requests[1]?.lines[0]).toMatchObject({ app: 'better' })
    expect(service.requests[1]?.key).not.toBe(service.requests[0]?.key)
  })

  test('refused lines are counted and not sent again', async () => {
    await writeFile(path, 'good\nbad\nfine\n')
    service.plan.push('refuse bad lines')
    const run = await start()
    await settle(run)
    expect([run.totals.lines, run.totals.refused]).toEqual([3, 1])
    await settle(await start(2))
    expect(service.requests).toHaveLength(1)
  })
})

test('an unreadable position file is not replaced: that would send all lines twice', async () => {
  await writeFile(join(folder, 'positions.json'), '{"version":1,"files":[{"path":1}]}')
  await expect(start()).rejects.toThrow(/cannot be used/)
})
