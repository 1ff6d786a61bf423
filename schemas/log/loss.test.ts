import { expect, test } from 'vitest'
import { controlType } from './control.ts'
import { isRefused, lossCut, lossIn, lossOf } from './loss.ts'

const LOSS = { from: 5, to: 9, witnessed: { timeMs: 1_000 } }
const CUT = lossCut({ topic: 'weir.ingest', partition: 3 }, LOSS)

test('a loss is recorded by a cut of its partition, and read from it', () => {
  expect(CUT).toMatchObject({ kind: 'loss', entity: 'weir.ingest/3', version: 9 })
  expect(lossOf({ behaviour: 5, body: { 'weir.Cut': CUT } })).toEqual(LOSS)
  expect(lossOf({ behaviour: 5, body: { 'weir.Cut': { ...CUT, kind: 'slice' } } })).toBeUndefined()
  expect(lossOf({ behaviour: 5, body: { 'weir.Tick': { deadlineMs: 0 } } })).toBeUndefined()
})

test('a record that landed below the end that its writer knew is the place of one lost record', () => {
  const value = controlType.encode({ behaviour: 5, body: { 'weir.Tick': { deadlineMs: 0 } } })
  expect([isRefused({ offset: 6n, knownEnd: 7n }), isRefused({ offset: 7n, knownEnd: 7n })]).toEqual([
    true,
    false,
  ])
  expect(lossIn({ offset: 6n, knownEnd: 7n, value })).toEqual({ from: 6, to: 7 })
  expect(lossIn({ offset: 7n, knownEnd: 7n, value })).toBeUndefined()
})
