import type { IncomingMessage } from 'node:http'
import { WebSocket } from 'ws'
import { refusalIn, shownLines } from './command-line-client.ts'

export interface TailFilters {
  readonly q?: string
  readonly hosts?: string
  readonly tags?: string
  readonly levels?: string
  readonly apps?: string
}

interface TailOptions {
  readonly origin: string
  readonly secret: string
  readonly filters?: TailFilters
  /** The real client waits for two seconds. */
  readonly reconnectMs?: number
}

/** The live tail of the command-line client. It connects again after every close, with any code, until it is stopped. */
export class CommandLineTail {
  readonly shown: string[] = []
  /** Codes of the connections that were closed so far. */
  readonly closed: number[] = []
  /** Connections that were made so far. */
  opened = 0
  readonly #options: TailOptions
  #socket: WebSocket | undefined
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(options: TailOptions) {
    this.#options = options
    this.#connect()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#socket?.terminate()
  }

  #connect(): void {
    const { origin, secret, filters = {}, reconnectMs = 100 } = this.#options
    const { q = '', hosts = '', tags = '', levels = '', apps = '' } = filters
    const query = new URLSearchParams({ q, hosts, tags, levels, apps })
    const headers = { Authorization: `Token ${secret}` }
    const socket = new WebSocket(`${origin.replace('http', 'ws')}/ws/tail?${query}`, { headers })
    this.#socket = socket
    socket.on('open', () => {
      this.opened++
    })
    socket.on('message', data => this.#show(data.toString()))
    socket.on('unexpected-response', (_request, response) => void this.#showRefusal(response))
    socket.on('error', () => {})
    socket.on('close', code => {
      this.closed.push(code)
      if (!this.#isStopped) this.#timer = setTimeout(() => this.#connect(), reconnectMs)
    })
  }

  #show(message: string): void {
    const { e, p } = JSON.parse(message)
    if (e !== 'meta') this.shown.push(...shownLines(p))
  }

  /** A refusal is an answer, and the end. */
  async #showRefusal(response: IncomingMessage): Promise<void> {
    let body = ''
    for await (const chunk of response) body += chunk
    this.shown.push(refusalIn({ status: response.statusCode as number, body }))
    this.stop()
  }
}
