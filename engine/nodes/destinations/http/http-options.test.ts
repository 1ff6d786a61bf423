import { expect, test } from 'vitest'
import type { JsonObject, JsonValue } from '../../../../schemas/json.ts'
import { httpPublishProblems } from './http-options.ts'

const found = (advanced: JsonObject, headers: JsonValue = []) =>
  httpPublishProblems({
    uri: 'https://a.example',
    encoding: 'json',
    advanced_options: advanced,
    headers,
  }).map(({ instancePath, message }) => `${instancePath} ${message}`)

test.each(['get', 'head', 'options', 'trace'])('requests by %s have no body: it is not published', method => {
  expect(found({ method })).toEqual(['/advanced_options/method must be a method whose requests have a body'])
})

test.each(['post', 'put', 'patch', 'delete'])('requests by %s have a body', method => {
  expect(found({ method })).toEqual([])
})

test.each([600, 601])('a time-out of %i seconds', seconds => {
  const problems = seconds > 600 ? ['/advanced_options/timeout_secs must be <= 600'] : []
  expect(found({ timeout_secs: seconds })).toEqual(problems)
})

test.each([
  ['{"rows":', '}', true],
  [' [1, ', ']', true],
  ['{"rows":', '', false],
  ['{rows:', '}', false],
  ['{"rows":', '}}', false],
])('prefix %j and suffix %j with a list between them: published %s', (prefix, suffix, isJson) => {
  const problems = found({ payload_prefix: prefix, payload_suffix: suffix })
  expect(problems).toEqual(
    isJson ? [] : ['/advanced_options/payload_prefix must be JSON together with a list and payload_suffix'],
  )
})

test('a header that cannot be sent is found at its field', () => {
  const headers = [
    { header_name: 'x-a', header_value: 'grüße' },
    { header_name: 'x a', header_value: '€' },
    { header_name: 'Transfer-Encoding', header_value: 'chunked' },
    { header_name: 'Content-Length', header_value: '5' },
  ]
  expect(found({}, headers)).toEqual([
    '/headers/1/header_name must be the name of a header',
    '/headers/1/header_value must consist of Latin-1 characters: it becomes part of a header',
    '/headers/2/header_name must NOT be "transfer-encoding", which belongs to the connection',
    '/headers/3/header_name must NOT be "content-length", which belongs to the connection',
  ])
})

test('a proxy that is used needs an address', () => {
  expect(found({ proxy: { enabled: true } })).toEqual([
    "/advanced_options/proxy must have required property 'endpoint'",
  ])
  expect(found({ proxy: { enabled: true, endpoint: 'proxy:3128' } })).toEqual([
    '/advanced_options/proxy/endpoint Must be a valid URI that begins with http:// or https://',
  ])
  expect(found({ proxy: { enabled: false } })).toEqual([])
})
