import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { socketAddress } from './socket-address.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'weir-socket-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Answer of a server on a folder's socket to a client that finds the socket itself. */
async function answerAt(dataFolder: string): Promise<string> {
  const [listening, calling] = [socketAddress(dataFolder), socketAddress(dataFolder)]
  if (listening === undefined || calling === undefined) throw new Error('no address')
  const server = createServer((_, response) => response.end('hello'))
  await new Promise<void>(resolve => server.listen({ path: listening.address }, resolve))
  expect(readdirSync(dataFolder)).toContain('operator.sock')
  const answer = await new Promise<string>((resolve, reject) => {
    const outgoing = request({ socketPath: calling.address }, response =>
      response.setEncoding('utf8').on('data', resolve),
    )
    outgoing.on('error', reject).end()
  })
  calling.release()
  await new Promise(resolve => server.close(resolve))
  listening.release()
  return answer
}

test('a socket in a data folder with a path of usual length can be reached', async () => {
  expect(await answerAt(folder)).toBe('hello')
})

test.runIf(process.platform === 'linux')(
  'a socket whose path is longer than an address of a socket can be reached, too',
  async () => {
    const long = join(folder, 'a'.repeat(100), 'ü'.repeat(60))
    mkdirSync(long, { recursive: true })
    expect(await answerAt(long)).toBe('hello')
  },
)

test('the longest path that fits is used unchanged, and one with one more byte is not', () => {
  const rest =
    (process.platform === 'linux' ? 107 : 103) - Buffer.byteLength(join(folder, 'operator.sock')) - 1
  const longest = join(folder, 'a'.repeat(rest))
  const longer = join(folder, 'a'.repeat(rest + 1))
  mkdirSync(longest)
  mkdirSync(longer)
  expect(socketAddress(longest)?.address).toBe(join(longest, 'operator.sock'))
  const address = socketAddress(longer)
  expect(address?.address).not.toBe(join(longer, 'operator.sock'))
  address?.release()
})
