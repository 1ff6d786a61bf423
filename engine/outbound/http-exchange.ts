import type { OutboundErrorCode } from './outbound-error.ts'

/** Header that lists the log ids of the installations that a request came through, separated by commas. */
export const PATH_HEADER = 'x-weir-path'

/** Request to an address that a user named. */
export interface HttpRequest {
  /** The method, in upper case. */
  readonly method: string
  /** Absolute address, `http` or `https`, without user and password. */
  readonly url: string
  /** Further addresses that serve as well: the sender uses all of them in turn, and lets one that fails rest. */
  readonly otherUrls?: readonly string[]
  /** Names in lower case. Length, host and path of the request are added. */
  readonly headers: Readonly<Record<string, string>>
  /** Headers with which the sender repeats the request once, at once, if the answer is status 409. Absent: it does not. */
  readonly headersAfterConflict?: Readonly<Record<string, string>>
  /** The body before compression. */
  readonly body: Buffer
  /** Compression of the body while it is sent; its header is one of `headers`. Default: none. */
  readonly compression?: Compression
  readonly connection?: HttpConnection
  /** Account whose connections carry the request: it never waits for requests of another. Absent: the installation. */
  readonly owner?: string
  /** Key with which the sender signs the request (AWS signature, version 4); absent: it is not signed. */
  readonly signature?: AwsSignature
  /** Key of Azure Storage with which the sender signs the request; absent: it is not signed so. */
  readonly azureKey?: AzureKey
  /** Account of Google whose token the sender adds to the headers; absent: none. */
  readonly serviceAccount?: ServiceAccount
}

/** Access key of Amazon, and the place that it signs for. */
export interface AwsSignature {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly region: string
  readonly service: string
}

/** Key of an account of Azure Storage. */
export interface AzureKey {
  readonly account: string
  /** The key, in base64. */
  readonly key: string
}

/** Service account of Google, and the service that it signs for. */
export interface ServiceAccount {
  readonly email: string
  /** Id of the key at Google. */
  readonly keyId?: string
  /** The key, in PEM. */
  readonly privateKey: string
  /** Address of the service, which ends in a slash. */
  readonly audience: string
}

export type Compression = 'gzip' | 'snappy'

/** Connection of a request. */
export interface HttpConnection {
  /** Time for a request and its complete answer, in ms. Default: 60 s. */
  readonly timeoutMs?: number
  /** False: a certificate is accepted unseen. Default true. */
  readonly verifiesCertificate?: boolean
  /** Protocols that are offered to the server (ALPN), the preferred one first. Default: `http/1.1`. */
  readonly protocols?: readonly string[]
  readonly proxy?: HttpProxy
  /** Maximum length of the kept part of an answer, in bytes. Default: 64 KiB. */
  readonly answerBytes?: number
}

/** Proxy between this installation and a server, which connects to the server by CONNECT. */
export interface HttpProxy {
  /** Absolute address, `http` or `https`; its user and password are sent to the proxy. */
  readonly endpoint: string
  /** Hosts that are reached directly: names, `.suffixes`, address blocks, or `*` for all. */
  readonly bypass: readonly string[]
}

/** Complete answer of a server. */
export interface HttpAnswer {
  readonly status: number
  /** Names in lower case. Several values of one name are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** Text of the body, up to the length that was asked for. */
  readonly body: string
}

/** Request without a complete answer: the server may have processed it. */
export interface HttpFailure {
  readonly failure: OutboundErrorCode
}

export type HttpOutcome = HttpAnswer | HttpFailure
