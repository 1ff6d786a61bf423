import { expect, test } from 'vitest'
import { elementTexts, lineText, membersOf, parseExact, shownJson, shownValue } from './records.ts'

test('records of an answer keep their text', () => {
  const records = ['{"_id":"1","_ts":5,"a":"}{[]\\"\\\\"}', '{"_id":"2","_ts":6,"b":{"c":[{}]}}']
  expect(elementTexts(`{"lines":[${records.join()}]}`)).toEqual(records)
  expect(elementTexts('{"lines":[]}')).toEqual([])
  expect(lineText(records[0] as string)).toEqual({ id: '1', timeMs: 5, text: records[0] })
})

test('numbers keep their digits', () => {
  const text = '{"n":9007199254740993,"x":1.0,"e":1e400,"list":[-0,{"deep":12345678901234567890}]}'
  const value = parseExact(text)
  expect(shownValue(value).replaceAll(' ', '')).toBe(text)
  const line = lineText('{"_id":"1","_ts":5,"n":9007199254740993}')
  expect(shownValue(membersOf(line).n)).toBe('9007199254740993')
})

test('a value is shown with indentation, and empty ones without', () => {
  const value = parseExact('{"a":{},"b":[],"c":["x",null,true]}')
  expect(shownJson(value)).toBe('{\n  "a": {},\n  "b": [],\n  "c": [\n    "x",\n    null,\n    true\n  ]\n}')
})
