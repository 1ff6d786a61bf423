import { generateKeyPairSync } from 'node:crypto'

/** Text of the key file of a service account whose key no other run has. */
export function serviceAccountKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  return JSON.stringify({
    type: 'service_account',
    client_email: 'weir@example.iam.gserviceaccount.com',
    private_key_id: 'key-1',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    token_uri: 'https://elsewhere.example.com/token',
  })
}
