import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { LinkProxy } from './link-proxy.ts'

const PRELOAD = new URL('./process-preload.ts', import.meta.url).pathname

let echo: Server
let link: LinkProxy

beforeEach(async () => {
  echo = createServer(socket => void socket.on('error', () => undefined).pipe(socket))
  echo.listen(0, '127.0.0.1')
  await once(echo, 'listening')
  link = await LinkProxy.open(portOf(echo))
})

afterEach(() => {
  link.close()
  echo.close()
})

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

async function connected(port = link.port): Promise<Socket> {
  // Resets at the end of a test do not matter.
  const socket = connect({ host: '127.0.0.1', port }).on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

async function answered(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  return String((await once(socket, 'data'))[0])
}

test('sent bytes arrive, and a cut ends the connection like a reset', async () => {
  const socket = await connected()
  expect(await answered(socket, 'hello')).toBe('hello')
  link.cut()
  const [error] = await once(socket, 'error')
  expect(error.code).toBe('ECONNRESET')
  link.heal()
  expect(await answered(await connected(), 'again')).toBe('again')
})

test('a stalled connection stays open, and delivers waiting bytes after it is healed', async () => {
  const socket = await connected()
  link.stall()
  const heard: string[] = []
  socket.on('data', chunk => heard.push(String(chunk)))
  socket.write('late')
  const other = await connected(portOf(echo))
  expect(await answered(other, 'beside it')).toBe('beside it')
  expect(heard).toEqual([])
  link.heal()
  await once(socket, 'data')
  expect(heard).toEqual(['late'])
})

test.each([
  ['alone', ['POST / HTTP/1.1\r\n\r\n', 'body\r\n\r\n']],
  ['with its body', ['POST / HTTP/1.1\r\n\r\nbody\r\n\r\n']],
])(
  'while a connection is stalled, the head of a request can pass, and its body waits: %s',
  async (_, sent) => {
    const taken = once(echo, 'connection').then(([far]) => once(far as Socket, 'data'))
    const socket = await connected()
    let heard = ''
    socket.on('data', chunk => {
      heard += String(chunk)
    })
    link.stall({ heads: true })
    for (const [index, text] of sent.entries()) {
      socket.write(text)
      if (index < sent.length - 1) await taken
    }
    expect(String((await taken)[0])).toBe('POST / HTTP/1.1\r\n\r\n')
    // The echo of the head waits, too.
    await expect.poll(() => link.heldBytes).toBe('body\r\n\r\n'.length + 'POST / HTTP/1.1\r\n\r\n'.length)
    expect(heard).toBe('')
    link.heal()
    await expect.poll(() => heard).toBe('POST / HTTP/1.1\r\n\r\nbody\r\n\r\n')
  },
)

test('a process with the preload connects through its proxy, and its clock follows its file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-preload-'))
  const clock = join(folder, 'clock')
  writeFileSync(clock, '3600000')
  const program = `
    const socket = require('node:net').connect({ host: '127.0.0.1', port: ${portOf(echo)} })
    socket.on('connect', () => console.log(socket.remotePort, Date.now(), new Date().getTime(), new Date(5).getTime()))
    socket.on('error', () => {})
    setInterval(() => console.log('0', Date.now()), 20)`
  const child = spawn(process.execPath, ['--import', PRELOAD, '--eval', program], {
    env: { FAULT_LINKS: JSON.stringify({ [portOf(echo)]: link.port }), FAULT_CLOCK: clock },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    const next = async () => ((await lines.next()).value as string).split(' ').map(Number)
    let words = await next()
    while (words[0] === 0) words = await next()
    const [port, now, made, given] = words
    expect(port).toBe(link.port)
    expect((now ?? 0) - Date.now()).toBeGreaterThan(3_500_000)
    expect((made ?? 0) - Date.now()).toBeGreaterThan(3_500_000)
    expect(given).toBe(5)
    writeFileSync(clock, '-3600000')
    while (((await next())[1] ?? 0) > Date.now() - 3_500_000);
  } finally {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  }
})
