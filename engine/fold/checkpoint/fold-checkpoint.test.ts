import { expect, test } from 'vitest'
import { BEHAVIOUR, FIRST_BEHAVIOUR } from '../../../schemas/log/behaviour-numbers.ts'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { node, SOURCE } from '../../../test/support/world.ts'
import { finish } from '../../steps.ts'
import { FoldMoment } from '../fold-moment.ts'
import { restoreCheckpoint, takeCheckpoint } from './fold-checkpoint.ts'

/** Passes the first line in a minute, and stores it. */
const LIMITING = [
  SOURCE,
  node('transform', 'limit', 'throttle', ['source'], { threshold: 1, window_ms: 60_000 }),
  node('sink', 'store', 'log-analysis', ['limit']),
]

/** Checkpoint of a fold that has handled a line. */
function checkpoint(): Buffer {
  const fold = new LooseFold()
  fold.enter(61_000)
  fold.parts.tables.minute.noteTime(61_000)
  fold.deploy(LIMITING, { account: 'a' })
  fold.run(['x'], 'a')
  fold.parts.producers.advance('ingest-1', 4, 61_000)
  return fold.do(takeCheckpoint(fold.parts, 9n))
}

test('a restored fold goes on: memory, cuts, repeats, the open minute and the time are those of before', () => {
  const restored = new LooseFold()
  expect(finish(restoreCheckpoint(checkpoint(), restored.parts))).toBe(9n)
  const { moment, cuts, producers, tables } = restored.parts
  expect([moment.timeMs, cuts.version('pipeline', 'p')]).toEqual([61_000, 1])
  expect([tables.minute.startMs, tables.minute.activity.empty]).toEqual([60_000, false])
  expect([producers.advance('ingest-1', 4, 61_000), producers.advance('ingest-1', 5, 61_000)]).toEqual([
    false,
    true,
  ])
  restored.enter(62_000)
  restored.run(['y'], 'a')
  expect(restored.stored()).toEqual([])
})

test('a checkpoint puts its behaviour into force', () => {
  const moment = new FoldMoment()
  expect(moment.behaviour).toBe(FIRST_BEHAVIOUR)
  finish(restoreCheckpoint(checkpoint(), { ...new LooseFold().parts, moment }))
  expect(moment.behaviour).toBe(BEHAVIOUR)
})

test('a checkpoint of another log is refused', () => {
  const { parts } = new LooseFold()
  const other = { ...parts, identity: { ...parts.identity, logId: 'another' } }
  expect(() => finish(restoreCheckpoint(checkpoint(), other))).toThrow(
    'the checkpoint of weir.ingest/0 belongs to log log, this is another',
  )
})
