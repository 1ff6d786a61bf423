import { expect, test } from 'vitest'
import { NumberText } from '../../schemas/json.ts'
import { MAX_SHOWN_CHARACTERS, MAX_VALUE_CHARACTERS, ShownValues } from './shown-values.ts'

test('a value of at most 1,024 characters is shown as it is', () => {
  const text = 'x'.repeat(MAX_VALUE_CHARACTERS)
  for (const actual of [text, '', 0, false, null, [text.slice(1)], { a: text.slice(1) }, 9007199254740993n])
    expect(new ShownValues().members(actual)).toEqual({ actual })
  expect(new ShownValues().members(undefined)).toEqual({})
})

test('a longer value is the beginning of its text, with a mark', () => {
  const text = 'x'.repeat(MAX_VALUE_CHARACTERS + 1)
  const cut = (actual: string) => ({ actual, cut: true })
  const shownOf = (value: Parameters<ShownValues['members']>[0]) => new ShownValues().members(value)
  expect(shownOf(text)).toEqual(cut(text.slice(1)))
  expect(shownOf([text])).toEqual(cut(`["${text.slice(3)}`))
  expect(shownOf({ a: text })).toEqual(cut(`{"a":"${text.slice(7)}`))
  expect(shownOf({ [text]: 1 })).toEqual(cut(`{"${text.slice(3)}`))
  expect(shownOf(new NumberText('9'.repeat(2_000)))).toEqual(cut('9'.repeat(MAX_VALUE_CHARACTERS)))
  expect(shownOf(Array.from({ length: 1_000 }, () => 7))).toMatchObject({ cut: true })
})

test('all values of an explanation have 16 KiB together', () => {
  const shown = new ShownValues()
  const text = 'x'.repeat(MAX_VALUE_CHARACTERS)
  for (let index = 0; index < MAX_SHOWN_CHARACTERS / MAX_VALUE_CHARACTERS; index++)
    expect(shown.members(text)).toEqual({ actual: text })
  expect(shown.members('x')).toEqual({ cut: true })
  expect(shown.members('')).toEqual({ actual: '' })
})
