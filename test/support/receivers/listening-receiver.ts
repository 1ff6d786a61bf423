import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that a receiver took in full. */
export interface TakenRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** Status of the answer; null: the connection was cut instead. */
  readonly status: number | null
}

/** Answer to a request; null: the connection is cut. */
export type Answering = (
  request: Omit<TakenRequest, 'status'>,
) => { readonly status: number; readonly body?: string } | null

const ACCEPTED = { status: 200 }

/** An HTTP server that notes what it receives. */
export class ListeningReceiver {
  readonly requests: TakenRequest[] = []
  answer: Answering = () => ACCEPTED
  readonly #server: Server
  #port = 0

  private constructor() {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const { method = '', url: path = '', headers } = request
      const taken = { method, path, headers, body: Buffer.concat(chunks) }
      const answer = this.answer(taken)
      this.requests.push({ ...taken, status: answer?.status ?? null })
      if (answer === null) request.socket.destroy()
      else response.writeHead(answer.status).end(answer.body ?? '')
    })
  }

  static async open(): Promise<ListeningReceiver> {
    const receiver = new ListeningReceiver()
    await receiver.listen()
    return receiver
  }

  /** Listens, at the earlier port if there was one. */
  async listen(): Promise<void> {
    await new Promise<void>(resolve => this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/in`
  }

  /** Requests that it has accepted. */
  get accepted(): TakenRequest[] {
    return this.requests.filter(({ status }) => status !== null && status < 300)
  }

  /** Ends it, with its connections. */
  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise<void>(resolve => this.#server.close(() => resolve()))
  }
}
