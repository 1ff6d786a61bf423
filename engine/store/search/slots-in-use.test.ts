import { describe, expect, test } from 'vitest'
import { textOf } from './condition.ts'
import { SlotsInUse } from './slots-in-use.ts'
import { SqlConstants } from './sql-constants.ts'

/** A text, a word that takes no slot, a number, a boolean value, and the rest of a line. */
const SHAPE =
  '\x02tname\x02aapp\x02nstatus\x02bok\x02o\x02\x00{"name":"\x01","app":"\x03","status":\x01,"ok":\x01,"x":\x01}'
const TWO_TEXTS = '\x02ta\x02db\x02\x00{"a":"\x01","b":"\x01"}'
const WHOLE = ''

function sought(shapes: readonly string[], texts: readonly string[]) {
  const constants = new SqlConstants()
  const { slots, wholeLine, unexpected } = new SlotsInUse(shapes).thatMayContain(texts, constants)
  const [pattern] = Object.values(constants.parameters)
  return { slots: [...slots], wholeLine, pattern, unexpected: textOf(unexpected) }
}

describe('slots in which a text is sought', () => {
  test.each([
    ['a word', 'word', [0, 3]],
    ['a number', '404', [0, 1, 3]],
    ['a part of a number', '-4.', [0, 1, 3]],
    ['digits and letters', '4e4', [0, 3]],
    ['the beginning of a boolean value', 'tRu', [0, 2, 3]],
    ['letters of another script, which are compared as they are', '\u0664', [0, 1, 2, 3]],
  ])('%s', (_title, text, slots) => {
    expect(sought([SHAPE], [text]).slots).toEqual(slots)
  })

  test('are those of each of several texts', () => {
    expect(sought([SHAPE], ['404', 'false']).slots).toEqual([0, 1, 2, 3])
  })

  test('are those of each shape', () => {
    expect(sought([SHAPE, TWO_TEXTS], ['word']).slots).toEqual([0, 1, 3])
  })

  test('the texts of whole lines are read where there are any', () => {
    expect(sought([SHAPE, WHOLE], ['word']).wholeLine).toBe(true)
    expect(sought([SHAPE], ['word'])).toMatchObject({
      wholeLine: false,
      unexpected: expect.stringContaining("l.shape = ''"),
    })
  })
})

test('a line is unexpected if it uses another slot for values that may contain the text', () => {
  expect(sought([SHAPE], ['word']).pattern).toBe(`^.[_nb][_nb].${'[_nb]'.repeat(12)}$`)
  expect(sought([SHAPE], ['404']).pattern).toBe(`^..[_b].${'[_b]'.repeat(12)}$`)
  expect(sought([], ['\u0664']).pattern).toBe(`^${'[_]'.repeat(16)}$`)
})

test('a field has the slots in which any of the shapes has its number', () => {
  const inUse = new SlotsInUse([SHAPE, TWO_TEXTS, '\x02tstatus\x02\x00{}', '\x02nstatus\x02\x00{}', WHOLE])
  expect(inUse.withNumber('status').toSorted()).toEqual([0, 1])
  expect([...inUse.withNumber('name'), ...inUse.withNumber('app')]).toEqual([])
})
