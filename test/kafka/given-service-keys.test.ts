import { expect, test } from 'vitest'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { type RunningRole, startRole } from '../support/running-role.ts'

const ACCOUNT = '0123456789'
const KEY = 'a1'.repeat(16)
const TOKEN = `sts_${'d'.repeat(40)}`

await describeKafka('service keys of the settings on Kafka', {}, cluster => {
  test('are created once by processes that start together, and an impossible key stops a process', async () => {
    const environment = {
      PATH: process.env.PATH ?? '',
      LOG_LEVEL: 'error',
      WEIR_PORT: '0',
      KAFKA_BROKERS: cluster.bootstrap.join(),
      KAFKA_REPLICATION: '1',
      KAFKA_TOPIC_PREFIX: `test-${systemEntropy().uuid().slice(0, 8)}.`,
      WEIR_SECRET_KEY: 'ab'.repeat(32),
      WEIR_BOOTSTRAP_ACCOUNT_ID: ACCOUNT,
      WEIR_BOOTSTRAP_ACCESS_TOKEN: TOKEN,
      WEIR_SERVICE_KEYS: `${ACCOUNT}:${KEY}`,
      CLICKHOUSE_URL: 'http://127.0.0.1:9',
    }
    const started = await Promise.allSettled([startRole('api', environment), startRole('api', environment)])
    const running = started.flatMap(each => (each.status === 'fulfilled' ? [each.value] : []))
    const keysAt = async ({ url }: RunningRole) => {
      const headers = { authorization: `Token ${TOKEN}` }
      const response = await fetch(`${url}/v1/config/keys?type=service`, { headers })
      return (await response.json()) as { id: string; key: string }[]
    }
    try {
      expect(started.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
      const [first = [], second] = await Promise.all(running.map(keysAt))
      expect(first.filter(({ key }) => key === KEY)).toHaveLength(1)
      expect(second).toEqual(first)
      const wrong = { ...environment, WEIR_SERVICE_KEYS: `ffffffffff:${KEY}` }
      await expect(startRole('api', wrong)).rejects.toThrow(
        'weir: WEIR_SERVICE_KEYS has a key for the account ffffffffff, which does not exist',
      )
    } finally {
      for (const role of running) await role.end('SIGTERM')
    }
  }, 60_000)
})
