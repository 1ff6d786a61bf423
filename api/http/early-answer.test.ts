import { once } from 'node:events'
import { type AddressInfo, createConnection, type Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'

let own: TestInstallation
beforeAll(async () => {
  own = await testInstallation()
  await own.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => own.app.close())

const peers: Socket[] = []
afterEach(() => {
  for (const peer of peers.splice(0)) peer.destroy()
})

/** More bytes than the buffers of a connection can hold: the body can be written completely only if it is read. */
const LARGE_BYTES = 24_000_000
const CHUNK = Buffer.alloc(100_000, 'x')
const SENDERS = 10

/** A sender that reads nothing until it has written everything, as many HTTP libraries do. */
class Sender {
  readonly socket: Socket

  constructor({ app }: TestInstallation) {
    this.socket = createConnection((app.server.address() as AddressInfo).port, '127.0.0.1')
    peers.push(this.socket)
  }

  async write(data: Buffer | string): Promise<void> {
    if (!this.socket.write(data)) await once(this.socket, 'drain')
  }

  async writeBody(bytes: number, isChunked: boolean): Promise<void> {
    for (let left = bytes; left > 0; left -= CHUNK.length) {
      const part = CHUNK.subarray(0, Math.min(left, CHUNK.length))
      if (isChunked) await this.write(`${part.length.toString(16)}\r\n`)
      await this.write(part)
      if (isChunked) await this.write('\r\n')
    }
    if (isChunked) await this.write('0\r\n\r\n')
  }

  /** Everything that the server answers until it closes the connection. */
  async answers(): Promise<string> {
    let text = ''
    for await (const chunk of this.socket) text += chunk
    return text
  }
}

function headOf(line: string, ...headers: string[]): string {
  return [line, 'host: h', ...headers, '', ''].join('\r\n')
}

const FRAMES = [
  ['announced', false, `content-length: ${LARGE_BYTES}`],
  ['chunked', true, 'transfer-encoding: chunked'],
] as const

/** A refusal by the framework's parser closes the connection behind the answer. */
const REFUSALS: readonly (readonly [string, number, Credential, 'lives on' | 'closes'])[] = [
  ['POST /v1/config/view', 413, 'token', 'closes'],
  ['PUT /v1/config/view/x', 413, 'token', 'closes'],
  ['POST /v3/pipeline', 413, 'token', 'closes'],
  ['POST /nothing', 404, 'nothing', 'lives on'],
  ['POST /logs/ingest?hostname=h', 413, 'key', 'lives on'],
  ['POST /logs/ingest?hostname=h', 413, 'nothing', 'lives on'],
  ['POST /v1/config/view', 401, 'nothing', 'lives on'],
  ['POST /v3/pipeline', 401, 'nothing', 'lives on'],
  ['POST /logs/ingest?hostname=h&apikey=wrong', 401, 'nothing', 'lives on'],
  ['POST /v1/00000000-0000-4000-8000-000000000000', 404, 'nothing', 'lives on'],
  ['POST /v1/nothing', 401, 'nothing', 'lives on'],
  ['GET /healthz', 200, 'nothing', 'lives on'],
  ['POST /v1/%zz', 400, 'token', 'lives on'],
]

describe.each(FRAMES)('the sender of a large body (%s) gets the answer', (_kind, isChunked, frame) => {
  test.each(REFUSALS)('to %s, %d, with %s, and the connection %s', async (line, status, kind, after) => {
    const sender = new Sender(own)
    await sender.write(headOf(`${line} HTTP/1.1`, frame, ...carrying(kind)))
    await sender.writeBody(LARGE_BYTES, isChunked)
    await sender.write(headOf('GET /healthz HTTP/1.1', 'connection: close'))
    const next = after === 'closes' ? [] : ['HTTP/1.1 200']
    expect(statusesOf(await sender.answers())).toEqual([`HTTP/1.1 ${status}`, ...next])
  })

  test.each(REFUSALS)('to %s, %d, with %s, even if it wants to close', async (line, status, kind) => {
    const sender = new Sender(own)
    await sender.write(headOf(`${line} HTTP/1.1`, frame, 'connection: close', ...carrying(kind)))
    await sender.writeBody(LARGE_BYTES, isChunked)
    const answers = await sender.answers()
    expect(statusesOf(answers)).toEqual([`HTTP/1.1 ${status}`])
    expect(answers.toLowerCase()).toContain('\r\nconnection: close\r\n')
  })
})

type Credential = 'token' | 'key' | 'nothing'

function carrying(kind: Credential): string[] {
  const { accessToken, ingestionKey } = own.credentials
  if (kind === 'token') return [`authorization: Token ${accessToken}`]
  return kind === 'key' ? [`apikey: ${ingestionKey}`] : []
}

function statusesOf(answers: string): readonly string[] {
  return answers.match(/HTTP\/1\.1 \d+/g) ?? []
}

describe('reading behind an answer', () => {
  const LENGTH = 200_000_000
  const refused = async () => {
    const sender = new Sender(own)
    const head = headOf('POST /v1/config/view HTTP/1.1', `content-length: ${LENGTH}`)
    await sender.write(head)
    const [answer] = (await once(sender.socket, 'data')) as [Buffer]
    return { sender, answer: answer.toString() }
  }

  test('follows it: the answer is complete before a byte of the body is sent', async () => {
    const { answer } = await refused()
    expect(statusesOf(answer)).toEqual(['HTTP/1.1 401'])
    const [, length] = /^content-length: (\d+)$/im.exec(answer) ?? []
    expect(answer.split('\r\n\r\n')[1]).toHaveLength(Number(length))
  })

  test('ends at 64 MiB: then the connection of the sender is closed', async () => {
    const { sender } = await refused()
    const closed = over(sender.socket)
    await sender.writeBody(64 * 1024 * 1024, false)
    expect(sender.socket.destroyed).toBe(false)
    void sender.writeBody(LARGE_BYTES, false).catch(() => {})
    await closed
  })

  test('ends at 16,384 chunks, however small they are: then the connection of the sender is closed', async () => {
    const sender = new Sender(own)
    await sender.write(headOf('POST /v3/pipeline HTTP/1.1', 'transfer-encoding: chunked'))
    sender.socket.write('1\r\n \r\n'.repeat(16_385))
    expect(await sender.answers()).toMatch(/^HTTP\/1.1 401/)
  })

  test('ends after a minute: then the connection is closed', async () => {
    const sender = new Sender(own)
    const head = headOf('POST /v1/config/view HTTP/1.1', 'content-length: 2')
    await sender.write(head)
    await once(sender.socket, 'data')
    own.clock.advance(59_999)
    await sender.write(`{}${head}`)
    const [next] = (await once(sender.socket, 'data')) as [Buffer]
    expect(statusesOf(next.toString())).toEqual(['HTTP/1.1 401'])
    const closed = once(
      sender.socket.on('error', () => {}),
      'close',
    )
    own.clock.advance(60_000)
    await closed
  })

  test('takes a chunk of all senders per turn of the event loop, so that others have their turns', async () => {
    const connections: Socket[] = []
    const note = (socket: Socket) => void connections.push(socket)
    own.app.server.on('connection', note)
    const senders = Array.from({ length: SENDERS }, () => new Sender(own))
    const head = headOf('POST /logs/ingest?apikey=wrong HTTP/1.1', `content-length: ${LARGE_BYTES}`)
    for (const { socket } of senders)
      socket.write(Buffer.concat([Buffer.from(head), Buffer.alloc(LARGE_BYTES)]))
    const readBytes = () => connections.reduce((sum, { bytesRead }) => sum + bytesRead, 0)
    let most = 0
    for (let before = 0; before < (SENDERS * LARGE_BYTES) / 2; ) {
      await setImmediate()
      const now = readBytes()
      most = Math.max(most, now - before)
      before = now
    }
    own.app.server.off('connection', note)
    // All of them may have sent a first chunk at once.
    expect(most).toBeLessThanOrEqual(2 * SENDERS * 65_536)
  })

  test('also happens behind answers to HTTP/1.0', async () => {
    const sender = new Sender(own)
    await sender.write(`POST /logs/ingest HTTP/1.0\r\ncontent-length: ${LARGE_BYTES}\r\n\r\n`)
    await sender.writeBody(LARGE_BYTES, false)
    expect(statusesOf(await sender.answers())).toEqual(['HTTP/1.1 413'])
  })
})

/** Resolves once the server has closed the connection, with a reset or without. */
function over(socket: Socket): Promise<void> {
  return new Promise(resolve => socket.on('error', () => {}).once('close', () => resolve()))
}
