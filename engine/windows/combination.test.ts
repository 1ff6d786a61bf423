import { expect, test } from 'vitest'
import type { JsonObject } from '../../schemas/json.ts'
import { jsonBytes } from '../json/json-size.ts'
import { combinationNamed } from './combination.ts'

const union = combinationNamed('union')
const setOf = (...values: readonly string[]): JsonObject => ({ values: [...values], more: 1 })

test('a union has each value once, in the order of first sight, also those that the first set repeats', () => {
  const combined = { value: setOf('b', 'a', 'b', 'a'), merged: 1 }
  const first = combined.value
  const prepared = union.prepare(combined, setOf('c', 'a', 'c'))
  expect(union.shown(combined, prepared)).toEqual(setOf('b', 'a', 'c'))
  expect(union.shown(combined)).toBe(first)
  const growth = union.accept(combined, prepared)
  expect(combined).toEqual({ value: setOf('b', 'a', 'c'), merged: 2 })
  expect(first).toEqual(setOf('b', 'a', 'b', 'a'))
  expect(growth).toBe(jsonBytes(['c']) - (jsonBytes(['b', 'a', 'b', 'a']) - jsonBytes(['b', 'a'])))
  union.accept(combined, union.prepare(combined, setOf('d', 'b')))
  expect(combined.value).toEqual(setOf('b', 'a', 'c', 'd'))
})

test('repeats of the first set go even if the other set adds nothing', () => {
  const combined = { value: setOf('a', 'a'), merged: 1 }
  union.accept(combined, union.prepare(combined, setOf('a')))
  expect(combined.value).toEqual(setOf('a'))
})

test('before the fourteenth behaviour the first set keeps its repeats, until a later behaviour merges into it', () => {
  const combined = { value: setOf('a', 'a'), merged: 1 }
  union.accept(combined, union.prepare(combined, setOf('b', 'b'), true))
  expect(combined.value).toEqual(setOf('a', 'a', 'b'))
  const restored = { value: structuredClone(combined.value), merged: combined.merged }
  for (const each of [combined, restored]) {
    union.accept(each, union.prepare(each, setOf('c')))
    expect(each.value).toEqual(setOf('a', 'b', 'c'))
  }
})
