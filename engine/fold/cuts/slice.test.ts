import { expect, test } from 'vitest'
import { LooseFold } from '../../../test/support/loose-fold.ts'
import { sliceCut } from './slice.ts'

const cutOf = (partitions: number) => sliceCut.ofTopic?.({ name: 'weir.ingest', partitions })

test('all partitions of a topic together end at most 16 slices per second', () => {
  expect(cutOf(16)).toBeUndefined()
  for (const [partitions, payload] of [
    [17, '1063'],
    [32, '2000'],
  ] as const)
    expect(cutOf(partitions)).toEqual({ kind: 'slice', entity: 'weir.ingest', version: partitions, payload })
})

test('a batch that is open lasts one second, and the time of the cut once that is in effect', () => {
  const fold = new LooseFold() // Its batch is open since log time 0.
  const { cuts, tables } = fold.parts
  expect(tables.deadlineMs(cuts.sliceMs)).toBe(1_000)
  fold.do(cuts.apply(cutOf(32) as never))
  expect(tables.deadlineMs(cuts.sliceMs)).toBe(2_000)
})
