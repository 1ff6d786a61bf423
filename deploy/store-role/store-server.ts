import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Entropy } from '../../engine/entropy/entropy.ts'
import type { EmbeddedServer } from '../../engine/store/embedded-server/embedded-server.ts'
import { engineError } from '../../engine/store/embedded-server/engine-error.ts'
import type { RenewedTls } from '../tls.ts'
import { assertLogin, type Login } from './login.ts'
import { statementOf } from './served-request.ts'

/** Time limit of a request: a slower block would use its place in the queue without any effect. */
const REQUEST_TIMEOUT_MS = 120_000
/** Parameters of a statement are in the address; a server accepts 1 MiB. */
const MAX_ADDRESS_BYTES = 1024 ** 2
const TAG_BYTES = 8
const AUTHENTICATION_FAILED = '516'
const ERROR = /Code: (\d+)\. DB::(?:\w+)?Exception: .*\([A-Z0-9_]+\)/s

export interface StoreServerPorts {
  readonly engine: EmbeddedServer
  readonly login: Login
  readonly entropy: Entropy
  readonly tls?: Pick<RenewedTls, 'files' | 'renewAt'> | undefined
  /** Receives errors that do not belong to a statement. */
  readonly onTrouble: (error: unknown) => void
}

/** The part of ClickHouse's HTTP interface that Weir uses, in front of the embedded engine. */
export class StoreServer {
  readonly #ports: StoreServerPorts
  readonly #server: Server
  /** Marks an error in the middle of an answer; stored data cannot contain it. */
  readonly #tag: string
  #requestNumber = 0

  constructor(ports: StoreServerPorts) {
    this.#ports = ports
    this.#tag = ports.entropy.bytes(TAG_BYTES).toString('hex')
    const serve = (request: IncomingMessage, response: ServerResponse) => void this.#serve(request, response)
    const limits = { maxHeaderSize: MAX_ADDRESS_BYTES, requestTimeout: REQUEST_TIMEOUT_MS }
    this.#server = newServer(ports.tls, limits, serve)
  }

  /** @returns the address at which it listens */
  async listen(host: string, port: number): Promise<AddressInfo> {
    await new Promise<void>((listening, failed) => {
      this.#server.once('error', failed)
      this.#server.listen(port, host, () => listening())
    })
    return this.#server.address() as AddressInfo
  }

  /** Answers requests that have begun, refuses the others, and closes the engine. */
  async close(): Promise<void> {
    const closed = new Promise(resolve => this.#server.close(resolve))
    await this.#ports.engine.close()
    this.#server.closeIdleConnections()
    await closed
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    response.setHeader('x-clickhouse-server-display-name', 'weir store')
    const left = new AbortController()
    response.once('close', () => left.abort(new Error('the client has disconnected')))
    response.on('error', ignored)
    try {
      if (isPing(request)) return void response.end('Ok.\n')
      assertNoPage(request)
      assertLogin(request.headers, this.#ports.login)
      await this.#answer(request, response, left.signal)
    } catch (error) {
      if (!left.signal.aborted) this.#fail(response, error)
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse, left: AbortSignal): Promise<void> {
    const statement = await statementOf(request)
    response.setHeaders(
      new Map([
        ['content-type', 'text/plain; charset=UTF-8'],
        ['x-clickhouse-query-id', String(this.#requestNumber++)],
        ['x-clickhouse-summary', '{}'],
        ['x-clickhouse-exception-tag', this.#tag],
      ]),
    )
    for await (const piece of this.#ports.engine.answer(statement, left))
      if (!response.write(piece)) await once(response, 'drain', { signal: left })
    response.end()
  }

  #fail(response: ServerResponse, error: unknown): void {
    const message = inWordsOfEngine(error)
    if (message === undefined) this.#ports.onTrouble(error)
    const text = message ?? inWordsOfEngine(engineError(1002, 'UNKNOWN_EXCEPTION', (error as Error).message))
    this.#end(response, text as string)
  }

  #end(response: ServerResponse, message: string): void {
    const text = `${message} (version 26.7, weir store)\n`
    if (response.headersSent) {
      const length = Buffer.byteLength(text)
      const [mark, tag] = ['__exception__', this.#tag]
      // Without its end, the answer cannot be mistaken for a complete one, even by a reader that does not know the mark.
      const cut = () => response.destroy()
      response.write(`\r\n${mark}\r\n${tag}\r\n${text}${length} ${tag}\r\n${mark}\r\n`, cut)
      return
    }
    const [, code = ''] = ERROR.exec(message) ?? []
    const status = code === AUTHENTICATION_FAILED ? 403 : 500
    response.writeHead(status, { 'x-clickhouse-exception-code': code })
    response.end(text)
  }
}

function newServer(tls: StoreServerPorts['tls'], limits: ServerOptions, serve: RequestListener): Server {
  if (tls === undefined) return createServer(limits, serve)
  const server = createTlsServer({ ...tls.files, ...limits }, serve)
  tls.renewAt(server)
  return server
}

/** A client that disconnects in the middle of an answer is not an error: its statement is cancelled by the signal. */
function ignored(): void {}

function isPing({ method, url }: IncomingMessage): boolean {
  return method === 'GET' && (url === '/ping' || url === '/')
}

/** Without it, a page in a browser on this machine could use a store without a password. */
function assertNoPage({ headers }: IncomingMessage): void {
  if (headers.origin === undefined && headers['sec-fetch-site'] === undefined) return
  throw engineError(497, 'ACCESS_DENIED', 'requests from pages in a browser are refused')
}

/** @returns undefined for an error that is not the engine's */
function inWordsOfEngine(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOSPC') return engineError(243, 'NOT_ENOUGH_SPACE', message).message
  if (error instanceof TypeError) return engineError(36, 'BAD_ARGUMENTS', message).message
  return ERROR.test(message) ? message : undefined
}
