import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openClusterBase } from '../../deploy/cluster/cluster-base.ts'
import { readSettings } from '../../deploy/settings/settings.ts'
import { systemEntropy } from '../../engine/entropy/system-entropy.ts'
import type { LogRecord } from '../../engine/log/log.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { eventually } from '../support/exported-lines.ts'
import { lastingPort } from '../support/free-port.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import type { KafkaCluster } from '../support/kafka/kafka-cluster.ts'
import { runWeir } from '../support/program.ts'
import { type RunningRole, startRole } from '../support/running-role.ts'

const OWNER = `sts_${'d'.repeat(40)}`
const ROLES = ['api', 'engine', 'ingest', 'all'] as const
const READ_BYTES = 4_000_000

await describeKafka('the configuration of a cluster', {}, cluster => {
  test('a revoked token worked again after the topic was created again without its last records', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-lost-'))
    const storePort = String(await lastingPort())
    const environment = {
      PATH: process.env.PATH ?? '',
      LOG_LEVEL: 'warn',
      WEIR_PORT: '0',
      KAFKA_BROKERS: cluster.bootstrap.join(),
      KAFKA_REPLICATION: '1',
      KAFKA_TOPIC_PREFIX: `lost-${systemEntropy().uuid().slice(0, 8)}.`,
      WEIR_PARTITIONS: '1',
      WEIR_SECRET_KEY: 'ab'.repeat(32),
      WEIR_BOOTSTRAP_ACCESS_TOKEN: OWNER,
      CLICKHOUSE_URL: `http://127.0.0.1:${storePort}`,
    }
    const running = new Set<RunningRole>()
    const start = async (role: string, more: Record<string, string> = {}) => {
      const started = await startRole(role, { ...environment, ...more })
      running.add(started)
      return started
    }
    const startStore = () => start('store', { WEIR_DATA_DIR: folder, WEIR_STORE_PORT: storePort })
    const end = async (role: RunningRole) => {
      running.delete(role)
      return role.end('SIGTERM')
    }
    const weir = (api: RunningRole, ...args: string[]) =>
      runWeir(args, { ...environment, WEIR_URL: api.url, WEIR_ACCESS_TOKEN: OWNER })
    const reads = async (api: RunningRole, token: string) =>
      (await fetch(`${api.url}/v3/pipeline`, { headers: { authorization: `Token ${token}` } })).status
    try {
      const store = await startStore()
      const api = await start('api')
      const token = (await weir(api, 'token', 'create', 'robot', '--expires', '1h')).out.trim()
      const [, keptRecords] = await configurationOf(environment)
      expect((await weir(api, 'token', 'revoke', 'robot')).code).toBe(0)
      expect(await reads(api, token)).toBe(401)
      await end(api)
      await makeAnew(cluster, environment, keptRecords)

      // Every process that reads the configuration is refused, with the same numbers.
      const offsets = new Set<string>()
      for (const role of ROLES) {
        const { code, out, err } = await runWeir([role], environment)
        expect([role, code]).toEqual([role, 1])
        const found = /weir log accept-loss --topic config --partition 0 (--from \d+ --to \d+)/.exec(
          out + err,
        )
        offsets.add(found?.[1] ?? `${role} says: ${out}${err}`)
      }
      expect([...offsets]).toEqual([expect.stringMatching(/^--from 0 --to \d+$/)])
      const [from, to] = [...([...offsets][0] as string).matchAll(/\d+/g)].map(([number]) => number)

      // If the store is away, a process starts, reports it, and ends as soon as the store answers.
      await end(store)
      const unaware = await startRole('api', environment)
      const ready = await fetch(`${unaware.url}/readyz`)
      expect([ready.status, await ready.text()]).toEqual([
        503,
        expect.stringContaining('The store does not have the latest end of the configuration yet'),
      ])
      await startStore()
      expect(
        await eventually(
          async () => hasEnded(unaware),
          gone => gone,
        ),
      ).toBe(true)
      expect(await unaware.end('SIGTERM')).toBe(1)

      const accept = (first: unknown, last: unknown) =>
        runWeir(
          [
            'log',
            'accept-loss',
            '--topic',
            'config',
            '--partition',
            '0',
            '--from',
            `${first}`,
            '--to',
            `${last}`,
          ],
          environment,
        )
      expect((await accept(Number(from) + 1, to)).err).toContain(`--from ${from} --to ${to}`)
      expect(await accept(from, to)).toMatchObject({ code: 0, err: '' })

      const second = await start('api')
      expect(await reads(second, token)).toBe(200)
      expect((await weir(second, 'token', 'revoke', 'robot')).code).toBe(0)
      expect(await reads(second, token)).toBe(401)
      expect((await weir(second, 'audit', '--kind', 'accepted-loss', '--json')).out).toContain(`"to":${to}`)
      await end(second)
      const third = await start('api')
      expect(await reads(third, token)).toBe(401)
    } finally {
      for (const role of running) await role.end('SIGTERM')
      rmSync(folder, { recursive: true, force: true })
    }
  }, 240_000)
})

function hasEnded({ pid }: RunningRole): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}

/** The records of the configuration as they are now. */
async function configurationOf(environment: Readonly<Record<string, string>>) {
  const base = await openClusterBase(readSettings(environment), pino({ level: 'silent' }))
  try {
    const topic = await base.log.topic(CONFIG_TOPIC, 1)
    const { next } = await topic.bounds(0)
    const records: LogRecord[] = []
    while (BigInt(records.length) < next)
      records.push(...(await topic.read(0, BigInt(records.length), READ_BYTES)))
    return [next, records] as const
  } finally {
    await base.group.close()
    await base.log.close()
  }
}

/** Removes the topic and makes it anew with the records that are left. */
async function makeAnew(
  cluster: KafkaCluster,
  environment: Readonly<Record<string, string>>,
  records: readonly LogRecord[],
): Promise<void> {
  const admin = cluster.client().admin()
  await admin.connect()
  await admin.deleteTopics({ topics: [`${environment.KAFKA_TOPIC_PREFIX}${CONFIG_TOPIC}`] })
  await admin.disconnect()
  const base = await eventually(
    () => openClusterBase(readSettings(environment), pino({ level: 'silent' })).catch(() => undefined),
    opened => opened !== undefined,
  )
  if (base === undefined) throw new Error('the topic could not be created again')
  try {
    const topic = await base.log.topic(CONFIG_TOPIC, 1)
    for (const { value } of records) await topic.append(0, { value, producer: null, priority: 'control' })
  } finally {
    await base.group.close()
    await base.log.close()
  }
}
