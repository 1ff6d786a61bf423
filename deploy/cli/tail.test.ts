import type { Server } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { type ManualClock, manualClock } from '../../engine/clock/manual-clock.ts'
import { type CommandWorld, commandWorld } from '../../test/support/command-world.ts'
import { runProgram } from './program.ts'

/** A service that sends the lines of the test, or refuses. */
let server: Server
let sockets: WebSocket[]
let requests: URL[]
let refuses: { readonly status: number; readonly body: string } | undefined
let clock: ManualClock
let world: CommandWorld

beforeEach(async () => {
  sockets = []
  requests = []
  refuses = undefined
  clock = manualClock()
  server = createServer()
  const accepting = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, socket, head) => {
    requests.push(new URL(request.url ?? '', 'http://service'))
    if (refuses === undefined) accepting.handleUpgrade(request, socket, head, opened => sockets.push(opened))
    else
      socket.end(
        `HTTP/1.1 ${refuses.status} Refused\r\ncontent-length: ${refuses.body.length}\r\n\r\n${refuses.body}`,
      )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  world = newWorld()
})

afterEach(() => {
  for (const socket of sockets) socket.terminate()
  server.close()
})

function newWorld(): CommandWorld {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return commandWorld({ env: { WEIR_URL: url, WEIR_ACCESS_TOKEN: 'sts_x' }, clock })
}

/** Waits for at most ten seconds of real time. */
async function until(isSo: () => boolean): Promise<void> {
  for (const endMs = performance.now() + 10_000; !isSo(); ) {
    if (performance.now() > endMs) throw new Error(`it never was: ${world.out()}${world.err()}`)
    await new Promise(resolve => setTimeout(resolve, 2))
  }
}

/** Like `until`, while time passes. */
function passUntil(isSo: () => boolean): Promise<void> {
  return until(() => {
    if (!isSo()) clock.advance(50)
    return isSo()
  })
}

const record = (number: number) =>
  `{"_ts":${1_700_000_000_000 + number},"_host":"web-1","_app":"nginx","_line":"line ${number}","level":"WARN","id":12345678901234567890}`
const lines = (...numbers: number[]) => `{"e":"p","p":[${numbers.map(record).join()}]}`

test('lines are printed as by a search, and left-out lines are reported separately', async () => {
  const ended = runProgram(['tail', 'a -b', '--app', 'x,y', '--level', 'warn'], world)
  await until(() => sockets.length === 1)
  expect(Object.fromEntries(requests[0]?.searchParams ?? [])).toEqual({
    q: 'a -b',
    apps: 'x,y',
    levels: 'warn',
  })
  sockets[0]?.send(lines(1, 2))
  sockets[0]?.send('{"e":"meta","p":{"dropped":7}}')
  sockets[0]?.send(lines(3))
  await until(() => world.out().includes('line 3'))
  expect(world.out()).toBe(
    [1, 2, 3].map(number => `2023-11-14T22:13:20.00${number}Z web-1 nginx WARN line ${number}\n`).join(''),
  )
  expect(world.err()).toBe('weir: 7 lines were left out: more arrived than could be shown.\n')
  world.stopNow()
  expect(await ended).toBe(0)
})

test('with --json records keep all their digits', async () => {
  const ended = runProgram(['tail', '--json'], world)
  await until(() => sockets.length === 1)
  sockets[0]?.send(lines(1))
  await until(() => world.out() !== '')
  expect(world.out()).toBe(`${record(1)}\n`)
  world.stopNow()
  expect(await ended).toBe(0)
})

test.each([1000, 1001, 1006])('after close code %i it connects again, two seconds later', async code => {
  const ended = runProgram(['tail'], world)
  await until(() => sockets.length === 1)
  if (code === 1006) sockets[0]?.terminate()
  else sockets[0]?.close(code)
  const closedMs = clock.monotonicMs()
  await passUntil(() => sockets.length === 2)
  expect(clock.monotonicMs() - closedMs).toBeGreaterThanOrEqual(2_000)
  sockets[1]?.send(lines(1))
  await until(() => world.out().includes('line 1'))
  world.stopNow()
  expect(await ended).toBe(0)
})

test('a temporary refusal is reported and tried again, and a lasting one ends it', async () => {
  refuses = { status: 429, body: '{"error":"too many","code":"TooManyRequests","status":"error"}' }
  const ended = runProgram(['tail'], world)
  await until(() => world.err().includes('too many'))
  refuses = { status: 401, body: '{"error":"no such token","code":"NotAuthorized","status":"error"}' }
  await passUntil(() => world.err().includes('no such token'))
  expect(await ended).toBe(3)
  expect(world.err()).toContain('does not accept the credential from WEIR_ACCESS_TOKEN: no such token')
  refuses = { status: 409, body: '{"error":"not now","code":"Conflict","status":"error"}' }
  expect(await runProgram(['tail'], newWorld())).toBe(2)
  refuses = { status: 400, body: '{"error":"\\"q\\" is bad","code":"BadRequest","status":"error"}' }
  world = newWorld()
  expect(await runProgram(['tail', '('], world)).toBe(2)
})

test('a service that was never available ends it, and it waits for one that becomes unavailable', async () => {
  const { port } = server.address() as AddressInfo
  const ended = runProgram(['tail'], world)
  await until(() => sockets.length === 1)
  sockets[0]?.terminate()
  await new Promise(resolve => server.close(resolve))
  await passUntil(() => world.err().includes('Nothing answers'))
  await new Promise<void>(resolve => server.listen(port, '127.0.0.1', resolve))
  await passUntil(() => sockets.length === 2)
  world.stopNow()
  expect(await ended).toBe(0)
  sockets[1]?.terminate()
  await new Promise(resolve => server.close(resolve))
  const second = commandWorld({ env: { ...world.env } as Record<string, string>, clock })
  expect(await runProgram(['tail'], second)).toBe(3)
})

test('a connection that is silent for longer than the ping interval is replaced', async () => {
  const ended = runProgram(['tail'], world)
  await until(() => sockets.length === 1)
  clock.advance(74_000)
  sockets[0]?.ping()
  await new Promise(resolve => setTimeout(resolve, 50))
  clock.advance(1_000)
  await new Promise(resolve => setTimeout(resolve, 50))
  expect(sockets[0]?.readyState).toBe(1)
  await passUntil(() => sockets[0]?.readyState === 3)
  await passUntil(() => sockets.length === 2)
  world.stopNow()
  expect(await ended).toBe(0)
})
