import { expect, test } from 'vitest'
import { isBypassed } from './proxy-bypass.ts'

test.each<[string, string, boolean]>([
  ['a.example.com', 'a.example.com', true],
  ['A.example.com', 'a.EXAMPLE.com', true],
  ['a.example.com.', 'a.example.com', true],
  ['b.a.example.com', 'a.example.com', false],
  ['b.example.com', '.example.com', true],
  ['example.com', '.example.com', true],
  ['badexample.com', '.example.com', false],
  ['10.1.2.3', '10.1.0.0/16', true],
  ['10.2.2.3', '10.1.0.0/16', false],
  ['10.1.2.3', '10.1.2.3', true],
  ['fd00::1', 'fd00::/8', true],
  ['10.1.2.3.example.com', '10.1.0.0/16', false],
  ['anything', '*', true],
  ['anything', ' * ', true],
  ['anything', '', false],
])('%s against %s: %s', (host, entry, isDirect) => {
  expect(isBypassed(host, ['other.example', entry])).toBe(isDirect)
})

test('without entries every host goes through the proxy', () => {
  expect(isBypassed('a.example.com', [])).toBe(false)
})
