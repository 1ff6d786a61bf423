import { expect, test } from 'vitest'
import { signatureHeaders } from './aws-signature.ts'

/** Access key and time of the published test vectors of version 4. */
const KEY = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  ...{ region: 'us-east-1', service: 'service' },
}
const AT_MS = Date.parse('2015-08-30T12:36:00Z')

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

test.each<
  [vector: string, method: string, path: string, headers: Record<string, string>, body: string, string]
>([
  ['get-vanilla', 'GET', '/', {}, '', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', 'POST', '/', {}, '', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-key-case',
    ...(['GET', '/?Param2=value2&Param1=value1', {}, ''] as const),
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'post-x-www-form-urlencoded',
    ...(['POST', '/', FORM, 'Param1=value1'] as const),
    'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
  ],
])('the published vector %s', (_vector, method, path, headers, body, signature) => {
  const request = { method, url: `https://example.amazonaws.com${path}`, headers, body: Buffer.from(body) }
  const names = Object.keys(headers).length === 0 ? 'host;x-amz-date' : 'content-type;host;x-amz-date'
  expect(signatureHeaders(request, KEY, AT_MS)).toEqual({
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=${names}, Signature=${signature}`,
  })
})

test('another body, path, query, time or key gives another signature', () => {
  const request = { method: 'POST', url: 'https://a.example/x?b=c', headers: {}, body: Buffer.from('d') }
  const signature = (changed: Partial<typeof request>, key = KEY, atMs = AT_MS) =>
    /Signature=(.*)$/.exec(
      signatureHeaders({ ...request, ...changed }, key, atMs).authorization as string,
    )?.[1]
  const all = [
    signature({}),
    ...[signature({ body: Buffer.from('e') }), signature({ url: 'https://a.example/y?b=c' })],
    ...[signature({ url: 'https://a.example/x?b=d' }), signature({ url: 'https://b.example/x?b=c' })],
    ...[signature({}, { ...KEY, region: 'eu-west-1' }), signature({}, KEY, AT_MS + 1_000)],
  ]
  expect(new Set(all).size).toBe(all.length)
})

/** Access key of the published examples of S3. */
const OBJECT_KEY = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  ...{ region: 'us-east-1', service: 's3' },
}

test.each<[example: string, query: string, signature: string]>([
  ['lifecycle', '?lifecycle', 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
  ['list', '?max-keys=2&prefix=J', '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
])('the published example of S3: %s', (_example, query, signature) => {
  const url = `https://examplebucket.s3.amazonaws.com/${query}`
  const request = { method: 'GET', url, headers: {}, body: Buffer.alloc(0) }
  const { authorization, ...others } = signatureHeaders(request, OBJECT_KEY, Date.parse('2013-05-24T00:00Z'))
  expect(authorization).toMatch(
    new RegExp(`SignedHeaders=host;x-amz-content-sha256;x-amz-date, Signature=${signature}$`),
  )
  expect(others).toEqual({
    'x-amz-date': '20130524T000000Z',
    'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'content-md5': '1B2M2Y8AsgTpgAmY7PhCfg==',
  })
})

test('headers of Amazon are signed', () => {
  const url = 'https://a.example/x'
  const authorizationWith = (headers: Record<string, string>) =>
    signatureHeaders({ method: 'PUT', url, headers, body: Buffer.alloc(0) }, OBJECT_KEY, AT_MS).authorization
  const [one, other] = ['a=b', 'a=c'].map(tags => authorizationWith({ 'x-amz-tagging': tags, accept: '*/*' }))
  expect(one).toContain('SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-tagging,')
  expect(one).not.toBe(other)
})
