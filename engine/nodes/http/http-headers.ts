import { type Problem, pointerTo } from '../../event/problem.ts'

/** Such characters would begin another header, or end all of them. */
const LINE_BREAK = /[\r\n\0]/
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
/** Every other character cannot be part of a header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Headers of the connection, which the client writes by itself or never. */
const OF_CONNECTION: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'upgrade', 'expect', 'te'],
  ...['trailer', 'content-length'],
])

/** Finds a text that would break the headers of a request, when options are saved. */
export function headerTextProblems(instancePath: string, value: unknown): Problem[] {
  if (typeof value !== 'string' || !LINE_BREAK.test(value)) return []
  return [{ instancePath, message: 'must NOT contain line breaks or NUL: it becomes part of a header' }]
}

/** Finds names of headers that cannot be sent, when a pipeline is published. */
export function headerNameProblems(instancePath: string, name: string): Problem[] {
  if (!TOKEN.test(name)) return [{ instancePath, message: 'must be the name of a header' }]
  if (!OF_CONNECTION.has(name.toLowerCase())) return []
  return [{ instancePath, message: `must NOT be "${name.toLowerCase()}", which belongs to the connection` }]
}

/** Finds values that cannot be part of a header, when a pipeline is published. */
export function headerValueProblems(instancePath: string, value: string): Problem[] {
  if (VALUE.test(value)) return []
  return [{ instancePath, message: 'must consist of Latin-1 characters: it becomes part of a header' }]
}

/** Credentials of an option `auth`. */
export interface HttpCredentials {
  readonly strategy: string
  readonly user?: string
  readonly password?: string
  readonly token?: string
}

/** Header `authorization` of credentials, by its name; empty for a strategy that sends none. */
export function authorizationOf(auth: HttpCredentials | undefined): Readonly<Record<string, string>> {
  if (auth?.strategy === 'basic') return basicAuthorization(auth.user ?? '', auth.password ?? '')
  return auth?.strategy === 'bearer' ? { authorization: `Bearer ${auth.token ?? ''}` } : {}
}

function basicAuthorization(user: string, password: string): Readonly<Record<string, string>> {
  return { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` }
}

/** Address of a request. */
export interface HttpTarget {
  /** The address without user, password and fragment. */
  readonly url: string
  /** Header `authorization` of the user and password in the address. */
  readonly headers: Readonly<Record<string, string>>
}

/**
 * @param address absolute address, as users write it
 * @param path is added behind that of the address; its query replaces that of the address
 */
export function targetOf(address: string, path = ''): HttpTarget {
  const url = new URL(address)
  const { username, password } = url
  url.username = ''
  url.password = ''
  url.hash = ''
  const [added = '', query] = path.split('?', 2)
  if (added !== '') url.pathname = `${url.pathname.replace(/\/+$/, '')}/${added.replace(/^\/+/, '')}`
  if (query !== undefined) url.search = query
  const hasUser = username !== '' || password !== ''
  return { url: url.href, headers: hasUser ? basicAuthorization(decoded(username), decoded(password)) : {} }
}

/** A text with a lone `%` is taken as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Finds credentials that cannot be part of a header, when options are saved. */
export function credentialTextProblems(auth: unknown): Problem[] {
  const { token } = (auth ?? {}) as { readonly token?: unknown }
  return headerTextProblems(pointerTo('/auth', 'token'), token)
}
