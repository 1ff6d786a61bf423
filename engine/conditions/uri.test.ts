import { expect, test } from 'vitest'
import { uriProblems } from './uri.ts'

test.each([
  'https://example.com',
  'http://example.com:8080/a/b?c=d',
  'HTTPS://EXAMPLE.COM',
  'http://[::1]:3100',
  'http://127.0.0.1',
])('%s is an address', text => {
  expect(uriProblems('/endpoint', text)).toEqual([])
})

test.each([
  'not a valid url',
  'example.com',
  'localhost:8080',
  '//example.com',
  'https:example.com',
  'ftp://example.com',
  'http://',
  'http://exa mple.com',
  ' http://example.com',
  'http://example.com\n',
  'http://example.com:99999',
])('%j is not an address', text => {
  expect(uriProblems('/endpoint', text)).toEqual([
    { instancePath: '/endpoint', message: expect.stringContaining('Must be a valid URI') },
  ])
})

test('a value that the schema refuses is not refused twice', () => {
  expect(['', 5, null, undefined, {}].flatMap(value => uriProblems('/endpoint', value))).toEqual([])
})
