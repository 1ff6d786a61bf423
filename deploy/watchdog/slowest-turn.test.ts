import { expect, test } from 'vitest'
import { SlowestTurn } from './slowest-turn.ts'

const [FOLD, NODE, OTHER_NODE] = [1, 2, 3]
const PARTITION = { topic: 'weir.ingest', partition: 4 }

function measuring() {
  let nowMs = 1_000_000
  const logged: object[] = []
  const slowest = new SlowestTurn(() => nowMs)
  slowest.logTo({ warn: details => logged.push(details) })
  slowest.named(FOLD, PARTITION)
  slowest.named(NODE, { pipeline: 'shop', revision: 7, node: 'a' })
  slowest.named(OTHER_NODE, { pipeline: 'shop', revision: 7, node: 'b' })
  return {
    slowest,
    logged,
    /** The work leaves that place after so many milliseconds. */
    passed(tookMs: number, fold: number, node: number, offset = 812) {
      nowMs += tookMs
      slowest.moves(fold, node, offset)
    },
  }
}

test('the slowest turn is kept with its place; a faster one after it changes nothing', () => {
  const { slowest, passed } = measuring()
  expect(slowest.turn).toBeUndefined()
  passed(5, FOLD, NODE)
  passed(7.5, FOLD, OTHER_NODE, 813)
  passed(7, FOLD, NODE, 814)
  const names = { ...PARTITION, pipeline: 'shop', revision: 7, node: 'b' }
  expect(slowest.turn).toEqual({ tookMs: 7.5, names, offset: 813 })
})

test('time outside of folds, and of a fold outside of nodes, is not a turn', () => {
  const { slowest, passed } = measuring()
  passed(50_000, 0, 0)
  passed(50_000, 0, NODE)
  passed(50_000, FOLD, 0)
  expect(slowest.turn).toBeUndefined()
  passed(1, FOLD, NODE)
  expect(slowest.turn).toMatchObject({ tookMs: 1 })
})

test('turns from a second on are logged with their position, each at least twice as slow as the one before', () => {
  const { logged, passed } = measuring()
  for (const tookMs of [999, 1_000, 1_999, 2_000, 2_001, 3_999, 4_000]) passed(tookMs, FOLD, NODE, tookMs)
  const place = { ...PARTITION, pipeline: 'shop', revision: 7, node: 'a' }
  expect(logged).toEqual([1_000, 2_000, 4_000].map(tookMs => ({ ...place, offset: tookMs, tookMs })))
})
