import { expect, test } from 'vitest'
import { keptAnswer, withoutEchoes } from './echoed-secrets.ts'

const TOKEN = 'kX9 "v/ü+q=7'

const ECHOES: readonly [string, string][] = [
  ['as it is', TOKEN],
  ['as JSON text', JSON.stringify(TOKEN)],
  ['percent-encoded', encodeURIComponent(TOKEN)],
  ['percent-encoded in lower case', encodeURIComponent(TOKEN).replaceAll(/%../g, code => code.toLowerCase())],
  ['in a form', encodeURIComponent(TOKEN).replaceAll('%20', '+')],
  ...['', 'u', 'us', 'use', 'user:'].flatMap((before): [string, string][] => [
    [`in base64 behind "${before}"`, Buffer.from(`${before}${TOKEN}`).toString('base64')],
    [`in base64url between "${before}" and more`, Buffer.from(`${before}${TOKEN}xyz`).toString('base64url')],
  ]),
]

test.each(ECHOES)('a secret is cut out of an answer that echoes it %s', (_how, echo) => {
  const shown = withoutEchoes(`bad token ${echo} in request`, ['other', TOKEN])
  expect(shown).toContain('[hidden]')
  expect(shown).toMatch(/^bad token .* in request$/)
  for (const piece of ['kX9', 'v/ü', Buffer.from(TOKEN).toString('base64').slice(4, 10)])
    expect(shown).not.toContain(piece)
})

test('credentials, path and query of an address are cut out alone, and its host stays', () => {
  const secret = 'https://me:pass%20word@hooks.example.com/services/T0000AAAA/B1111?key=abcdef&x=1'
  const shown = withoutEchoes('pass word of hooks.example.com: no /T0000AAAA/ for key abcdef', [secret])
  expect(shown).toBe('[hidden] of hooks.example.com: no /[hidden]/ for key [hidden]')
  expect(withoutEchoes(`POST ${secret}`, [secret])).toBe('POST [hidden]')
  expect(withoutEchoes('a/b', ['https://hooks.example.com/'])).toBe('a/b')
})

test('values of a connection string are cut out alone', () => {
  const secret = 'AccountName=abc;AccountKey=c2VjcmV0IGtleQ==;SharedAccessSignature=sv=2021&sig=signature%3D'
  const shown = withoutEchoes('abc 2021 c2VjcmV0IGtleQ== signature%3D signature=', [secret])
  expect(shown).toBe('abc 2021 [hidden] [hidden] [hidden]')
})

test('an empty secret changes nothing, and a short one is cut out all the same', () => {
  expect(withoutEchoes('abc', [''])).toBe('abc')
  expect(withoutEchoes('a pin of 77', ['77'])).toBe('a pin of [hidden]')
})

test('a secret that contains another one is cut out as a whole', () => {
  expect(withoutEchoes('abc-abcdef', ['abc', 'abcdef'])).toBe('[hidden]-[hidden]')
})

test('half of a surrogate pair does not fail', () => {
  expect(withoutEchoes('a\ud800b', ['\ud800'])).toBe('a[hidden]b')
})

test('of an answer its first KiB is kept, without half a character and without half a secret', () => {
  expect(keptAnswer('short', [])).toBe('short')
  expect(keptAnswer(`${'x'.repeat(1_023)}€`, [])).toBe('x'.repeat(1_023))
  expect(keptAnswer(`${'x'.repeat(1_020)}${TOKEN}`, [TOKEN])).toBe(`${'x'.repeat(1_020)}[hid`)
})
