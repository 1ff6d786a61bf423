import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { engineError } from '../../engine/store/embedded-server/engine-error.ts'

export interface Login {
  readonly user: string
  /** The password; an empty one means that the user has none. */
  readonly password: string
}

/** @throws the engine's error 516 unless the request comes from this user */
export function assertLogin(headers: IncomingHttpHeaders, login: Login): void {
  // Digests have equal length, so the duration of the comparison reveals nothing.
  if (timingSafeEqual(digestOf(givenLogin(headers)), digestOf(login))) return
  throw engineError(
    516,
    'AUTHENTICATION_FAILED',
    'Authentication failed: password is incorrect, or there is no user with such name.',
  )
}

function givenLogin(headers: IncomingHttpHeaders): Login {
  const [, basic] = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '') ?? []
  if (basic === undefined)
    return {
      user: String(headers['x-clickhouse-user'] ?? 'default'),
      password: String(headers['x-clickhouse-key'] ?? ''),
    }
  const text = Buffer.from(basic, 'base64').toString()
  const end = text.indexOf(':')
  return end < 0 ? { user: text, password: '' } : { user: text.slice(0, end), password: text.slice(end + 1) }
}

function digestOf({ user, password }: Login): Buffer {
  return createHash('sha256')
    .update(JSON.stringify([user, password]))
    .digest()
}
