import { once } from 'node:events'
import { connect } from 'node:net'
import { type Body, type BodyForm, bodiesOf } from './bodies.ts'
import type { LoadOrder, LoadReport } from './load.ts'

/**
 * The process of a load. It uses raw keep-alive connections, so that it takes little of the machine that it shares with
 * the measured program. It says when its bodies are made, waits for a message, sends them, and reports.
 *
 * usage: send-load.ts ORDER, forked
 */

/** More lines than these do not fit into memory: their bodies are made while they are sent. */
const MOST_PREPARED_LINES = 4_000_000

interface Request {
  readonly bytes: Buffer
  readonly lines: number
}

/** Requests in their order; they begin again when all were given, until enough lines were. */
function* requestsOf(order: LoadOrder): Generator<Request> {
  const make = () => bodiesOf(order.bodies).map(body => requestOf(order, body))
  const prepared = order.bodies.lines > MOST_PREPARED_LINES ? undefined : [...make()]
  // Everything above is done by the first call, before the load begins.
  yield NOTHING
  for (let remaining = order.lines; remaining > 0; ) {
    for (const request of prepared ?? make()) {
      if (remaining <= 0) return
      remaining -= request.lines
      yield request
    }
  }
}

const NOTHING: Request = { bytes: Buffer.alloc(0), lines: 0 }

function requestOf({ url, ingestionKey, bodies: { form } }: LoadOrder, { bytes, lines }: Body): Request {
  const { host, pathname } = new URL(url)
  const head = [
    `POST ${pathname}?hostname=bench-1&tags=bench HTTP/1.1`,
    `host: ${host}`,
    `apikey: ${ingestionKey}`,
    `content-type: ${contentType(form)}`,
    ...(form === 'array-gzip' ? ['content-encoding: gzip'] : []),
    `content-length: ${bytes.length}`,
    '',
    '',
  ].join('\r\n')
  return { bytes: Buffer.concat([Buffer.from(head), bytes]), lines }
}

function contentType(form: BodyForm): string {
  return form === 'ndjson' ? 'application/x-ndjson' : 'application/json'
}

async function send(order: LoadOrder, requests: Iterator<Request, void>): Promise<LoadReport> {
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  let lines = 0
  let bodyBytes = 0
  const startedMs = performance.now()
  const next = (): Request | undefined => requests.next().value ?? undefined

  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      const { hostname, port } = new URL(order.url)
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      let sentMs = 0
      let received = ''
      const sendNow = (request: Request) => {
        sentMs = performance.now()
        socket.write(request.bytes)
      }
      const sendNext = () => {
        const request = next()
        if (request === undefined) {
          socket.end()
          return resolve()
        }
        const dueMs = startedMs + (lines / order.linesPerSecond) * 1000
        lines += request.lines
        bodyBytes += request.bytes.length
        const pauseMs = dueMs - performance.now()
        if (pauseMs < 1) sendNow(request)
        else setTimeout(sendNow, pauseMs, request)
      }
      socket.on('connect', sendNext)
      socket.on('error', reject)
      socket.on('data', chunk => {
        received += chunk.toString('latin1')
        const headEnd = received.indexOf('\r\n\r\n')
        if (headEnd < 0) return
        const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
        if (received.length < headEnd + 4 + length) return
        const status = received.slice(9, 12)
        statuses[status] = (statuses[status] ?? 0) + 1
        latencies.push(performance.now() - sentMs)
        received = ''
        sendNext()
      })
    })

  await Promise.all(Array.from({ length: order.connections }, runConnection))
  const seconds = (performance.now() - startedMs) / 1000
  latencies.sort((a, b) => a - b)
  return {
    lines,
    requests: latencies.length,
    bodyBytes,
    seconds,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    statuses,
  }
}

const order = JSON.parse(process.argv[2] as string) as LoadOrder
const requests = requestsOf(order)
requests.next()
const go = once(process, 'message')
process.send?.('ready')
await go
process.send?.(await send(order, requests))
process.disconnect()
