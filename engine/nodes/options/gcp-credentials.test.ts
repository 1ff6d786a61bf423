import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { serviceAccountKey } from '../../../test/support/receivers/google-account.ts'
import { serviceAccountOf, serviceAccountProblems } from './gcp-credentials.ts'

const KEY_FILE = JSON.parse(serviceAccountKey())

const found = (change: object) =>
  serviceAccountProblems({ credentials_json: JSON.stringify({ ...KEY_FILE, ...change }) }).map(
    ({ instancePath }) => instancePath,
  )

test('the key file of a service account can be published', () => {
  expect(found({})).toEqual([])
})

test.each([
  { type: undefined },
  { type: 'external_account' },
  { type: 'authorized_user' },
  { client_email: undefined },
  { client_email: '' },
  { private_key: undefined },
  { private_key: 'key' },
  { private_key: { path: '/etc/key.pem' } },
  {
    private_key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      type: 'pkcs8',
      format: 'pem',
    }),
  },
])('other credentials are kept, and cannot be published: %#', change => {
  expect(found(change)).toEqual(['/credentials_json'])
})

test('addresses in a key file are not used', () => {
  const account = serviceAccountOf(JSON.stringify(KEY_FILE), 'pubsub.googleapis.com')
  expect(account).toEqual({
    email: 'weir@example.iam.gserviceaccount.com',
    keyId: 'key-1',
    privateKey: KEY_FILE.private_key,
    audience: 'https://pubsub.googleapis.com/',
  })
})
