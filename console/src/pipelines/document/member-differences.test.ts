import { expect, test } from 'vitest'
import { memberDifferences } from './member-differences.ts'

test('members that were added, changed and removed are named by their paths', () => {
  const before = { a: 1, b: { c: [1], d: 'x' }, gone: null }
  const after = { a: 1, b: { c: [1, 2], d: 'x', e: true } }
  expect(memberDifferences(before, after)).toEqual([
    { path: 'b.c', change: 'changed', before: [1], after: [1, 2] },
    { path: 'b.e', change: 'added', after: true },
    { path: 'gone', change: 'removed', before: null },
  ])
})

test('equal values have no differences, and values of other types differ as a whole', () => {
  expect(memberDifferences({ a: { b: 1 } }, { a: { b: 1 } })).toEqual([])
  expect(memberDifferences('text', { line: 'text' })).toEqual([
    { path: '', change: 'changed', before: 'text', after: { line: 'text' } },
  ])
})
