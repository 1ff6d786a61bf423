import { chmodSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { resolve } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Logger } from 'pino'
import type { Installation } from '../installation.ts'
import { acceptLossTask } from './accept-loss-task.ts'
import { type OperatorEvent, type OperatorTask, refusalOf, runTask } from './operator-task.ts'
import { quarantineTask } from './quarantine-task.ts'
import { type SocketAddress, socketAddress } from './socket-address.ts'

const NO_LINKS =
  'this server makes no sign-in links: WEIR_CONSOLE or WEIR_SIGN_IN_LINK is off, or it does not listen on loopback'
/** Minimum interval between progress events; steps and ends are always sent. */
const PROGRESS_EVERY_MS = 200

/**
 * Makes a link that signs the local user in to the console.
 *
 * @param token access token that the session holds; default: that of the first start
 * @returns undefined where there are no links
 */
export type NewLink = (token?: string) => string | undefined

/**
 * Socket in the data folder by which the operator's commands reach the running server. Only the folder's user can use it,
 * and it is not reachable over the network. An answer has one JSON line per event.
 */
export class OperatorSocket {
  readonly #installation: Installation
  readonly #newLink: NewLink
  readonly #logger: Logger
  readonly #stop = new AbortController()
  readonly #server: Server
  readonly #address: SocketAddress | undefined
  #running: Promise<void> | undefined

  private constructor(installation: Installation, logger: Logger, newLink: NewLink) {
    this.#installation = installation
    this.#newLink = newLink
    this.#logger = logger
    this.#address = socketAddress(resolve(installation.directory.path))
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch(error => {
        refuse(response, 500, (error as Error).message)
        logger.error({ err: error }, 'an operator command could not be answered')
      })
    })
  }

  /** Listens; if this fails, the server still does its other work. */
  static async open(installation: Installation, logger: Logger, newLink: NewLink): Promise<OperatorSocket> {
    const socket = new OperatorSocket(installation, logger, newLink)
    try {
      await socket.#listen()
    } catch (error) {
      const message =
        '"weir verify", "weir backup", "weir log" and "weir quarantine" need the server stopped: its operator socket cannot be opened'
      logger.warn({ reason: (error as Error).message }, message)
    }
    return socket
  }

  /** Ends outstanding tasks. */
  async close(): Promise<void> {
    this.#stop.abort(new Error('the server is stopping'))
    await this.#running
    this.#server.closeAllConnections()
    await new Promise<void>(closed => this.#server.close(() => closed()))
    if (this.#address !== undefined) rmSync(this.#address.path, { force: true })
    this.#address?.release()
  }

  async #listen(): Promise<void> {
    const address = this.#address
    if (address === undefined) throw new Error('the path of the data folder is too long for a socket')
    // The data folder belongs to this process: an existing socket was left by a killed one.
    rmSync(address.path, { force: true })
    await new Promise<void>((listening, failed) => {
      this.#server.once('error', failed)
      this.#server.listen({ path: address.address }, () => listening())
    })
    chmodSync(address.path, 0o600)
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'POST' && request.url === '/console') {
      const { token } = (await json(request)) as { token?: unknown }
      this.#answerLink(response, typeof token === 'string' ? token : undefined)
      return
    }
    const task = await taskOf(request)
    if (task === undefined) return refuse(response, 404, 'this server does not know that command: restart it')
    const refusal = refusalOf(task, this.#installation.settings)
    if (refusal !== undefined) return refuse(response, 409, refusal)
    if (!this.#installation.opening.isOpen)
      return refuse(response, 503, 'the store is unavailable: see /readyz, and try again')
    if (this.#running !== undefined)
      return refuse(response, 409, 'another operator command is running: wait for its end')
    this.#running = this.#run(task, response).finally(() => {
      this.#running = undefined
    })
    await this.#running
  }

  /** Needs neither the store nor the end of a running task. */
  #answerLink(response: ServerResponse, token: string | undefined): void {
    const link = this.#newLink(token)
    if (link === undefined) {
      refuse(response, 409, NO_LINKS)
      return
    }
    this.#logger.info('a sign-in link for the console was made')
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ link }))
  }

  async #run(task: OperatorTask, response: ServerResponse): Promise<void> {
    const left = new AbortController()
    response.on('close', () => left.abort(new Error('the command was ended')))
    response.writeHead(200, { 'content-type': 'application/x-ndjson' })
    const startedMs = performance.now()
    this.#logger.info({ task }, 'operator command')
    const report = reporter(response)
    await runTask(this.#installation, task, AbortSignal.any([this.#stop.signal, left.signal]), report)
    response.end()
    this.#logger.info({ task, tookMs: Math.round(performance.now() - startedMs) }, 'operator command ended')
  }
}

/** Writes events as lines, but only some of the progress events. */
function reporter(response: ServerResponse): (event: OperatorEvent) => void {
  let reportedAtMs = 0
  return event => {
    const isProgress = event.type === 'progress' || event.type === 'copied'
    const nowMs = performance.now()
    if (isProgress && nowMs - reportedAtMs < PROGRESS_EVERY_MS) return
    reportedAtMs = nowMs
    response.write(`${JSON.stringify(event)}\n`)
  }
}

async function taskOf(request: IncomingMessage): Promise<OperatorTask | undefined> {
  if (request.method !== 'POST') return undefined
  if (request.url === '/verify') return { task: 'verify' }
  if (request.url === '/quarantines') return { task: 'quarantines' }
  if (request.url === '/accept-loss') return acceptLossTask(await json(request))
  if (request.url === '/quarantine') return quarantineTask(await json(request))
  if (request.url !== '/backup') return undefined
  const body = (await json(request)) as { directory?: unknown }
  return typeof body.directory === 'string' ? { task: 'backup', directory: body.directory } : undefined
}

function refuse(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.end()
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ message }))
}
