import { Agent, request } from 'node:http'

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

export interface Sent {
  readonly method?: string
  /** Scheme, host and port. */
  readonly origin: string
  /** Path with the query, as sent. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  /** Sent in chunks, without its length. */
  readonly isChunked?: boolean
  /** The client gives up then. */
  readonly timeoutMs?: number
}

const KEPT = new Agent({ keepAlive: true })

/** One exchange over HTTP, as bytes: nothing is encoded, followed, retried or judged. @throws the connection's error */
export function exchange({
  method = 'POST',
  origin,
  path,
  headers,
  body = '',
  isChunked = false,
  timeoutMs,
}: Sent): Promise<Answer> {
  const { hostname, port } = new URL(origin)
  const length = isChunked
    ? { 'transfer-encoding': 'chunked' }
    : method === 'POST'
      ? { 'content-length': String(Buffer.byteLength(body)) }
      : {}
  return new Promise((resolve, reject) => {
    const sending = request(
      { method, hostname, port, path, headers: { ...length, ...headers }, agent: KEPT },
      response => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode as number,
            headers: response.headers,
            body: Buffer.concat(chunks).toString(),
          }),
        )
      },
    )
    if (timeoutMs !== undefined)
      sending.setTimeout(timeoutMs, () => sending.destroy(new Error('the client has given up')))
    sending.on('error', reject)
    sending.end(body)
  })
}

export function basic(user: string, password = ''): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
}
