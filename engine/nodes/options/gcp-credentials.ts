import { createPrivateKey } from 'node:crypto'
import { isJsonObject, type JsonObject } from '../../../schemas/json.ts'
import type { Problem } from '../../event/problem.ts'
import type { ServiceAccount } from '../../outbound/http-exchange.ts'
import { Secret } from '../contract/secret.ts'

export const credentialsJson = Secret({
  minLength: 1,
  description: 'Key file of a service account, as JSON text',
})

export function credentialsProblems({ credentials_json: text }: JsonObject): Problem[] {
  if (typeof text !== 'string' || text === '' || objectIn(text) !== undefined) return []
  return [{ instancePath: '/credentials_json', message: 'must be the text of a JSON object' }]
}

/**
 * Finds credentials that cannot sign requests, when a pipeline is published. Other kinds of credentials name files, programs or
 * addresses of the host, so only the key of a service account is accepted.
 */
export function serviceAccountProblems({ credentials_json: text }: JsonObject): Problem[] {
  const { type, client_email: email, private_key: key } = objectIn(String(text)) ?? {}
  const isComplete = type === 'service_account' && typeof email === 'string' && email !== ''
  if (isComplete && typeof key === 'string' && isRsaKey(key)) return []
  const message = 'must be the key file of a service account, with client_email and an RSA key in private_key'
  return [{ instancePath: '/credentials_json', message }]
}

/**
 * The account of credentials without problems. Addresses in the credentials are not used.
 *
 * @param host of the service that requests go to
 */
export function serviceAccountOf(text: string, host: string): ServiceAccount {
  const { client_email: email, private_key: key, private_key_id: keyId } = objectIn(text) ?? {}
  return {
    email: String(email),
    ...(typeof keyId === 'string' && { keyId }),
    privateKey: String(key),
    audience: `https://${host}/`,
  }
}

function objectIn(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRsaKey(text: string): boolean {
  try {
    return createPrivateKey(text).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
