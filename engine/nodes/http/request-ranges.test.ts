import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestRanges } from './request-ranges.ts'

test.each<[string, number[], number, number | undefined, [number, number][]]>([
  ['no event needs no request', [], 10, 5, []],
  ['events that fill a request exactly share it', [4, 6], 10, undefined, [[0, 2]]],
  [
    'one byte more begins the next',
    [4, 7],
    10,
    undefined,
    [
      [0, 1],
      [1, 2],
    ],
  ],
  ['a full number of events shares a request', [1, 1, 1], 10, 3, [[0, 3]]],
  [
    'one event more begins the next',
    [1, 1, 1, 1],
    10,
    3,
    [
      [0, 3],
      [3, 4],
    ],
  ],
  [
    'a larger event is alone',
    [2, 11, 2],
    10,
    undefined,
    [
      [0, 1],
      [1, 2],
      [2, 3],
    ],
  ],
])('%s', (_rule, sizes, bytes, events, ranges) => {
  expect(requestRanges(sizes, { bytes, ...(events !== undefined && { events }) })).toEqual(ranges)
})

test('every event is in exactly one request, in order, and each request keeps to the bounds', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 60, size: 'max' }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 5 }),
      (sizes, bytes, events) => {
        const ranges = requestRanges(sizes, { bytes, events })
        expect(ranges.flatMap(([first, end]) => sizes.slice(first, end))).toEqual(sizes)
        for (const [first, end] of ranges) {
          const sum = sizes.slice(first, end).reduce((total, size) => total + size, 0)
          expect(end - first).toBeLessThanOrEqual(events)
          expect(sum <= bytes || end - first === 1).toBe(true)
        }
      },
    ),
  )
})
