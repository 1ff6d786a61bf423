import { afterEach, expect, test, vi } from 'vitest'
import { kafkaCluster } from './kafka-cluster.ts'
import { offerSharedBroker, type SharedBroker, sharedBroker } from './shared-broker.ts'

let offered: SharedBroker | undefined

afterEach(async () => {
  await offered?.stop()
  offered = undefined
  vi.unstubAllEnvs()
})

async function offer(start: () => Promise<string>) {
  // The run that this test belongs to has named its own there.
  vi.stubEnv('WEIR_TESTS_SHARED_BROKER', undefined)
  const stop = vi.fn(async () => {})
  const started = vi.fn(async () =>
    kafkaCluster({ name: 'test', bootstrap: [await start()], brokers: [], security: {}, stop }),
  )
  offered = await offerSharedBroker(started)
  return { started, stop }
}

test('a broker starts at the first request, once for all, and stops with the run', async () => {
  const { started, stop } = await offer(async () => '127.0.0.1:9092')
  const ask = sharedBroker()
  expect(started).not.toHaveBeenCalled()
  expect(await Promise.all([ask?.(), ask?.()])).toEqual([['127.0.0.1:9092'], ['127.0.0.1:9092']])
  expect(started).toHaveBeenCalledTimes(1)
  await offered?.stop()
  expect(stop).toHaveBeenCalledTimes(1)
  expect(sharedBroker()).toBeUndefined()
})

test('a request for a broker that cannot start gets the reason', async () => {
  await offer(async () => {
    throw new Error('there is no Java')
  })
  await expect(sharedBroker()?.()).rejects.toThrow('there is no Java')
})
