import { expect, test } from 'vitest'
import { authorizationOf, targetOf } from './http-headers.ts'

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` })

test.each([
  [{ strategy: 'none' }, {}],
  [undefined, {}],
  [{ strategy: 'basic', user: 'ü', password: 'a:b' }, basic('ü:a:b')],
  [{ strategy: 'basic', user: 'u', password: 'p', token: '' }, basic('u:p')],
  [{ strategy: 'bearer', token: 't' }, { authorization: 'Bearer t' }],
  [{ strategy: 'aws' }, {}],
])('credentials %j are sent as %j', (auth, headers) => {
  expect(authorizationOf(auth)).toEqual(headers)
})

test.each([
  ['https://a.example', '', 'https://a.example/'],
  ['https://a.example/in?a=b#c', '', 'https://a.example/in?a=b'],
  ['https://a.example', 'push', 'https://a.example/push'],
  ['https://a.example/base/', '/push/x', 'https://a.example/base/push/x'],
  ['https://a.example/base?a=b', 'push', 'https://a.example/base/push?a=b'],
  ['https://a.example/base?a=b', 'push?c=d', 'https://a.example/base/push?c=d'],
])('%s with the path %j is %s', (address, path, url) => {
  expect(targetOf(address, path)).toEqual({ url, headers: {} })
})

test('user and password of an address become a header', () => {
  expect(targetOf('https://me:p%40ss%@a.example/in')).toEqual({
    url: 'https://a.example/in',
    headers: basic('me:p%40ss%'),
  })
  expect(targetOf('https://me:p%40ss@a.example/')).toMatchObject({ headers: basic('me:p@ss') })
  expect(targetOf('https://:key@a.example/')).toMatchObject({ headers: basic(':key') })
})
