import { once } from 'node:events'
import { type Duplex, duplexPair } from 'node:stream'
import { expect, test } from 'vitest'
import { LateSocket } from './late-socket.ts'

function opened() {
  const opening = Promise.withResolvers<Duplex>()
  const [near, far] = duplexPair()
  let connects = 0
  const socket = new LateSocket(opening.promise, () => void connects++)
  return { opening, near, far, socket, connects: () => connects }
}

test('texts of both sides arrive, also one that was written before the connection was open', async () => {
  const { opening, near, far, socket, connects } = opened()
  socket.write('early')
  expect(connects()).toBe(0)
  opening.resolve(near)
  expect(String((await once(far, 'data'))[0])).toBe('early')
  expect(connects()).toBe(1)
  far.write('answer')
  expect(String((await once(socket, 'data'))[0])).toBe('answer')
  far.end()
  await once(socket, 'end')
})

test('a connection that cannot be opened is an error of the socket', async () => {
  const { opening, socket, connects } = opened()
  opening.reject(new Error('denied'))
  const [error] = await once(socket, 'error')
  expect([(error as Error).message, connects()]).toEqual(['denied', 0])
})

test('a connection that opens after its end is closed', async () => {
  const { opening, near, socket, connects } = opened()
  socket.destroy()
  opening.resolve(near)
  await once(near, 'close')
  expect(connects()).toBe(0)
})

test('answers end the connection when they are too long, counted since the last request', async () => {
  const { opening, near, far, socket } = opened()
  opening.resolve(near)
  let received = 0
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length
  })
  const half = Buffer.alloc(9 * 1024 * 1024)
  const flushed = () => new Promise(done => far.write(half, done))
  socket.write('one')
  await flushed()
  socket.write('two')
  await flushed()
  expect([received, socket.destroyed]).toEqual([2 * half.length, false])
  const ended = once(socket, 'error')
  far.write(half)
  expect(((await ended)[0] as Error).message).toBe('the answer is too long')
})
