import { generateKeyPairSync, verify } from 'node:crypto'
import { expect, test } from 'vitest'
import { selfSignedToken } from './google-token.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ACCOUNT = {
  email: 'weir@example.iam.gserviceaccount.com',
  keyId: 'key-1',
  privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
  audience: 'https://pubsub.googleapis.com/',
}
const AT_MS = Date.UTC(2031, 2, 9, 8, 15, 30, 250)

test('a token names the account and the service, ends after ten minutes and has the signature of the key', () => {
  const [head = '', claims = '', signature = ''] = selfSignedToken(ACCOUNT, AT_MS).split('.')
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  expect(read(head)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
  expect(read(claims)).toEqual({
    ...{ iss: ACCOUNT.email, sub: ACCOUNT.email, aud: ACCOUNT.audience },
    ...{ iat: 1_930_810_530, exp: 1_930_811_130 },
  })
  const signed = Buffer.from(`${head}.${claims}`)
  expect(verify('RSA-SHA256', signed, publicKey, Buffer.from(signature, 'base64url'))).toBe(true)
})

test('a text that is no key makes no token', () => {
  expect(() => selfSignedToken({ ...ACCOUNT, privateKey: 'key' }, AT_MS)).toThrow()
})
