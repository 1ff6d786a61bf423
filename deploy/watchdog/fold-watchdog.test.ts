import { afterEach, expect, test } from 'vitest'
import { type Child, startChild } from '../../test/support/child.ts'

const PROGRAM = new URL('../../test/support/standing-fold.ts', import.meta.url).pathname

let child: Child | undefined
afterEach(() => child?.kill())

async function lineOf(started: Child, pattern: RegExp): Promise<Record<string, unknown>> {
  const line = await started.line(pattern)
  if (line === null) throw new Error(`ended without ${pattern}`)
  return JSON.parse(line) as Record<string, unknown>
}

test('a fold that stands is reported with its place, and the process ends like after a kill', async () => {
  child = startChild([PROGRAM, '800', '2500', 'stand'])
  const place = { topic: 'weir.ingest', partition: 1, pipeline: 'shop', revision: 7, node: 'stands' }
  const error = await lineOf(child, /"level":50/)
  expect(error).toMatchObject({
    ...place,
    msg: expect.stringContaining('ends when it has stood there for 2.5 s'),
  })
  const { offset } = error as { offset: number }
  expect(offset).toBeGreaterThan(0)
  const fatal = await lineOf(child, /"level":60/)
  expect(fatal).toMatchObject({ ...place, offset })
  expect(fatal.msg).toContain(`"weir quarantine weir.ingest/1/${offset} stands"`)
  expect(await child.ended()).toBe('SIGKILL')
})

test('a fold that stands at a record that was processed before is reported, but the process goes on', async () => {
  child = startChild([PROGRAM, '300', '1000', 'repeat', '3000'])
  // On a busy machine the process may stand elsewhere before.
  const error = await lineOf(child, /"level":50.*"node":"stands"/)
  expect(error).toMatchObject({ topic: 'weir.ingest', partition: 1, node: 'stands' })
  expect(error.msg).toContain('it was processed before, so the process does not end')
  expect(await child.line(/worked|"level":60/)).toBe('worked')
  const names = { topic: 'weir.ingest', partition: 1, pipeline: 'shop', revision: 7, node: 'stands' }
  const slowest = (await lineOf(child, /tookMs/)) as { tookMs: number }
  // Offset of the line: a cut and two records were before it.
  expect(slowest).toMatchObject({ names, offset: 3 })
  expect(slowest.tookMs).toBeGreaterThanOrEqual(3_000)
  expect(await child.ended()).toBe(0)
})

test('folds that work, in however many stretches, are neither reported nor ended', async () => {
  child = startChild([PROGRAM, '1500', '2500', 'work', '4000'])
  expect(await child.line(/./)).toBe('worked')
  expect(await child.ended()).toBe(0)
})
