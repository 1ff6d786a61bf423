import { expect, test } from 'vitest'
import { TextRun } from './text-run.ts'

test('a run keeps the place of each text, and the row of its line in the record', () => {
  const run = new TextRun()
  run.add(3, 0, 5, 'INFO', 'a', 1)
  run.add(7, 5, 9, '', 'b', 0)
  expect(run).toMatchObject({
    rows: 2,
    starts: [0, 5],
    ends: [5, 9],
    sentLevels: ['INFO', ''],
    apps: ['a', 'b'],
    own: [1, 0],
  })
  expect([run.rowOf(0), run.rowOf(1)]).toEqual([3, 7])
})

test('a run that begins again overwrites its earlier lines', () => {
  const run = new TextRun()
  run.add(3, 0, 5, 'INFO', 'a', 1)
  run.rows = 0
  run.add(8, 2, 4, 'WARN', 'b', 0)
  expect([run.rows, run.rowOf(0), run.starts[0], run.ends[0], run.sentLevels[0]]).toEqual([
    1,
    8,
    2,
    4,
    'WARN',
  ])
})
