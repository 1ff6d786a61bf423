import { expect, test } from 'vitest'
import { azureSignatureHeaders, signedText } from './azure-signature.ts'

test('the published example of a signed text', () => {
  const request = {
    method: 'GET',
    url: 'https://myaccount.blob.core.windows.net/mycontainer?restype=container&comp=metadata&timeout=20',
    headers: { 'x-ms-version': '2015-02-21', 'x-ms-date': 'Fri, 26 Jun 2015 23:39:12 GMT' },
    body: Buffer.alloc(0),
  }
  expect(signedText(request, 'myaccount')).toBe(
    'GET\n\n\n\n\n\n\n\n\n\n\n\nx-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n' +
      '/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20',
  )
})

test('a body counts by its length, and another part gives another signature', () => {
  const request = {
    ...{ method: 'PUT', url: 'https://a.example/c/x%20y', body: Buffer.from('four') },
    headers: { 'content-type': 'text/plain', 'x-ms-blob-type': 'BlockBlob', accept: '*/*' },
  }
  expect(signedText(request, 'a')).toBe(
    'PUT\n\n\n4\n\ntext/plain\n\n\n\n\n\n\nx-ms-blob-type:BlockBlob\n/a/c/x%20y',
  )
  const signature = (changed: Partial<typeof request>, key = 'a2V5', atMs = 0) =>
    azureSignatureHeaders({ ...request, ...changed }, { account: 'a', key }, atMs).authorization
  expect(signature({})).toMatch(/^SharedKey a:[A-Za-z0-9+/]{43}=$/)
  const all = [
    ...[
      signature({}),
      signature({ url: 'https://a.example/c/z' }),
      signature({ body: Buffer.from('fives') }),
    ],
    ...[signature({ headers: { ...request.headers, 'content-type': 'a/b' } }), signature({ method: 'POST' })],
    ...[signature({}, 'b3RoZXI='), signature({}, 'a2V5', 1_000)],
  ]
  expect(new Set(all).size).toBe(all.length)
})
