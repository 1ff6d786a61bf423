import type { SentSession } from './session.ts'

/** A credential as a request carries it, before it is checked. */
export type Presented =
  | { readonly kind: 'token'; readonly secret: string }
  /** A key; or, from Basic, perhaps an access token in its place. */
  | { readonly kind: 'key'; readonly secret: string; readonly mayBeToken: boolean }
  /** A carrier is present, but in an unknown form. */
  | { readonly kind: 'unreadable' }

/** Only the older API of enterprises accepts their service keys, and ingestion never accepts a session. */
export type PresentedToApi =
  | Presented
  | { readonly kind: 'enterpriseKey'; readonly secret: string }
  | ({ readonly kind: 'session' } & SentSession)

export interface ApiCarriers {
  readonly authorization?: string | undefined
  readonly servicekeyHeader?: string | undefined
  readonly apikeyHeader?: string | undefined
  readonly servicekeyQuery?: string | undefined
  readonly enterpriseServicekeyHeader?: string | undefined
  /** Session of the console: browsers send it with every request, so each other carrier comes first. */
  readonly session?: SentSession | undefined
}

/**
 * The first present credential, in the order of the configuration and account API, section 2.1. It decides, even if
 * another one would have been valid.
 *
 * @param isEnterpriseApi there the header servicekey names an account, in addition to the enterprise's credential
 */
export function presentedTo(carriers: ApiCarriers, isEnterpriseApi: boolean): PresentedToApi | undefined {
  const { authorization, servicekeyHeader, apikeyHeader, servicekeyQuery } = carriers
  const { enterpriseServicekeyHeader: secret, session } = carriers
  const ofEnterprise = isThere(secret) ? ({ kind: 'enterpriseKey', secret } as const) : undefined
  if (isThere(authorization)) return ofAuthorization(authorization, ({ user }) => user)
  if (isEnterpriseApi && ofEnterprise !== undefined) return ofEnterprise
  for (const secret of [servicekeyHeader, apikeyHeader, servicekeyQuery]) {
    if (isThere(secret)) return { kind: 'key', secret, mayBeToken: false }
  }
  return ofEnterprise ?? (session && { kind: 'session', ...session })
}

export interface IngestCarriers {
  readonly apikeyHeader?: string | undefined
  readonly authorization?: string | undefined
  readonly queryApikey?: string | undefined
  readonly bodyApikey?: string | undefined
}

/** Credential presented to ingestion, which has another order of carriers (ingestion, section 1.2). */
export function presentedToIngestion(carriers: IngestCarriers): Presented | undefined {
  const { apikeyHeader, authorization, queryApikey, bodyApikey } = carriers
  if (isThere(apikeyHeader)) return { kind: 'key', secret: apikeyHeader, mayBeToken: false }
  if (isThere(authorization)) {
    // One client sends the key as password, the others as user name.
    return ofAuthorization(authorization, ({ user, password }) => password || user)
  }
  for (const secret of [queryApikey, bodyApikey]) {
    if (isThere(secret)) return { kind: 'key', secret, mayBeToken: false }
  }
  return undefined
}

function ofAuthorization(
  header: string,
  keyOf: (basic: { user: string; password: string }) => string,
): Presented {
  const [, scheme = '', value = ''] = /^\s*([A-Za-z]+)\s+(\S.*?)\s*$/.exec(header) ?? []
  switch (scheme.toLowerCase()) {
    case 'token':
    case 'bearer':
      return { kind: 'token', secret: value }
    case 'basic':
      return { kind: 'key', secret: keyOf(basicOf(value)), mayBeToken: true }
    default:
      return { kind: 'unreadable' }
  }
}

function basicOf(encoded: string): { user: string; password: string } {
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0
    ? { user: text, password: '' }
    : { user: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Whether a header has a value. */
export function isThere(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== ''
}
