import { expect, test } from 'vitest'
import { SimulatedFiles } from '../../test/support/simulated-files.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { openSegmentLog } from './segment-log.ts'

const METADATA = '/data/weir.ingest/topic.json'
const PARTITIONS = 3
/** Two records fill a segment. */
const SEGMENT_BYTES = 150
const RECORDS = 5

/** A log with records in several segments of each partition, closed. */
async function filled() {
  const files = new SimulatedFiles(seededEntropy(1))
  const opened = () =>
    openSegmentLog({
      directory: '/data',
      clock: manualClock(),
      entropy: seededEntropy(2),
      maxBytes: 1_000_000,
      minFreeDiskBytes: 0,
      segmentBytes: SEGMENT_BYTES,
      operations: files,
    })
  const log = await opened()
  const topic = await log.topic('weir.ingest', PARTITIONS)
  for (let partition = 0; partition < PARTITIONS; partition++)
    for (let number = 0; number < RECORDS; number++)
      await topic.append(partition, {
        value: Buffer.from(`${partition} ${number} ${'x'.repeat(40 + partition)}`),
        producer: null,
        priority: 'ingest',
      })
  await log.close()
  return { files, opened }
}

type Filled = Awaited<ReturnType<typeof filled>>

function contents({ files }: Filled): Record<string, string> {
  return Object.fromEntries(files.paths('/data').map(path => [path, files.contentOf(path).toString('hex')]))
}

function segments({ files }: Filled, partition: number): string[] {
  return files.paths(`/data/weir.ingest/${partition}`).filter(path => path.endsWith('.segment'))
}

/** Expects a refusal, and the files to be as they were. @returns its sentence */
async function refused(world: Filled): Promise<string> {
  const before = contents(world)
  const log = await world.opened()
  const refusal = await log.topic('weir.ingest', PARTITIONS).then(
    () => undefined,
    (error: unknown) => error,
  )
  await log.close()
  expect(refusal).toMatchObject({ code: 'LOG_CORRUPT' })
  expect(contents(world)).toEqual(before)
  return (refusal as Error).message
}

async function recordsOf(world: Filled): Promise<number> {
  const log = await world.opened()
  const topic = await log.topic('weir.ingest', PARTITIONS)
  let count = 0
  for (let partition = 0; partition < PARTITIONS; partition++)
    for (let from = 0n; from < (await topic.bounds(partition)).next; count++) {
      const [record] = await topic.read(partition, from, 1)
      from = (record?.offset ?? from) + 1n
    }
  await log.close()
  return count
}

function swap({ files }: Filled, one: string, other: string): void {
  const [content, otherContent] = [files.contentOf(one), files.contentOf(other)]
  files.replace(one, otherContent)
  files.replace(other, content)
}

test('one flipped bit in topic.json emptied every partition, so it is refused, and nothing is changed', async () => {
  const world = await filled()
  const whole = world.files.contentOf(METADATA)
  for (let bit = 0; bit < whole.length * 8; bit++) {
    const flipped = Buffer.from(whole)
    flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7))
    world.files.replace(METADATA, flipped)
    const before = contents(world)
    const log = await world.opened()
    // Changes of the member's name and of blanks do not change any known value.
    await log
      .topic('weir.ingest', PARTITIONS)
      .catch(error =>
        expect(error).toMatchObject({ code: expect.stringMatching(/^LOG_(CORRUPT|PARTITIONS_DIFFER)$/) }),
      )
    await log.close()
    expect(contents(world)).toEqual(before)
  }
  const text = whole.toString()
  world.files.replace(METADATA, Buffer.from(text.replace(/"logId":"./, found => flippedDigit(found))))
  expect(await refused(world)).toMatch(`${METADATA} is damaged: its checksum`)
  world.files.replace(METADATA, whole)
  expect(await recordsOf(world)).toBe(PARTITIONS * RECORDS)
})

test('a topic.json of an earlier program can be read, and the records reveal a flipped bit in it', async () => {
  const world = await filled()
  const { logId } = JSON.parse(world.files.contentOf(METADATA).toString()) as { logId: string }
  const earlier = `${JSON.stringify({ formatVersion: 1, logId, partitions: PARTITIONS })}\n`
  world.files.replace(METADATA, Buffer.from(earlier))
  expect(await recordsOf(world)).toBe(PARTITIONS * RECORDS)
  world.files.replace(METADATA, Buffer.from(earlier.replace(/"logId":"./, found => flippedDigit(found))))
  const sentence = await refused(world)
  expect(sentence).toContain(`${segments(world, 0)[0]} is not a file of partition 0 of weir.ingest`)
  expect(sentence).toContain(METADATA)
  world.files.replace(METADATA, Buffer.from(earlier))
  expect(await recordsOf(world)).toBe(PARTITIONS * RECORDS)
})

test('an earlier program finds the members of topic.json that it knows', async () => {
  const { files } = await filled()
  expect(JSON.parse(files.contentOf(METADATA).toString())).toEqual({
    formatVersion: 1,
    logId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    partitions: PARTITIONS,
    checksum: expect.stringMatching(/^[0-9a-f]{8}$/),
  })
})

test('swapped newest segments of two partitions were emptied, so they are refused by name, and work when put back', async () => {
  const world = await filled()
  const [one, other] = [segments(world, 1).at(-1) as string, segments(world, 2).at(-1) as string]
  swap(world, one, other)
  expect(await refused(world)).toMatch(
    `${one} is not in its place, which is one of partition 1 of weir.ingest: it contains records of partition 2.`,
  )
  swap(world, one, other)
  expect(await recordsOf(world)).toBe(PARTITIONS * RECORDS)
})

test('a swapped older segment is refused at the start, even beside a matching index', async () => {
  const world = await filled()
  const [one, other] = [segments(world, 1)[0] as string, segments(world, 2)[0] as string]
  swap(world, one, other)
  swap(world, one.replace('.segment', '.index'), other.replace('.segment', '.index'))
  expect(await refused(world)).toContain(`${one} is not in its place`)
  swap(world, one, other)
  swap(world, one.replace('.segment', '.index'), other.replace('.segment', '.index'))
  expect(await recordsOf(world)).toBe(PARTITIONS * RECORDS)
})

test('a newest segment with the records of an older one of its partition is not changed', async () => {
  const world = await filled()
  const [oldest] = segments(world, 0)
  const newest = segments(world, 0).at(-1) as string
  const whole = world.files.contentOf(newest)
  world.files.replace(newest, world.files.contentOf(oldest as string))
  expect(await refused(world)).toContain(`${newest} is not in its place`)
  world.files.replace(newest, whole)
  expect(await recordsOf(world)).toBe(PARTITIONS * RECORDS)
})

test('a newest segment that begins with neither its mark nor zeros is not changed', async () => {
  const world = await filled()
  const newest = segments(world, 2).at(-1) as string
  const whole = world.files.contentOf(newest)
  for (const content of [seededEntropy(9).bytes(300), Buffer.concat([Buffer.from('torn'), whole])]) {
    world.files.replace(newest, content)
    expect(await refused(world)).toMatch(
      `${newest} is damaged at byte 0: neither a record of partition 2 of weir.ingest begins there nor the remains of one`,
    )
  }
})

function flippedDigit(found: string): string {
  return found.slice(0, -1) + (Number.parseInt(found.slice(-1), 16) ^ 1).toString(16)
}
