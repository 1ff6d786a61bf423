import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { KafkaProduction } from '../../engine/outbound/kafka-exchange.ts'
import { KafkaProducers } from './kafka-producers.ts'
import { networkOutbound } from './network-outbound.ts'
import { tcpOutbound } from './tcp-outbound.ts'

const sockets: Socket[] = []
/** A broker that never answers. */
const silent = createServer(socket => sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
const rules = () => undefined
const producers = new KafkaProducers(
  networkOutbound({ ...tcpOutbound({ rules }), rules: () => undefined, logId: 'l' }),
)

afterEach(async () => {
  for (const socket of sockets) socket.destroy()
  silent.close()
  await producers.close()
})

test('an account does not wait for a cluster that another one reaches with equal settings', async () => {
  if (!silent.listening) await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const production: KafkaProduction = {
    ...{ brokers: [{ host: '127.0.0.1', port }], topic: 't', compression: 'none', stickiness: 's' },
    records: [{ key: null, value: 'x', headers: {}, timestampMs: 0 }],
  }
  const ended = new AbortController()
  const sent = ['a', 'b'].map(owner => producers.send({ ...production, owner }, ended.signal))
  while (sockets.length < 2) await once(silent, 'connection')
  ended.abort(new Error('the end'))
  for (const each of sent) await expect(each).rejects.toThrow('the end')
  expect(sockets.length).toBe(2)
})
