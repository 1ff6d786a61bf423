import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

/** Answer of the stand-in to one request. The default stores the lines and answers 200. */
export type Answer =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** The connection breaks before anything is stored. */
  | 'break'
  /** Everything is stored, and the connection breaks before the answer: the sender cannot know. */
  | 'store and break'
  /** No answer until the stand-in closes. */
  | 'hang'
  /** 207: every line that holds "bad" is refused, the others are stored. */
  | 'refuse bad lines'

export interface ReceivedRequest {
  readonly url: URL
  readonly headers: IncomingMessage['headers']
  readonly key: string
  readonly body: string
  readonly lines: readonly Record<string, unknown>[]
}

export interface IngestStandIn {
  readonly url: string
  readonly requests: ReceivedRequest[]
  /** The text of every stored line, in order of arrival; a repeated key stores nothing again. */
  readonly stored: string[]
  /** Answers to the next requests, first in, first out. */
  readonly plan: Answer[]
  /** Bodies above it, uncompressed, get 413. */
  maxBodyBytes: number
  /** Resolves when that many requests have arrived. */
  arrived(requests: number): Promise<void>
  close(): Promise<void>
}

/** A small server with the contract of ingestion (section 1), for tests of senders. */
export async function ingestStandIn(): Promise<IngestStandIn> {
  const requests: ReceivedRequest[] = []
  const stored: string[] = []
  const plan: Answer[] = []
  const digests = new Map<string, string>()
  let waiting: { requests: number; wake: () => void }[] = []

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const received = readRequest(request, Buffer.concat(chunks))
      requests.push(received)
      waiting = waiting.filter(one => one.requests > requests.length || one.wake())
      answer(received, response)
    })
  })

  const answer = (received: ReceivedRequest, response: ServerResponse) => {
    if (Buffer.byteLength(received.body) > standIn.maxBodyBytes)
      return reply(response, 413, { code: 'PayloadTooLarge' })
    const planned = plan.shift() ?? { status: 200 }
    if (planned === 'hang') return
    if (planned === 'break') return response.destroy()
    if (typeof planned === 'object' && planned.status !== 200) {
      return reply(
        response,
        planned.status,
        planned.body ?? { error: 'planned', code: 'Planned' },
        planned.headers,
      )
    }
    const digest = createHash('sha256').update(received.body).digest('hex')
    const known = digests.get(received.key)
    if (known !== undefined && known !== digest)
      return reply(response, 409, { error: 'other body', code: 'Conflict' })
    const statuses = received.lines.map(line =>
      planned === 'refuse bad lines' && String(line.line).includes('bad') ? 400 : 200,
    )
    if (known === undefined) {
      digests.set(received.key, digest)
      stored.push(...received.lines.filter((_, at) => statuses[at] === 200).map(line => String(line.line)))
    }
    if (planned === 'store and break') return response.destroy()
    const partly = statuses.includes(400)
    reply(
      response,
      partly ? 207 : 200,
      partly ? { status: statuses, batchID: '' } : { status: 'ok', batchID: '' },
    )
  }

  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const standIn: IngestStandIn = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    stored,
    plan,
    maxBodyBytes: 2_097_152,
    arrived: count =>
      new Promise(resolve => {
        if (requests.length >= count) return resolve()
        waiting.push({ requests: count, wake: resolve })
      }),
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
  return standIn
}

function readRequest(request: IncomingMessage, raw: Buffer): ReceivedRequest {
  const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString()
  return {
    url: new URL(request.url ?? '', 'http://stand-in'),
    headers: request.headers,
    key: String(request.headers['idempotency-key']),
    body,
    lines: (JSON.parse(body) as { lines: Record<string, unknown>[] }).lines,
  }
}

function reply(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  response.end(JSON.stringify(body))
}
