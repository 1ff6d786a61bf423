import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { createGunzip, createZstdDecompress, gunzipSync, zstdDecompressSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterEach, describe, expect, test } from 'vitest'
import { testInstallation } from '../../test/support/test-installation.ts'
import { acceptedCoding, compressAnswers } from './compressed-answers.ts'

let app: FastifyInstance | undefined
afterEach(() => app?.close())

const UNPACK = { gzip: gunzipSync, zstd: zstdDecompressSync } as const
const URL = '/v3/pipeline/node-type'

describe('an answer', () => {
  test.each(['gzip', 'zstd'] as const)('is sent with %s to clients that accept it', async coding => {
    const installation = await testInstallation()
    app = installation.app
    const plain = await installation.call({ url: URL })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers.vary).toContain('accept-encoding')
    const packed = await installation.call({ url: URL, headers: { 'accept-encoding': coding } })
    expect(packed.headers['content-encoding']).toBe(coding)
    expect(packed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 3)
    expect(Number(packed.headers['content-length'])).toBe(packed.rawPayload.length)
    expect(UNPACK[coding](packed.rawPayload).equals(plain.rawPayload)).toBe(true)
  })

  test('that is short, or of an error, is the same with and without', async () => {
    const installation = await testInstallation()
    app = installation.app
    const short = await installation.call({ url: '/v3/auth/token', headers: { 'accept-encoding': 'gzip' } })
    expect([short.statusCode, short.headers['content-encoding']]).toEqual([200, undefined])
    const refused = await app.inject({ url: URL, headers: { 'accept-encoding': 'gzip' } })
    expect([refused.statusCode, refused.headers['content-encoding']]).toEqual([401, undefined])
    const head = await installation.call({ method: 'HEAD', url: URL, headers: { 'accept-encoding': 'gzip' } })
    expect(head.headers['content-encoding']).toBeUndefined()
  })
})

describe('a stream', () => {
  async function opened(coding: 'gzip' | 'zstd') {
    app = fastify()
    compressAnswers(app)
    const source = new PassThrough()
    app.get('/', async (_request, reply) => reply.type('application/x-ndjson').send(source))
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const sent = request({ port, host: '127.0.0.1', headers: { 'accept-encoding': coding } })
    sent.end()
    source.write('{"first":1}\n')
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.headers['content-encoding']).toBe(coding)
    response.on('error', () => {}) // a reader that leaves
    return { source, sent, response }
  }

  test.each([
    ['gzip', createGunzip],
    ['zstd', createZstdDecompress],
  ] as const)('with %s gives every piece at once', async (coding, unpacking) => {
    const { source, response } = await opened(coding)
    const unpacked = response.pipe(unpacking())
    const next = async () => String((await once(unpacked, 'data'))[0])
    expect(await next()).toBe('{"first":1}\n')
    source.write('{"second":2}\n')
    expect(await next()).toBe('{"second":2}\n')
    source.end()
    await once(unpacked, 'end')
  })

  test('ends when its reader leaves', async () => {
    const { source, sent } = await opened('gzip')
    source.on('error', () => {})
    const closed = new Promise(resolve => source.once('close', resolve))
    sent.destroy()
    await closed
    expect(source.destroyed).toBe(true)
  })
})

test.each([
  [undefined, undefined],
  ['', undefined],
  ['br, deflate', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['zstd;q=0.1, GZIP;q=0.5', 'gzip'],
  ['zstd;q=0, gzip', 'gzip'],
  ['*', 'zstd'],
  ['*;q=0', undefined],
  ['identity, *;q=0', undefined],
  ['gzip;q=x', undefined],
])('of %j it takes %j', (header, name) => {
  expect(acceptedCoding(header)?.name).toBe(name)
})
