import { expect, test } from 'vitest'
import { percentEncoded } from './percent-encoded.ts'

test.each([
  ["a-._~ 7/b+c'()*!&=?#%", 'a-._~%207%2Fb%2Bc%27%28%29%2A%21%26%3D%3F%23%25'],
  ['ä€😀\n\0', '%C3%A4%E2%82%AC%F0%9F%98%80%0A%00'],
  ['half \ud83d', 'half%20%EF%BF%BD'],
])('%j is %s in an address', (text, encoded) => {
  expect(percentEncoded(text)).toBe(encoded)
})
