import type { Right } from './right.ts'

/** The author of a request, after authentication. */
export interface Caller {
  readonly subjectId: string
  readonly credential: CallerCredential
  readonly accessType: 'user' | 'service' | 'enterprise' | 'servicekey' | 'ingestion'
  /** 'ingest' can send lines and nothing else. */
  readonly role: Right
  /** Address of the user; absent for other subjects. */
  readonly subjectEmail?: string
  /** Account in whose context the request runs; absent for an enterprise token without delegation. */
  readonly account?: CallerAccount
  readonly enterpriseId?: string
  readonly delegated: boolean
  /** Whether the request carries its credential as a session of the console. */
  readonly isSession?: true
}

/** Credential that the caller presented. */
export interface CallerCredential {
  /** Key of the access token or of the key; one subject may have several. */
  readonly id: string
  /** Scope to which a token was narrowed; null: not narrowed, all rights of its subject. */
  readonly scope: Right | null
  /** UNIX ms; null: it has no end. */
  readonly expiresAtMs: number | null
}

export interface CallerAccount {
  /** Ten hexadecimal digits, used by partitions, rows and headers. */
  readonly shortId: string
  /** UUID. */
  readonly id: string
  readonly retentionDays: number
  readonly ingestionSuspended: boolean
}

/** Credentials of an ingestion request, in the order in which they are used. */
export interface IngestCredentials {
  readonly apikeyHeader?: string
  readonly authorization?: string
  readonly queryApikey?: string
  /** Key in the body; read only if there is no other carrier. */
  readonly bodyApikey?: string
  readonly delegateAccountId?: string
}

export type Authentication = { readonly caller: Caller } | { readonly failure: AuthenticationFailure }

export interface AuthenticationFailure {
  readonly status: 401 | 403
  readonly message: string
  /** The caller, if the credential is valid and only the requested account does not belong to it. */
  readonly caller?: Caller
}

/** Looks up credentials in constant time; backed by the fold of the configuration log. */
export interface Authenticator {
  /** Authenticates ingestion: by ingestion keys, and by access tokens with the right to ingest. */
  ingest(credentials: IngestCredentials): Authentication
}
