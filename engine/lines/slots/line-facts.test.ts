import fc from 'fast-check'
import { expect, test } from 'vitest'
import { factsOf, factsText, tagsOf, tagsText } from './line-facts.ts'

const PART = fc.string({ unit: fc.constantFrom('a', '0', '1', '\x1e', '\x1f', 'ß') })

test('facts of a line are one word, and come back from it', () => {
  const facts = { file: 'app.log', env: '', mac: '', ip: '10.0.0.1', remote: '' }
  expect(factsText(facts)).toBe('app.log\x1f\x1f\x1f10.0.0.1\x1f')
  fc.assert(
    fc.property(fc.record({ file: PART, env: PART, mac: PART, ip: PART, remote: PART }), drawn => {
      expect(factsOf(factsText(drawn))).toEqual(drawn)
    }),
  )
})

test('no tags are an empty word, and any tags come back', () => {
  expect(tagsText([])).toBe('')
  expect(tagsText(['a', ''])).toBe('a\x1f\x1f')
  fc.assert(
    fc.property(fc.array(PART), tags => {
      expect(tagsOf(tagsText(tags))).toEqual(tags)
    }),
  )
})
