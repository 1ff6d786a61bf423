import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RunningWeir } from '../support/running-weir.ts'

let weir: RunningWeir
let broker: Server
let connections = 0

beforeAll(async () => {
  weir = await RunningWeir.start({ WEIR_PARTITIONS: '1' })
  broker = createServer(socket => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  await once(broker, 'listening')
})
afterAll(async () => {
  broker.close()
  await weir.dispose()
})

const stream = (port: number) => ({ brokers: [`127.0.0.1:${port}`], topic: 't', user: 'u', password: 'p' })

test('the program accepts a stream to a port that accepts connections', async () => {
  await weir.send('POST', '/v1/config/stream', stream((broker.address() as AddressInfo).port))
  expect(connections).toBe(1)
  expect(await weir.get('/v1/config/stream')).toMatchObject({ topic: 't' })
})

test('a stream to a port of the program itself is refused like one to a closed port', async () => {
  await using other = {
    weir: await RunningWeir.start({ WEIR_PARTITIONS: '1', LOG_LEVEL: 'info' }),
    [Symbol.asyncDispose]: () => other.weir.dispose(),
  }
  const own = Number(new URL(other.weir.credentials.apiUrl).port)
  await expect(other.weir.send('POST', '/v1/config/stream', stream(own))).rejects.toThrow(
    /400 .*no connection was established within 3 s/,
  )
  // The operator sees the reason.
  expect(other.weir.output).toContain('is refused, because')
})
