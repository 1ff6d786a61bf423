import { expect, test } from 'vitest'
import type { JsonValue } from '../../schemas/json.ts'
import { walkValue } from './value-extent.ts'

function extentOf(value: JsonValue) {
  let characters = 0
  const levels = walkValue(value, count => {
    characters += count
  })
  return { levels, characters }
}

test('levels are arrays and objects within each other, and characters follow the text', () => {
  expect(extentOf('x'.repeat(10_000)).levels).toBe(0)
  expect(extentOf('x'.repeat(10_000)).characters).toBeGreaterThanOrEqual(10_000)
  expect(extentOf({ a: [{ b: null }], c: {} }).levels).toBe(3)
  expect(extentOf(Array(1_000).fill(1)).characters).toBeGreaterThan(2_000)
})

test('a value may be nested deeper than the stack', () => {
  let value: JsonValue = []
  for (let level = 1; level < 100_000; level++) value = [value]
  expect(extentOf(value).levels).toBe(100_000)
})

test('a walk through a value whose parts are shared ends with the first exception', () => {
  let value: JsonValue = 'x'
  for (let doubling = 0; doubling < 60; doubling++) value = [value, value]
  let left = 100_000
  const walk = () =>
    walkValue(value, characters => {
      left -= characters
      if (left < 0) throw new Error('enough')
    })
  expect(walk).toThrow('enough')
})
