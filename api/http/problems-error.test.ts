import { describe, expect, test } from 'vitest'
import type { Problem } from '../../engine/event/problem.ts'
import { ProblemsError } from './problems-error.ts'

const found = (count: number, message = 'must be string'): Problem[] =>
  Array.from({ length: count }, (_, at) => ({ instancePath: `/list/${at}`, message }))

describe('findings in an answer', () => {
  test.each([
    [1, 1, '/list/0 must be string'],
    [2, 2, '/list/0 must be string (and 1 more)'],
    [999, 999, '/list/0 must be string (and 998 more)'],
    // The search for them ends at a thousand.
    [1_000, 1_000, '/list/0 must be string (and at least 999 more)'],
    [1_500, 1_000, '/list/0 must be string (and at least 1499 more)'],
  ])('of %i there are %i', (count, shown, message) => {
    const error = new ProblemsError(found(count))
    expect(error.problems).toEqual(found(shown))
    expect(error.message).toBe(message)
  })

  test('that are found twice are there, and count, once', () => {
    const error = new ProblemsError([...found(2), ...found(3)])
    expect(error.problems).toEqual(found(3))
    expect(error.message).toBe('/list/0 must be string (and 2 more)')
  })

  test('end once they are 256 KiB long together', () => {
    const message = 'm'.repeat(64 * 1024)
    const error = new ProblemsError(found(100, message))
    expect(error.problems).toEqual(found(4, message))
    expect(error.message).toMatch(/ \(and at least 99 more\)$/)
    expect(new ProblemsError(found(4, message)).message).toMatch(/ \(and 3 more\)$/)
  })

  test('have a pointer that is whole, also in the first one, of which the sentence quotes the beginning', () => {
    const [first, second] = [`/${'n'.repeat(300_000)}`, '/b'].map(instancePath => ({
      instancePath,
      message: 'x',
    }))
    const error = new ProblemsError([first, second] as Problem[])
    expect(error.problems).toEqual([first])
    expect(error.message).toBe(`/${'n'.repeat(99)}… x (and at least 1 more)`)
  })
})

test('a request without a finding is not valid either', () => {
  expect(new ProblemsError([]).message).toBe('The request is not valid')
})
