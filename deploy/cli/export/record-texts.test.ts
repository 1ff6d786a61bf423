import fc from 'fast-check'
import { expect, test } from 'vitest'
import { recordTexts } from './record-texts.ts'

test('the texts of records are those that were sent, whatever they contain', () => {
  const record = fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())
  fc.assert(
    fc.property(fc.array(record), records => {
      const texts = records.map(each => JSON.stringify(each))
      expect(recordTexts(`{"lines":[${texts.join(',')}]}`)).toEqual(texts)
    }),
  )
})

test('a piece without lines has none', () => {
  expect(recordTexts('{"end":{"next":null,"access":"order"}}')).toBe(undefined)
  expect(recordTexts('{"lines":[]}')).toEqual([])
})
