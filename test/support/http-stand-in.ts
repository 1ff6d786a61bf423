import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface StandInRequest {
  readonly method: string
  readonly url: URL
  readonly authorization: string | undefined
  readonly body: string
}

export interface StandInReply {
  readonly status?: number
  /** A string is sent as it is, anything else as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface HttpStandIn {
  readonly url: string
  readonly requests: StandInRequest[]
  close(): Promise<void>
}

/** A server on this machine that answers every request as the test says. */
export async function httpStandIn(answer: (request: StandInRequest) => StandInReply): Promise<HttpStandIn> {
  const requests: StandInRequest[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk
    })
    request.on('end', () => {
      const received = {
        method: request.method ?? '',
        url: new URL(request.url ?? '', 'http://stand-in'),
        authorization: request.headers.authorization,
        body,
      }
      requests.push(received)
      const { status = 200, body: content, headers } = answer(received)
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(typeof content === 'string' ? content : JSON.stringify(content))
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}
