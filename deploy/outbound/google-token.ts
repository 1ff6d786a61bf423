import { sign } from 'node:crypto'
import type { ServiceAccount } from '../../engine/outbound/http-exchange.ts'
import { MINUTE_MS, SECOND_MS } from '../../engine/times/duration.ts'

/** Google accepts at most an hour. A token is sent once, so it need not live as long. */
const VALID_MS = 10 * MINUTE_MS

/**
 * Token that a service account signs for itself (JSON Web Token, RS256). Services of Google accept it without another token
 * from a server.
 *
 * @param nowMs present time, UNIX ms
 * @throws Error for a text that is not a private key
 */
export function selfSignedToken(
  { email, keyId, privateKey, audience }: ServiceAccount,
  nowMs: number,
): string {
  const head = { alg: 'RS256', typ: 'JWT', ...(keyId !== undefined && { kid: keyId }) }
  const issuedS = Math.floor(nowMs / SECOND_MS)
  const claims = {
    ...{ iss: email, sub: email, aud: audience },
    ...{ iat: issuedS, exp: issuedS + VALID_MS / SECOND_MS },
  }
  const signed = [head, claims].map(part => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${signed}.${sign('RSA-SHA256', Buffer.from(signed), privateKey).toString('base64url')}`
}
