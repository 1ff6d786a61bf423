import { expect, test } from 'vitest'
import type { LineText } from '../api/records.ts'
import {
  type LinePage,
  pageAtEnd,
  pageOfRow,
  positionOf,
  rowsOf,
  withEnd,
  withinBounds,
  withLines,
} from './line-pages.ts'

const line = (id: number): LineText => ({ id: String(id), timeMs: id, text: '' })
const lines = (from: number, count: number) => Array.from({ length: count }, (_, at) => line(from + at))
const after = (from: number) => (from === 0 ? undefined : positionOf(line(from - 1)))

/** Pages of ten lines, each read to its end. */
function pagesOf(count: number): readonly LinePage[] {
  let pages: readonly LinePage[] = []
  for (let at = 0; at < count; at++) {
    const first = at * 10
    pages = withEnd(withLines(pages, at, { after: after(first), lines: lines(first, 10) }), at)
  }
  return pages
}
const idsOf = (pages: readonly LinePage[]) => rowsOf(pages).map(row => row && Number(row.id))

test('the lines of all pages stand one behind another', () => {
  expect(idsOf(pagesOf(3))).toEqual(Array.from({ length: 30 }, (_, at) => at))
  expect(pageAtEnd(pagesOf(3))).toBe(3)
})

test('released lines leave their places, and nothing moves when they are read again', () => {
  const bounded = withinBounds(pagesOf(5), 4, 30)
  const rows = idsOf(bounded)
  expect(rows.slice(0, 20)).toEqual(Array(20).fill(undefined))
  expect(rows.slice(20)).toEqual(Array.from({ length: 30 }, (_, at) => at + 20))
  const page = pageOfRow(bounded, 13)
  expect([page, bounded[page]?.after]).toEqual([1, '9-9'])
  const half = withLines(bounded, page, { after: after(10), lines: lines(10, 4) })
  expect(idsOf(half).slice(8, 16)).toEqual([undefined, undefined, 10, 11, 12, 13, undefined, undefined])
  const whole = withEnd(withLines(half, page, { after: after(10), lines: lines(10, 10) }), page)
  expect(idsOf(whole)).toEqual([
    ...Array(10).fill(undefined),
    ...Array.from({ length: 40 }, (_, at) => at + 10),
  ])
})

test('the pages around the one that is read stay', () => {
  const held = withinBounds(pagesOf(9), 4, 30).map(page => page.lines.length)
  expect(held).toEqual([0, 0, 0, 10, 10, 10, 0, 0, 0])
})

test('a page that was not read to its end is read again, also after it was released', () => {
  const cut = withLines(pagesOf(2), 2, { after: after(20), lines: lines(20, 3) })
  expect(pageAtEnd(cut)).toBe(2)
  expect(pageAtEnd(withinBounds(pagesOf(3), 0, 10))).toBe(2)
})
