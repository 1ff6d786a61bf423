import { BackOff } from '../../engine/clock/back-off.ts'
import type { Problem } from '../../engine/event/problem.ts'
import { parseExactJson } from '../../engine/json/exact-json.ts'
import { jsonText } from '../../engine/json/json-text.ts'
import type { JsonValue } from '../../schemas/json.ts'
import { CommandError, EXIT } from './command-error.ts'
import type { Address } from './connection.ts'
import type { World } from './world.ts'

const CONNECT_ATTEMPTS = 3
const CONNECT_PAUSES = { firstMs: 150, longestMs: 300 }
const TIMEOUT_MS = 120_000
/** A tap lasts at most five minutes. */
const STREAM_TIMEOUT_MS = 330_000
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Parameters whose value is undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>
  readonly body?: JsonValue
  readonly headers?: Readonly<Record<string, string>>
  /** Time for the whole answer. Default: two minutes. */
  readonly timeoutMs?: number
  /** Receives the headers of an answer of 2xx. */
  readonly onHeaders?: (headers: Headers) => void
}

/** An answer other than 2xx, with the message of the service. */
export class ApiRefusal extends CommandError {
  readonly status: number
  readonly code: string
  /** Problems that the service found in the body of the request. */
  readonly problems: readonly Problem[]

  constructor(status: number, code: string, sentence: string, problems: readonly Problem[] = []) {
    super(exitCodeOf(status), sentence)
    this.status = status
    this.code = code
    this.problems = problems
  }
}

export interface ApiClient {
  /**
   * The answer as JSON. Integers beyond 2^53 become bigint, so that records are printed with all their digits.
   *
   * @throws ApiRefusal on any status other than 2xx
   * @throws CommandError without an answer, or for one that is not JSON
   */
  json(path: string, request?: ApiRequest): Promise<JsonValue>
  /** Lines of an answer of text, each as soon as it arrives. @throws like `json` */
  textLines(path: string, request?: ApiRequest): AsyncIterable<string>
  /** An answer of JSON lines, each as soon as it arrives. @throws like `json` */
  jsonLines(path: string, request?: ApiRequest): AsyncIterable<JsonValue>
  /** Messages of an answer of server-sent events, each as soon as it arrives. @throws like `json` */
  serverSentEvents(path: string, request?: ApiRequest): AsyncIterable<JsonValue>
}

export function apiClient(address: Address, world: World): ApiClient {
  return {
    json: async (path, request = {}) => {
      const response = await answer(address, path, request, world)
      const text = await bodyText(response, address, world)
      if (!response.ok) throw refusal(response.status, text, address, response.headers.get('retry-after'))
      request.onHeaders?.(response.headers)
      try {
        return parseExactJson(text)
      } catch (cause) {
        throw new CommandError(
          EXIT.unreachable,
          `${address.url}${path} did not answer with JSON: is a Weir server there? Check WEIR_URL.`,
          { cause },
        )
      }
    },

    async *textLines(path, request = {}) {
      for await (const line of linesOf(address, path, request, world)) if (line !== '') yield line
    },

    async *jsonLines(path, request = {}) {
      for await (const line of linesOf(address, path, request, world))
        if (line !== '') yield parseExactJson(line)
    },

    async *serverSentEvents(path, request = {}) {
      for await (const line of linesOf(address, path, { timeoutMs: STREAM_TIMEOUT_MS, ...request }, world))
        if (line.startsWith('data: ')) yield parseExactJson(line.slice('data: '.length))
    },
  }
}

async function* linesOf(
  address: Address,
  path: string,
  request: ApiRequest,
  world: World,
): AsyncGenerator<string> {
  const response = await answer(address, path, request, world)
  if (!response.ok) {
    const body = await bodyText(response, address, world)
    throw refusal(response.status, body, address, response.headers.get('retry-after'))
  }
  try {
    const text = response.body?.pipeThrough(new TextDecoderStream()) ?? []
    let rest = ''
    for await (const piece of text) {
      const lines = (rest + piece).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
  } catch (error) {
    throw endedEarly(address, error, world)
  }
}

async function answer(address: Address, path: string, request: ApiRequest, world: World): Promise<Response> {
  const url = new URL(address.url + path)
  for (const [name, value] of Object.entries(request.query ?? {})) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  const send = () =>
    fetch(url, {
      method: request.method ?? 'GET',
      headers: {
        authorization: `Token ${address.secret.value}`,
        ...(address.account !== undefined && { 'x-delegate-account-id': address.account }),
        // On one machine, compressing an answer takes longer than sending it.
        ...(LOOPBACK.test(url.hostname) && { 'accept-encoding': 'identity' }),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...request.headers,
      },
      body: request.body === undefined ? null : jsonText(request.body),
      redirect: 'manual',
      signal: AbortSignal.any([world.stop, AbortSignal.timeout(request.timeoutMs ?? TIMEOUT_MS)]),
    })
  let failures = 0
  const mayRepeat = (error: unknown) => neverConnected(error) && ++failures < CONNECT_ATTEMPTS
  try {
    return await new BackOff(world.clock, CONNECT_PAUSES).repeat(send, mayRepeat, world.stop)
  } catch (error) {
    throw endedEarly(address, error, world)
  }
}

function endedEarly(address: Address, error: unknown, { stop }: World): CommandError {
  return stop.aborted
    ? new CommandError(EXIT.interrupted, 'Stopped.', { cause: error })
    : noAnswer(address, error)
}

async function bodyText(response: Response, address: Address, world: World): Promise<string> {
  try {
    return await response.text()
  } catch (error) {
    throw endedEarly(address, error, world)
  }
}

/** A request may be repeated only if it certainly never arrived. */
function neverConnected(error: unknown): boolean {
  return ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'].includes(networkCode(error))
}

/** Code of the error below fetch, such as ECONNREFUSED. */
export function networkCode(error: unknown): string {
  const { cause, name } = error as Error & {
    cause?: { code?: unknown; message?: unknown; errors?: { code?: unknown }[] }
  }
  return String(cause?.code ?? cause?.errors?.[0]?.code ?? cause?.message ?? name)
}

/** Codes of certificates that are valid once the issuer's own certificate is trusted. */
const UNTRUSTED = [
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]

/** Problem with the service's certificate, and the remedy; undefined for other errors. */
export function certificateSentence(address: Address, error: unknown): string | undefined {
  const codes = codesWithin(error)
  if (codes.some(code => UNTRUSTED.includes(code)))
    return (
      `The certificate of ${address.url} is not trusted (${codes.join(', ')}). ` +
      'Set NODE_EXTRA_CA_CERTS to the PEM file of its issuer, or of the certificate itself.'
    )
  if (codes.includes('CERT_HAS_EXPIRED') || codes.includes('CERT_NOT_YET_VALID'))
    return (
      `The certificate of ${address.url} is not valid at this time (${codes.join(', ')}). ` +
      'Renew it on the server, or set the clock of this machine. NODE_EXTRA_CA_CERTS does not help here.'
    )
  if (codes.includes('ERR_TLS_CERT_ALTNAME_INVALID'))
    return (
      `The certificate of ${address.url} is for another host name (ERR_TLS_CERT_ALTNAME_INVALID). ` +
      'Set WEIR_URL to a name in the certificate. NODE_EXTRA_CA_CERTS does not help here.'
    )
  return undefined
}

/** The codes of an error and of all its causes. */
function codesWithin(error: unknown): string[] {
  if (!(error instanceof Error)) return []
  const { code, cause, errors } = error as Error & { code?: unknown; errors?: unknown }
  return [
    ...(typeof code === 'string' ? [code] : []),
    ...codesWithin(cause),
    ...(Array.isArray(errors) ? errors.flatMap(codesWithin) : []),
  ]
}

export function noAnswer(address: Address, error: unknown): CommandError {
  const code = networkCode(error)
  const certificate = certificateSentence(address, error)
  const sentence =
    certificate !== undefined
      ? certificate
      : code === 'ECONNREFUSED'
        ? `Nothing answers at ${address.url}. Start the server with "npm start", or set WEIR_URL to its address.`
        : code === 'TimeoutError'
          ? `${address.url} did not answer in time.`
          : `${address.url} cannot be reached (${code}). Check the address and the network.`
  return new CommandError(EXIT.unreachable, sentence, { cause: error })
}

/**
 * Error for a refused request: the message of the service, and the remedy where it is known.
 *
 * @param retryAfter header of the answer, in seconds
 */
export function refusal(
  status: number,
  body: string,
  address: Address,
  retryAfter?: string | null,
): ApiRefusal {
  const said = errorBody(body)
  const text = (said.message || `HTTP ${status}`).replace(/\.$/, '')
  if (status === 401) {
    return new ApiRefusal(
      status,
      said.code,
      `${address.url} does not accept the credential from ${address.secret.origin}: ${text}. ` +
        'It may be wrong, revoked or expired; "weir credentials" shows those of this machine.',
    )
  }
  if (status === 403) {
    return new ApiRefusal(
      status,
      said.code,
      `The credential from ${address.secret.origin} is not allowed to do this: ${text}. ` +
        'Another token may be: "weir token list" shows their rights.',
    )
  }
  const answered = `${address.url} answered ${[status, said.code].filter(part => part !== '').join(' ')}`
  return new ApiRefusal(status, said.code, `${answered}: ${text}.${wayOn(status, retryAfter)}`, said.problems)
}

function wayOn(status: number, retryAfter: string | null | undefined): string {
  if (status !== 429 && status < 500) return ''
  const when = retryAfter && /^\d+$/.test(retryAfter) ? `in ${retryAfter} s` : 'later'
  const cause = status === 429 ? '' : ' "weir doctor" on the machine of the server shows what is wrong.'
  return ` Try again ${when}.${cause}`
}

function errorBody(body: string): { code: string; message: string; problems: readonly Problem[] } {
  try {
    const parsed = JSON.parse(body) as Record<string, unknown> | null
    const errors = Array.isArray(parsed?.errors) ? (parsed.errors as Partial<Problem>[]) : []
    const problems = errors.map(({ instancePath = '', message = '' }) => ({
      instancePath: String(instancePath),
      message: String(message),
    }))
    const findings = problems
      .map(({ instancePath, message }) => `${instancePath} ${message}`.trim())
      .join('; ')
    const message = String(parsed?.error ?? parsed?.message ?? '')
    return {
      code: String(parsed?.code ?? ''),
      message: findings && !message.includes(findings) ? `${message} (${findings})` : message,
      problems,
    }
  } catch {
    return { code: '', message: '', problems: [] }
  }
}

function exitCodeOf(status: number): 2 | 3 {
  return status === 401 || status === 403 || status === 429 || status >= 500 || status < 400
    ? EXIT.unreachable
    : EXIT.usage
}
