import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createConnection, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { afterEach, describe, expect, test } from 'vitest'
import type { LineSearch } from '../../engine/store/search/line-selection.ts'
import type { Store } from '../../engine/store/store.ts'
import { FOUND_ROW } from '../../test/support/found-row.ts'
import { MemoryStore } from '../../test/support/memory-store.ts'
import {
  TEST_SETTINGS,
  type TestInstallation,
  testInstallation,
} from '../../test/support/test-installation.ts'

const TLS = {
  cert: readFileSync(new URL('../../test/data/tls/cert.pem', import.meta.url)),
  key: readFileSync(new URL('../../test/data/tls/key.pem', import.meta.url)),
}

const peers: Socket[] = []
afterEach(() => {
  for (const peer of peers.splice(0)) peer.destroy()
})

async function listening(overrides: Parameters<typeof testInstallation>[0] = {}): Promise<TestInstallation> {
  const own = await testInstallation(overrides)
  await own.app.listen({ host: '127.0.0.1', port: 0 })
  return own
}

/** A connection that the server has accepted, and its answers so far. */
async function peer(own: TestInstallation): Promise<{ socket: Socket; answer: () => string }> {
  const accepted = once(own.app.server, 'connection')
  const socket = createConnection((own.app.server.address() as AddressInfo).port, '127.0.0.1')
  peers.push(socket)
  await accepted
  return { socket, answer: collected(socket) }
}

function collected(socket: Socket): () => string {
  let text = ''
  socket.on('error', () => {})
  socket.on('data', chunk => {
    text += chunk.toString()
  })
  return () => text
}

const HALVES = ['{"lines":[{"lin', 'e":"late"}]}'] as const

/** A request without the second half of its body. */
function halfRequest(url: string, ...headers: string[]): string {
  const length = HALVES.join('').length
  return `POST ${url} HTTP/1.1\r\n${['host: h', `content-length: ${length}`, ...headers].join('\r\n')}\r\n\r\n${HALVES[0]}`
}

describe('no client can delay a stop', () => {
  // The clock stands still, so anything that waits for time waits for ever.
  test.each([
    ['never sent a byte', ''],
    ['sent half of a request head', 'POST /logs/ingest?hostname=h HTTP/1.1\r\nhost'],
  ])('a connection that %s is closed at once', async (_name, sent) => {
    const own = await listening()
    const { socket } = await peer(own)
    socket.write(sent)
    const closed = once(socket, 'close')
    socket.resume()
    await own.app.close()
    await closed
  })

  test('a connection between two requests is closed at once', async () => {
    const own = await listening()
    const { socket, answer } = await peer(own)
    socket.write('GET /healthz HTTP/1.1\r\nhost: h\r\n\r\n')
    await once(socket, 'data')
    expect(answer()).toMatch(/^HTTP\/1\.1 200 /)
    await own.app.close()
  })

  test('a connection whose request was refused before its body came is closed at once', async () => {
    const own = await listening()
    const { socket, answer } = await peer(own)
    socket.write(halfRequest('/logs/ingest?hostname=h', 'apikey: wrong'))
    await once(socket, 'data')
    expect(answer()).toMatch(/^HTTP\/1\.1 401 /)
    await own.app.close()
  })

  test('connections of HTTPS, before their handshake and after it, are closed at once', async () => {
    const own = await listening({ settings: { ...TEST_SETTINGS, tls: TLS } })
    await peer(own)
    const { port } = own.app.server.address() as AddressInfo
    const secure = once(own.app.server, 'secureConnection')
    const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false })
    peers.push(socket)
    collected(socket)
    await secure
    await own.app.close()
  })

  test('a request whose body is completed in time is answered, and its connection is closed', async () => {
    const own = await listening()
    const { socket, answer } = await peer(own)
    const begun = once(own.app.server, 'request')
    socket.write(halfRequest('/logs/ingest?hostname=h', `apikey: ${own.credentials.ingestionKey}`))
    await begun
    const closed = own.app.close()
    const over = once(socket, 'end')
    socket.write(HALVES[1])
    await over
    await closed
    expect(answer()).toMatch(/^HTTP\/1\.1 200 /)
    expect(answer().toLowerCase()).toContain('\r\nconnection: close\r\n')
    expect(answer().toLowerCase()).not.toContain('keep-alive')
  })

  test.each(['/logs/ingest?hostname=h', '/v3/pipeline'])(
    'a body for %s that is never completed is waited for no longer than 4 s',
    async url => {
      const own = await listening()
      const { socket } = await peer(own)
      const { ingestionKey, accessToken } = own.credentials
      const begun = once(own.app.server, 'request')
      socket.write(halfRequest(url, `apikey: ${ingestionKey}`, `authorization: Token ${accessToken}`))
      await begun
      await closedAfter4s(own)
    },
  )

  test('a client that does not read its export is waited for no longer than 4 s', async () => {
    const own = await listening({ store: endlessStore() })
    const { socket } = await peer(own)
    socket.pause()
    const begun = once(own.app.server, 'request')
    const authorization = `authorization: Token ${own.credentials.accessToken}`
    socket.write(`GET /v1/export?from=1&to=2 HTTP/1.1\r\nhost: h\r\n${authorization}\r\n\r\n`)
    await begun
    await once(socket, 'readable')
    await closedAfter4s(own)
  })
})

/** Asserts that the server closes after four seconds and not earlier: open requests have that time. */
async function closedAfter4s({ app, clock }: TestInstallation): Promise<void> {
  let isClosed = false
  const closed = app.close().then(() => {
    isClosed = true
  })
  await untilUnused(app.server)
  clock.advance(3_999)
  await new Promise(resolve => setImmediate(resolve))
  expect(isClosed).toBe(false)
  clock.advance(1)
  await closed
}

/** Resolves once the server no longer listens and everything that happens immediately has happened. */
async function untilUnused(server: { listening: boolean }): Promise<void> {
  while (server.listening) await new Promise(resolve => setImmediate(resolve))
}

/** A store whose answers never end. */
function endlessStore(): Store {
  const rows = Array.from({ length: 100 }, () => ({ ...FOUND_ROW, line: 'x'.repeat(10_000), found: 1 }))
  const search = (): LineSearch => ({
    access: 'scan',
    async *rows() {
      for (;;) yield rows
    },
    async *parts() {
      for (;;) yield { rows }
    },
  })
  return Object.assign(new MemoryStore(), { search })
}
