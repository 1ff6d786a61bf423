import type { FastifyRequest } from 'fastify'
import { accessTokens, accountKeys } from '../../engine/configuration/entities.ts'
import type { TokenDescription } from '../../schemas/http/account/token-api.ts'
import { type Envelope, envelope, type Meta } from '../http/envelope.ts'
import { isoTime } from '../http/iso-time.ts'
import type { Ports } from '../ports.ts'
import { accessScopeOf } from './access-scope.ts'
import type { Caller } from './caller.ts'

const CALLER: Meta = { pk: 'subject', type: 'token', links: { self: {} } }

/** Describes a caller's rights, account and credential, and the parts of this process (section 17.1). */
export function callerDescription(
  ports: Ports,
  request: FastifyRequest,
  caller: Caller,
): Envelope<TokenDescription> {
  const { configuration, store, replay, taps, ingest } = ports
  const { id, scope, expiresAtMs } = caller.credential
  const token = configuration.get(accessTokens, id)
  return envelope(CALLER, {
    subject: caller.subjectId,
    type: caller.accessType,
    account: caller.account?.shortId ?? null,
    enterprise: caller.enterpriseId ?? null,
    email: caller.subjectEmail ?? null,
    role: caller.role,
    token_id: token === undefined ? null : id,
    name: (token ?? configuration.get(accountKeys, id))?.value.name ?? null,
    scope,
    expires_at: expiresAtMs === null ? null : isoTime(expiresAtMs),
    limited: accessScopeOf(configuration, caller) !== undefined,
    ingest_url: ingestUrl(ports, request),
    features: {
      store: store !== undefined,
      engine: replay.pin !== undefined,
      taps: taps !== undefined,
      ingest: ingest !== undefined,
    },
  })
}

/** The host that the operator names for senders, else the address of the request, if its process accepts lines. */
function ingestUrl(
  { settings, ingest }: Ports,
  { protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>,
): string | null {
  const { ingestHost } = settings
  if (ingestHost !== undefined) return `${protocol}://${ingestHost}`
  return ingest === undefined ? null : `${protocol}://${host}`
}
