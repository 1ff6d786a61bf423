import { expect, test } from 'vitest'
import { manualClock } from '../../clock/manual-clock.ts'
import { rowsForReader } from './rows-for-reader.ts'

/**
 * Numbers from 0 on, ten per part, read from statements that note when they begin and end.
 *
 * @param mebibytes size of each number
 */
function numbers(limit: number, mebibytes = 0) {
  const clock = manualClock()
  const noted: string[] = []
  async function* statement(name: string, from: number, to: number): AsyncGenerator<number[]> {
    noted.push(`${name} begins`)
    try {
      for (let number = from; number < to; number += 10)
        yield Array.from({ length: Math.min(10, to - number) }, (_, index) => number + index)
    } finally {
      noted.push(`${name} ends`)
    }
  }
  const rows = rowsForReader<number>({
    clock,
    limit,
    bytesOf: () => mebibytes * 1024 * 1024,
    pageRows: 25,
    open: (most, last = -1) =>
      statement(`${most} behind ${last}`, last + 1, Math.min(limit, last + 1 + most)),
  })
  return { clock, noted, rows: rows[Symbol.asyncIterator]() }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

async function rest(rows: AsyncIterator<number[]>): Promise<number[][]> {
  const all: number[][] = []
  for (let next = await rows.next(); !next.done; next = await rows.next()) all.push(next.value)
  return all
}

test('a fast reader gets all rows from one statement', async () => {
  const { noted, rows } = numbers(42)
  expect((await rest(rows)).flat()).toEqual(Array.from({ length: 42 }, (_, number) => number))
  expect(noted).toEqual(['42 behind -1 begins', '42 behind -1 ends'])
})

test('the statement of a reader that takes nothing is ended', async () => {
  const { clock, noted, rows } = numbers(100)
  await rows.next()
  clock.advance(250)
  await turn()
  expect(noted).toEqual(['100 behind -1 begins'])
  clock.advance(1)
  await turn()
  expect(noted).toEqual(['100 behind -1 begins', '100 behind -1 ends'])
})

test('a slow reader gets every row once and in order, in pages whose statements have ended', async () => {
  const { clock, noted, rows } = numbers(62)
  const parts = [(await rows.next()).value as number[]]
  clock.advance(1_000)
  await turn()
  for (let next = await rows.next(); !next.done; next = await rows.next()) {
    parts.push(next.value)
    expect(noted.filter(note => note.endsWith('begins'))).toHaveLength(
      noted.filter(note => note.endsWith('ends')).length,
    )
  }
  expect(parts.map(({ length }) => length)).toEqual([10, 25, 25, 2])
  expect(parts.flat()).toEqual(Array.from({ length: 62 }, (_, number) => number))
})

test('a long answer is read in turns, and no statement runs while the reader has the end of a turn', async () => {
  const { noted, rows } = numbers(45, 1)
  const parts = [(await rows.next()).value as number[], (await rows.next()).value as number[]]
  expect(noted).toEqual(['45 behind -1 begins', '45 behind -1 ends'])
  parts.push(...(await rest(rows)))
  expect(parts.flat()).toEqual(Array.from({ length: 45 }, (_, number) => number))
  expect(noted.filter(note => note.endsWith('begins'))).toEqual([
    '45 behind -1 begins',
    '16 behind 19 begins',
    '9 behind 35 begins',
  ])
  expect(noted).toHaveLength(6)
})

test('pages of a slow reader are as short as their rows are large', async () => {
  const { clock, rows } = numbers(45, 0.3)
  const parts = [(await rows.next()).value as number[]]
  clock.advance(1_000)
  await turn()
  parts.push(...(await rest(rows)))
  expect(parts.map(({ length }) => length)).toEqual([10, 13, 13, 9])
  expect(parts.flat()).toEqual(Array.from({ length: 45 }, (_, number) => number))
})

test('a reader that is a little slow each time is slow after some parts', async () => {
  const { clock, noted, rows } = numbers(100)
  for (let part = 0; part < 4; part++) {
    await rows.next()
    clock.advance(100)
    await turn()
  }
  expect(noted).toContain('100 behind -1 ends')
})

test('leaving a page early, or the first statement, leaves nothing open', async () => {
  for (const waitsMs of [0, 1_000]) {
    const { clock, noted, rows } = numbers(100)
    await rows.next()
    clock.advance(waitsMs)
    await turn()
    await rows.next()
    await rows.return?.(undefined)
    expect(noted.at(-1)).toMatch(/ends$/)
  }
})
