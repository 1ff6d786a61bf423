import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import { eventually } from '../support/exported-lines.ts'
import { lastingPort } from '../support/free-port.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { type RunningRole, startRole } from '../support/running-role.ts'

const TOKEN = `sts_${'d'.repeat(40)}`

await describeKafka('weir api while the store is unavailable', {}, cluster => {
  test('is ready, serves the configuration, and answers searches once the store is available', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-api-'))
    const port = String(await lastingPort())
    const environment = {
      PATH: process.env.PATH ?? '',
      LOG_LEVEL: 'error',
      WEIR_PORT: '0',
      KAFKA_BROKERS: cluster.bootstrap.join(),
      KAFKA_REPLICATION: '1',
      KAFKA_TOPIC_PREFIX: `test-${systemEntropy().uuid().slice(0, 8)}.`,
      WEIR_SECRET_KEY: 'ab'.repeat(32),
      WEIR_BOOTSTRAP_ACCESS_TOKEN: TOKEN,
      CLICKHOUSE_URL: `http://127.0.0.1:${port}`,
    }
    const running: RunningRole[] = []
    try {
      const api = await startRole('api', environment)
      running.push(api)
      const statusOf = async (path: string) =>
        (await fetch(`${api.url}${path}`, { headers: { authorization: `Token ${TOKEN}` } })).status
      const search = `/v2/export?from=${Date.now() - 60_000}&to=${Date.now()}`
      expect(await statusOf('/v3/pipeline')).toBe(200)
      expect(await statusOf(search)).toBe(503)
      running.push(await startRole('store', { ...environment, WEIR_DATA_DIR: folder, WEIR_STORE_PORT: port }))
      expect(
        await eventually(
          () => statusOf(search),
          status => status === 200,
        ),
      ).toBe(200)
    } finally {
      for (const role of running) await role.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    }
  }, 60_000)
})
