import { expect, test } from 'vitest'
import { nextWith } from './find-lines.ts'

const rows = ['Order 1', 'paid', undefined, 'a "quoted" order', 'order in another field'].map((line, at) =>
  line === undefined
    ? undefined
    : {
        ...{ id: String(at), timeMs: at },
        text: JSON.stringify(at === 4 ? { _line: 'none', order: line } : { _line: line }),
      },
)

test('lines with a text are found forward and backward, around the ends of the list', () => {
  const next = (from: number, step: 1 | -1, wanted = 'ORDER') => nextWith(rows, wanted, { from, step })
  expect([next(0, 1), next(3, 1), next(0, -1), next(3, -1)]).toEqual([3, 0, 3, 0])
  expect(next(0, 1, '"QUOTED"')).toBe(3)
  expect(next(1, 1, 'paid')).toBe(1)
})

test('a text that no loaded line has is not found, also if another member has it', () => {
  expect(nextWith(rows, 'another field', { from: 0, step: 1 })).toBeUndefined()
  expect(nextWith([], 'a', { from: 0, step: -1 })).toBeUndefined()
})
