import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { countedLines, eventually } from '../support/exported-lines.ts'
import { RunningWeir } from '../support/running-weir.ts'

/** Memory for bodies that are being received, with and without a key. */
const RECEIVING_BYTES = 128 * 1024 * 1024
const STRANGERS_BYTES = RECEIVING_BYTES / 8
/** Below the limit of a body; half-sent, it is a little less. */
const BODY_BYTES = 2_000_000
const HALF_BYTES = BODY_BYTES - 1_000
/** Held bodies, the buffers of the sockets, and memory that waits for the collector. */
const MAX_GROWTH_BYTES = 4 * RECEIVING_BYTES

let weir: RunningWeir
let senders: SlowSender[]

beforeEach(async () => {
  senders = []
  weir = await RunningWeir.start()
})
afterEach(async () => {
  for (const sender of senders) sender.leave()
  await weir.dispose()
})

const BODY = (() => {
  const [head, tail] = ['{"lines":[{"line":"', '"}]}']
  return Buffer.from(head + 'x'.repeat(BODY_BYTES - head.length - tail.length) + tail)
})()

/** A request whose body stops before its end. */
class SlowSender {
  answer = ''
  readonly #socket: Socket

  constructor(url: string, apikey: string | undefined) {
    const { hostname, port } = new URL(url)
    const headers = ['host: weir', `content-length: ${BODY_BYTES}`]
    if (apikey !== undefined) headers.push(`apikey: ${apikey}`)
    this.#socket = connect(Number(port), hostname)
    this.#socket.on('error', () => {})
    this.#socket.setEncoding('latin1').on('data', text => {
      this.answer += text
    })
    this.#socket.write(`POST /logs/ingest?hostname=slow HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n`)
    this.#socket.write(BODY.subarray(0, HALF_BYTES))
  }

  get status(): number | undefined {
    const status = /^HTTP\/1\.1 (\d+)/.exec(this.answer)?.[1]
    return status === undefined ? undefined : Number(status)
  }

  finish(): void {
    this.#socket.write(BODY.subarray(HALF_BYTES))
  }

  leave(): void {
    this.#socket.destroy()
  }
}

function sendSlowly(count: number, apikey: string | undefined): SlowSender[] {
  const more = Array.from({ length: count }, () => new SlowSender(weir.credentials.ingestUrl, apikey))
  senders.push(...more)
  return more
}

/** Waits until this many senders have an answer. */
async function answered(some: readonly SlowSender[], count: number): Promise<SlowSender[]> {
  const found = () => some.filter(({ status }) => status !== undefined)
  return eventually(
    async () => found(),
    all => all.length >= count,
  )
}

async function post(body: Buffer | string): Promise<Response> {
  const { ingestUrl, ingestionKey } = weir.credentials
  const headers = { apikey: ingestionKey, 'content-type': 'application/json' }
  return fetch(`${ingestUrl}/logs/ingest?hostname=h`, { method: 'POST', headers, body })
}

function residentBytes(): number {
  const status = readFileSync(`/proc/${weir.pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024
}

test('half-sent bodies beyond the memory limit get 503, while everything else and ingestion continue', async () => {
  const before = residentBytes()
  // An account can hold as much as stays free.
  const fit = Math.floor(RECEIVING_BYTES / 2 / HALF_BYTES)
  const slow = sendSlowly(2 * fit, weir.credentials.ingestionKey)
  const refused = await answered(slow, fit)
  expect(refused.length).toBeGreaterThanOrEqual(fit)
  for (const { answer } of refused) {
    expect(answer).toMatch(/^HTTP\/1\.1 503 /)
    expect(answer).toMatch(/^retry-after: 1\r$/m)
    expect(answer).toContain(
      '{"error":"Too many requests are being received at once","code":"ServiceUnavailable"',
    )
  }
  const large = await post(BODY)
  expect([large.status, large.headers.get('retry-after')]).toEqual([503, '1'])
  const { apiUrl } = weir.credentials
  for (const path of ['/healthz', '/readyz', '/metrics'])
    expect((await fetch(`${apiUrl}${path}`)).status).toBe(200)
  expect(await countedLines(weir)).toBe(0)
  expect(residentBytes() - before).toBeLessThan(MAX_GROWTH_BYTES)

  const served = slow.filter(({ status }) => status === undefined)
  for (const sender of served) sender.finish()
  await answered(served, served.length)
  const stored = served.filter(({ status }) => status === 200).length
  expect(stored).toBeGreaterThan(0)

  // All of the room is there again.
  const later = sendSlowly(fit, weir.credentials.ingestionKey)
  for (const sender of later) sender.finish()
  const answers = await answered(later, fit)
  expect(answers.map(({ status }) => status)).toEqual(new Array(fit).fill(200))
  const total = stored + fit
  expect(
    await eventually(
      () => countedLines(weir),
      count => count >= total,
    ),
  ).toBe(total)
  expect(weir.output.match(/Too many requests are being received at once/g)?.length).toBeLessThan(5)
})

test('senders without a key cannot use up the room of senders with one', async () => {
  const fit = Math.floor(STRANGERS_BYTES / HALF_BYTES)
  const strangers = sendSlowly(10 * fit, undefined)
  const refused = await answered(strangers, 9 * fit)
  expect(refused.length).toBeGreaterThanOrEqual(9 * fit)
  for (const { status } of refused) expect(status).toBe(503)
  expect((await post(BODY)).status).toBe(200)
})
