import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type TestInstallation, testInstallation } from '../../test/support/test-installation.ts'
import { MAX_UNANSWERED } from './pipelined-requests.ts'

let weir: TestInstallation
let port: number

beforeEach(async () => {
  weir = await testInstallation()
  port = Number(new URL(await weir.app.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterEach(() => weir.app.close())

const requests = (count: number, path = '/healthz') => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count)

async function sent(text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return socket
}

test('thousands of requests at once on one connection kept everybody waiting for a minute, and are not answered', async () => {
  const socket = await sent(requests(2_000, '/openapi.json'))
  let answers = 0
  socket.on('data', data => {
    answers += data.toString('latin1').split('HTTP/1.1 200').length - 1
  })
  await new Promise(resolve => socket.once('close', resolve))
  expect(answers).toBeLessThanOrEqual(MAX_UNANSWERED)
  expect((await weir.call({ url: '/healthz' })).statusCode).toBe(200)
})

test('a few are answered in order, again and again', async () => {
  const socket = await sent(requests(MAX_UNANSWERED))
  let text = ''
  socket.on('data', data => {
    text += data.toString('latin1')
  })
  const answered = async (count: number) => {
    while (text.split('HTTP/1.1 200').length - 1 < count) await once(socket, 'data')
  }
  await answered(MAX_UNANSWERED)
  socket.write(requests(MAX_UNANSWERED))
  await answered(2 * MAX_UNANSWERED)
  socket.destroy()
})
