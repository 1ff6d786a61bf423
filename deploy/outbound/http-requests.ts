import { isIP, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Agent, buildConnector } from 'undici'
import { untilAborted } from '../../engine/clock/until-aborted.ts'
import { withoutEchoes } from '../../engine/outbound/echoed-secrets.ts'
import {
  type Compression,
  type HttpAnswer,
  type HttpConnection,
  type HttpProxy,
  type HttpRequest,
  PATH_HEADER,
  type ServiceAccount,
} from '../../engine/outbound/http-exchange.ts'
import type { NetworkAddress } from '../../engine/outbound/outbound.ts'
import { OutboundError } from '../../engine/outbound/outbound-error.ts'
import type { OutboundRules } from '../../engine/outbound/outbound-rules.ts'
import { isBypassed } from '../../engine/outbound/proxy-bypass.ts'
import { MINUTE_MS } from '../../engine/times/duration.ts'
import { signatureHeaders } from './aws-signature.ts'
import { azureSignatureHeaders } from './azure-signature.ts'
import { selfSignedToken } from './google-token.ts'
import { proxyTunnel } from './proxy-tunnel.ts'
import type { TcpOutbound } from './tcp-outbound.ts'
import { tlsConnection } from './tls-connection.ts'

const TIMEOUT_MS = MINUTE_MS
/** Time for a connection with TLS and a proxy. Later requests use it, so no single request limits it. */
const CONNECT_MS = 30_000
const CONFLICT = 409
const ANSWER_BYTES = 64 * 1024
/** An answer that goes on is not read further: its connection is closed. */
const MAX_READ_BYTES = 32 * 1024 * 1024
/** Connections of one owner to one server at once: enough for 8 nodes with 8 requests each. */
const CONNECTIONS = 64
/**
 * Groups of connections that differ in owner, proxy or TLS. When a further one is needed, the least recently used one is
 * closed after its last answer. Connections without requests close after seconds.
 */
const MAX_AGENTS = 512

const gzipped = promisify(gzip)

export interface HttpRequestsPorts extends TcpOutbound {
  readonly rules: OutboundRules
  /** Identifies this installation in requests, so that a loop is noticed. */
  readonly logId: string
  /** Certificates in PEM that are trusted instead of those of the system. */
  readonly ca?: string | undefined
}

/** Sends requests as `Outbound.request` does, and keeps connections for later ones. */
export class HttpRequests {
  readonly #ports: HttpRequestsPorts
  readonly #agents = new Map<string, Agent>()

  constructor(ports: HttpRequestsPorts) {
    this.#ports = ports
  }

  async send(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { timeoutMs = TIMEOUT_MS } = request.connection ?? {}
    const late = AbortSignal.timeout(timeoutMs)
    try {
      const ended = AbortSignal.any([signal, late])
      const answer = await this.#exchange(request, ended)
      const { headersAfterConflict: changed, headers } = request
      if (answer.status !== CONFLICT || changed === undefined) return answer
      return await this.#exchange({ ...request, headers: { ...headers, ...changed } }, ended)
    } catch (cause) {
      throw outboundErrorOf(cause, new URL(request.url).host, late.aborted)
    }
  }

  async close(): Promise<void> {
    const agents = [...this.#agents.values()]
    this.#agents.clear()
    await Promise.all(agents.map(agent => agent.destroy()))
  }

  async #exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { method, url, headers, compression, connection = {}, serviceAccount } = request
    const { origin, pathname, search } = new URL(url)
    // The client takes memory and time: it is loaded with the first request.
    const undici = await import('undici')
    const body = compression === undefined ? request.body : await compressed(request.body, compression)
    const signed = signingHeaders(request, body)
    const token = serviceAccount && tokenOf(serviceAccount)
    // It is used at once: requests of others may close it meanwhile.
    const agent = this.#agentFor(request, undici)
    const answering = agent.request({
      ...{ origin, path: `${pathname}${search}`, method: method as 'POST', signal },
      headers: {
        ...{ ...headers, ...signed, ...(token !== undefined && { authorization: `Bearer ${token}` }) },
        [PATH_HEADER]: this.#pathBehind(headers[PATH_HEADER]),
      },
      body,
      // The time of the request is bounded as a whole.
      ...{ headersTimeout: 0, bodyTimeout: 0 },
    })
    // The client notices the signal only after the request has a connection.
    const answer = await untilAborted(answering, signal)
    const beginning = await beginningOf(answer.body, connection.answerBytes ?? ANSWER_BYTES)
    return {
      status: answer.statusCode,
      headers: joinedHeaders(answer.headers),
      // The options do not contain the token, so nothing that knows only them can remove it later.
      body: token === undefined ? beginning : withoutEchoes(beginning, [token]),
    }
  }

  #pathBehind(path: string | undefined): string {
    const { logId } = this.#ports
    return path === undefined ? logId : `${path}, ${logId}`
  }

  #agentFor({ owner = '', connection = {} }: HttpRequest, undici: typeof import('undici')): Agent {
    const { proxy, protocols, verifiesCertificate } = connection
    const key = JSON.stringify([owner, proxy, protocols, verifiesCertificate])
    const agent =
      this.#agents.get(key) ??
      new undici.Agent({
        connect: this.#connector(connection),
        connections: CONNECTIONS,
        pipelining: 1,
        allowH2: protocols?.includes('h2') ?? false,
      })
    this.#agents.delete(key)
    this.#agents.set(key, agent)
    const [[oldest, unused] = []] = this.#agents
    if (this.#agents.size > MAX_AGENTS && oldest !== undefined) {
      this.#agents.delete(oldest)
      void unused?.close()
    }
    return agent
  }

  #connector(connection: HttpConnection): buildConnector.connector {
    return (options, tell) => {
      this.#open(options, connection).then(
        socket => tell(null, socket),
        (error: Error) => tell(error, null),
      )
    }
  }

  async #open(
    { hostname, protocol, port }: buildConnector.Options,
    { proxy, protocols = ['http/1.1'], ...tls }: HttpConnection,
  ): Promise<Socket> {
    const signal = AbortSignal.timeout(CONNECT_MS)
    const isSecure = protocol === 'https:'
    const address = addressOf(hostname, port, isSecure)
    const socket = await this.#reach(address, proxy, signal)
    return isSecure ? this.#secure(socket, address, { protocols, ...tls }, signal) : socket
  }

  #secure(
    socket: Socket,
    address: NetworkAddress,
    { verifiesCertificate = true, protocols }: Pick<HttpConnection, 'verifiesCertificate' | 'protocols'>,
    signal: AbortSignal,
  ): Promise<Socket> {
    const { ca } = this.#ports
    const options = { verifiesCertificate, ...(ca && { ca }), ...(protocols && { protocols }) }
    return tlsConnection(socket, address, options, signal)
  }

  async #reach(address: NetworkAddress, proxy: HttpProxy | undefined, signal: AbortSignal): Promise<Socket> {
    const { connect, rules } = this.#ports
    if (proxy === undefined || isBypassed(address.host, proxy.bypass)) return connect(address, signal)
    // The proxy resolves names in its own network; an address is the same for all.
    const refusal = isIP(address.host) === 0 ? undefined : rules(address.host, address.port)
    if (refusal !== undefined)
      throw new OutboundError('DENIED', `${address.host} is refused, because ${refusal}`)
    const endpoint = new URL(proxy.endpoint)
    const isSecure = endpoint.protocol === 'https:'
    const at = addressOf(endpoint.hostname.replace(/^\[(.*)\]$/, '$1'), endpoint.port, isSecure)
    const socket = await connect(at, signal)
    const toProxy = isSecure ? await this.#secure(socket, at, {}, signal) : socket
    return proxyTunnel(toProxy, endpoint, address, signal)
  }
}

function addressOf(host: string, port: string, isSecure: boolean): NetworkAddress {
  return { host, port: port === '' ? (isSecure ? 443 : 80) : Number(port) }
}

/** @throws OutboundError when the package for the compression is not installed */
async function compressed(body: Buffer, compression: Compression): Promise<Buffer> {
  if (compression === 'gzip') return gzipped(body)
  const snappy = await import('snappy').catch((cause: unknown) => {
    throw new OutboundError('INVALID', 'the package "snappy" is not installed', { cause })
  })
  return snappy.compress(body)
}

/** @param body as it is sent */
function signingHeaders(request: HttpRequest, body: Buffer): Readonly<Record<string, string>> {
  const { method, url, headers, signature, azureKey } = request
  const signed = { method, url, headers, body }
  const nowMs = Date.now()
  if (azureKey !== undefined) return azureSignatureHeaders(signed, azureKey, nowMs)
  return signature === undefined ? {} : signatureHeaders(signed, signature, nowMs)
}

/** @throws OutboundError when the key signs nothing */
function tokenOf(account: ServiceAccount): string {
  try {
    return selfSignedToken(account, Date.now())
  } catch (cause) {
    throw new OutboundError('INVALID', 'the key of the service account cannot sign', { cause })
  }
}

function joinedHeaders(headers: Readonly<Record<string, string | string[] | undefined>>) {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), [value].flat().join(', ')]],
    ),
  )
}

/** Reads an answer to its end, which shows that it is complete, and keeps its beginning. */
async function beginningOf(body: AsyncIterable<Buffer>, limitBytes: number): Promise<string> {
  const kept: Buffer[] = []
  let bytes = 0
  for await (const chunk of body) {
    if (bytes < limitBytes) kept.push(chunk.subarray(0, limitBytes - bytes))
    bytes += chunk.length
    if (bytes > MAX_READ_BYTES) break
  }
  // A character that the limit cuts is left out.
  return new TextDecoder().decode(Buffer.concat(kept), { stream: bytes > limitBytes })
}

/** @param host of the request, with its port: the rest of the address may be secret */
function outboundErrorOf(cause: unknown, host: string, isLate: boolean): OutboundError {
  if (isLate) return new OutboundError('TIMED_OUT', `${host} does not answer in time`, { cause })
  if (cause instanceof OutboundError) return cause
  const { code } = cause as { readonly code?: string }
  return code === 'UND_ERR_INVALID_ARG'
    ? new OutboundError('INVALID', `the request to ${host} cannot be written`, { cause })
    : new OutboundError('BROKEN', `${host} ended the connection before its answer was complete`, { cause })
}
