import type { Right } from './right.ts'

/** Who a request comes from, after authentication. */
export interface Caller {
  readonly subjectId: string
  readonly credential: CallerCredential
  readonly accessType: 'user' | 'service' | 'enterprise' | 'servicekey' | 'ingestion'
  /** 'ingest' can send lines and nothing else. */
  readonly role: Right
  /** Only users have one. */
  readonly subjectEmail?: string
  /** Account in whose context the request runs; absent for an enterprise token without delegation. */
  readonly account?: CallerAccount
  readonly enterpriseId?: string
  readonly delegated: boolean
}

/** What the caller showed. */
export interface CallerCredential {
  /** Key of the access token or of the key; one subject may have several. */
  readonly id: string
  /** What a token was narrowed to; null: it may all that its subject may. */
  readonly scope: Right | null
  /** UNIX ms; null: it has no end. */
  readonly expiresAtMs: number | null
}

export interface CallerAccount {
  /** Ten hexadecimal digits; what partitions, rows and headers use. */
  readonly shortId: string
  /** UUID. */
  readonly id: string
  readonly retentionDays: number
  readonly ingestionSuspended: boolean
}

/** Credentials of an ingestion request in the order in which they are looked at. */
export interface IngestCredentials {
  readonly apikeyHeader?: string
  readonly authorization?: string
  readonly queryApikey?: string
  /** Only asked for when no other carrier is there. */
  readonly bodyApikey?: string
  readonly delegateAccountId?: string
}

export type Authentication = { readonly caller: Caller } | { readonly failure: AuthenticationFailure }

export interface AuthenticationFailure {
  readonly status: 401 | 403
  readonly message: string
  /** Who it is, when the credential is valid and only the account that it wants to act for is not its own. */
  readonly caller?: Caller
}

/** Looks up credentials in constant time; backed by the fold of the configuration log. */
export interface Authenticator {
  /** For ingestion: ingestion keys, and access tokens with ingest rights. */
  ingest(credentials: IngestCredentials): Authentication
}
