import { connect } from 'node:net'
import { type BodyForm, sampleBodies } from './sample-bodies.ts'

/**
 * A load generator in a process of its own, on raw keep-alive connections so that it costs little of the machine
 * that it shares with what it measures. Prints one line of JSON.
 *
 * usage: send-load.ts URL INGESTION_KEY LINES LINES_PER_BODY CONNECTIONS FORM
 */
export interface LoadReport {
  readonly lines: number
  readonly bodyBytes: number
  readonly seconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly statuses: Readonly<Record<string, number>>
}

const DISTINCT_BODIES = 24

async function main(args: readonly string[]): Promise<void> {
  const [address, key, lineText, perBodyText, connectionText, form] = args as [
    string,
    string,
    string,
    string,
    string,
    BodyForm,
  ]
  const url = new URL(address)
  const linesPerBody = Number(perBodyText)
  const requests = sampleBodies(DISTINCT_BODIES, linesPerBody, 1, form).map(body =>
    requestOf(url, key, body, form),
  )
  let remaining = Math.ceil(Number(lineText) / linesPerBody)
  const latencies: number[] = []
  const statuses: Record<string, number> = {}
  let bodyBytes = 0
  let next = 0
  const startedMs = performance.now()

  const runConnection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true })
      let sentMs = 0
      let received = ''
      const send = () => {
        if (remaining-- <= 0) {
          socket.end()
          return resolve()
        }
        const request = requests[next++ % requests.length] as Buffer
        bodyBytes += request.length
        sentMs = performance.now()
        socket.write(request)
      }
      socket.on('connect', send)
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
        send()
      })
    })

  await Promise.all(Array.from({ length: Number(connectionText) }, runConnection))
  latencies.sort((a, b) => a - b)
  const report: LoadReport = {
    lines: latencies.length * linesPerBody,
    bodyBytes,
    seconds: (performance.now() - startedMs) / 1000,
    p50Ms: latencies[Math.floor(latencies.length * 0.5)] ?? 0,
    p99Ms: latencies[Math.floor(latencies.length * 0.99)] ?? 0,
    statuses,
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
}

function requestOf(url: URL, key: string, body: Buffer, form: BodyForm): Buffer {
  const head = [
    `POST ${url.pathname}?hostname=bench-1&tags=bench HTTP/1.1`,
    `host: ${url.host}`,
    `apikey: ${key}`,
    'content-type: application/json',
    ...(form === 'array-gzip' ? ['content-encoding: gzip'] : []),
    `content-length: ${body.length}`,
    '',
    '',
  ].join('\r\n')
  return Buffer.concat([Buffer.from(head), body])
}

if (import.meta.main) await main(process.argv.slice(2))
