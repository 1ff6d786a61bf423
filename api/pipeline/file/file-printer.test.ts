import fc from 'fast-check'
import { expect, test } from 'vitest'
import { jsonText, parseJson } from '../../../engine/json/json-text.ts'
import { finish } from '../../../engine/steps.ts'
import type { PipelineFile } from '../../../schemas/http/pipeline/pipeline-file.ts'
import type { JsonObject } from '../../../schemas/json.ts'
import { printFile, printingFile } from './file-printer.ts'
import { parseFile } from './file-text.ts'

const text = fc.string({ unit: 'grapheme' })
const blanks = fc.string({
  unit: fc.constantFrom(...' \n\t\r\u2028#:-\'"|>&*?', 'word', 'a long one '.repeat(12)),
})
const names = fc.oneof(text, blanks, fc.nat().map(String), fc.constant('long '.repeat(300)))

test.each(['yaml', 'json'] as const)('a value that is printed as %s is read as the same value', format => {
  const json = fc.jsonValue({ stringUnit: 'grapheme' })
  const largeInteger = fc.bigInt({ min: 2n ** 53n, max: 2n ** 70n })
  const members = fc.dictionary(text, fc.oneof(json, text, blanks, largeInteger))
  fc.assert(
    fc.property(text, members, (title, config) => {
      // The file has been sent once like all others: without a minus for zero, and with bigint for large integers.
      const file = parseJson(jsonText({ title, config: config as JsonObject }))
      const { value, problems } = parseFile(printFile(file as unknown as PipelineFile, format), format)
      expect(problems).toEqual([])
      expect(value).toEqual(file)
    }),
    { numRuns: 500 },
  )
})

test.each(['yaml', 'json'] as const)('the text of a file as %s does not depend on its pieces', format => {
  const { value } = fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      blanks,
      fc.constantFrom(null, true, 7),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value')),
    object: fc.dictionary(names, tie('value')),
  }))
  fc.assert(
    fc.property(fc.dictionary(names, value), fc.integer({ min: 1, max: 100 }), (members, atOnce) => {
      const file = members as unknown as PipelineFile
      expect(finish(printingFile(file, format, atOnce))).toBe(finish(printingFile(file, format, Infinity)))
    }),
    { numRuns: 500 },
  )
})

test.each(['yaml', 'json'] as const)(
  'a long file is printed as %s in steps of two thousand values at most',
  format => {
    const node = { name: 'n', type: 'drop', config: { a: Array(100).fill('text'), b: { c: 'd' } } }
    const steps = printingFile({ processors: Array(1_000).fill(node) } as unknown as PipelineFile, format)
    let count = 0
    while (!steps.next().done) count++
    expect(count).toBeGreaterThan(500)
  },
)
