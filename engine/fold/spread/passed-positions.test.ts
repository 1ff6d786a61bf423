import { expect, test } from 'vitest'
import { PassedPositions } from './passed-positions.ts'

test('a position counts once for each source, and none below it counts afterwards', () => {
  const passed = new PassedPositions([['weir.ingest 0', { offset: 4n, row: 2 }]])
  const advance = (source: string, offset: bigint, row: number) => passed.advance(source, { offset, row })
  expect([advance('weir.ingest 0', 4n, 2), advance('weir.ingest 0', 3n, 9)]).toEqual([false, false])
  expect([advance('weir.ingest 0', 4n, 3), advance('weir.ingest 0', 5n, 0)]).toEqual([true, true])
  expect([advance('weir.keyed 0', 0n, 0), advance('weir.keyed 0', 0n, 0)]).toEqual([true, false])
  expect([...passed]).toEqual([
    ['weir.ingest 0', { offset: 5n, row: 0 }],
    ['weir.keyed 0', { offset: 0n, row: 0 }],
  ])
})
