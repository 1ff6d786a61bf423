import { expect, test } from 'vitest'
import { builtCodec, committedCodec } from '../support/codec-build.ts'

test('the committed codec is the one of its source: npm run build:codec', async () => {
  expect(committedCodec() === (await builtCodec())).toBe(true)
})
