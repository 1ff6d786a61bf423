import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Bodies that a receiver has accepted so far. */
export interface Received {
  readonly lines: number
  readonly requests: number
  /** Times on the clock of the process, in milliseconds; 0: there was none. */
  readonly firstMs: number
  readonly lastMs: number
}

const LINE_FEED = 10

let accepts = true
let lines = 0
let requests = 0
let firstMs = 0
let lastMs = 0

async function linesOf(request: IncomingMessage): Promise<number> {
  let found = 0
  for await (const chunk of request as AsyncIterable<Buffer>)
    for (let at = chunk.indexOf(LINE_FEED); at >= 0; at = chunk.indexOf(LINE_FEED, at + 1)) found++
  return found
}

const server = createServer(async (request, response) => {
  const isAccepted = accepts
  const found = await linesOf(request)
  if (isAccepted) {
    lines += found
    requests++
    lastMs = performance.now()
    firstMs ||= lastMs
  }
  response.writeHead(isAccepted ? 200 : 503).end()
})

process.on('message', ({ accepts: further }: { readonly accepts?: boolean }) => {
  if (further !== undefined) accepts = further
  else process.send?.({ lines, requests, firstMs, lastMs } satisfies Received)
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))
