import { expect, test } from 'vitest'
import { rowBatches } from './row-batches.ts'

const textOf = (rows: readonly object[]) => Buffer.from(rows.map(row => `${JSON.stringify(row)}\n`).join(''))

/** @returns number of rows per batch, the rows, and the number of turns that other work had in between */
async function read(text: Uint8Array) {
  const batches: object[][] = []
  let [turns, isOver] = [0, false]
  const work = () => {
    turns++
    if (!isOver) setImmediate(work)
  }
  setImmediate(work)
  for await (const rows of rowBatches<object>(text)) batches.push(rows)
  isOver = true
  return { sizes: batches.map(({ length }) => length), rows: batches.flat(), turns }
}

test('a short text is one batch, without a wait', async () => {
  const rows = [{ a: 'line\nend' }, { a: 'ü€' }]
  expect(await read(textOf(rows))).toEqual({ sizes: [2], rows, turns: 0 })
  expect(await read(Buffer.from('{"a":1}'))).toEqual({ sizes: [1], rows: [{ a: 1 }], turns: 0 })
  expect(await read(Buffer.from(''))).toEqual({ sizes: [], rows: [], turns: 0 })
})

test('wide rows come in batches of about a mebibyte, and other work has its turn between them', async () => {
  const rows = Array.from({ length: 250 }, (_, index) => ({ index, text: 'ü'.repeat(8_000) }))
  const found = await read(textOf(rows))
  expect(found.rows).toEqual(rows)
  expect(found.sizes).toEqual([66, 66, 66, 52])
  expect(found.turns).toBeGreaterThanOrEqual(3)
})

test('a row that is longer than a batch is a batch', async () => {
  const rows = [{ text: 'x'.repeat(3 * 1024 * 1024) }, { text: 'y' }]
  expect((await read(textOf(rows))).sizes).toEqual([1, 1])
})
