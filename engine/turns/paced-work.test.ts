import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { askerOfKey } from './asker.ts'
import { PacedWork } from './paced-work.ts'

/** Begins work of these callers and sizes at once. @returns the callers whose work is done; `|` ends a turn of the event loop */
async function turnsOf(work: readonly (readonly [caller: string, size: number])[]): Promise<string> {
  const paced = new PacedWork(10)
  const turns = ['']
  let isOver = false
  const tick = () => {
    turns.push('')
    if (!isOver) setImmediate(tick)
  }
  const done = work.map(async ([caller, size]) => {
    await paced.begin(askerOfKey(caller), size)
    turns[turns.length - 1] += caller
  })
  setImmediate(tick)
  await Promise.all(done)
  isOver = true
  return turns.join('|')
}

test('work that fits in a turn is done in it', async () => {
  expect(await turnsOf(['a', 'b', 'c', 'd', 'e'].map(caller => [caller, 2]))).toBe('abcde')
})

test('work that does not fit waits for the next turns, as much in each as fits', async () => {
  expect(await turnsOf(['a', 'b', 'c', 'd', 'e'].map(caller => [caller, 4]))).toBe('ab|cd|e')
})

test('a piece that is larger than a turn leaves the next ones to other work of the process', async () => {
  expect(await turnsOf(['a', 'b', 'c'].map(caller => [caller, 30]))).toBe('a|||b|||c')
})

test('small work goes ahead in a turn that has room for it, while larger work waits', async () => {
  expect(
    await turnsOf([
      ['a', 6],
      ['b', 50],
      ['c', 4],
    ]),
  ).toBe('ac|b')
})

test('accounts take turns, however much work one of them has', async () => {
  const turns = await turnsOf(['a', 'a', 'a', 'a', 'b', 'c'].map(caller => [caller, 10]))
  expect(turns).toBe('a|a|a|b|c|a')
})

test('a piece that is larger than a turn begins although small ones arrive in every turn', async () => {
  const paced = new PacedWork(10)
  let hasBegun = false
  const small = () => paced.begin(askerOfKey('a'), 1)
  await small()
  const large = paced.begin(askerOfKey('b'), 50).then(() => {
    hasBegun = true
  })
  for (let turn = 0; turn < 20 && !hasBegun; turn++) {
    void small()
    await nextTurn()
  }
  expect(hasBegun).toBe(true)
  await large
})
