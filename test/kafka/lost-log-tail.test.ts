import { execFile } from 'node:child_process'
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { LogRecord } from '../../engine/log/log.ts'
import { isRefused } from '../../schemas/log/loss.ts'
import { ThrottledPipeline } from '../faults/throttled-pipeline.ts'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import type { KafkaBroker, KafkaCluster } from '../support/kafka/kafka-cluster.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { RunningRole } from '../support/running-role.ts'
import type { RunningWeir } from '../support/running-weir.ts'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname
const NUMBERS = /--topic ingest --partition 0 --from (\d+) --to (\d+)/

/** Leaves the files that a broker with a lying disk finds at its start: no index refers to records beyond the log. */
function cutTail(
  { data }: KafkaBroker,
  { environment }: RoleCluster,
  bytes: number,
  name: 'weir.ingest' | 'weir.keyed' = 'weir.ingest',
): void {
  const folder = data as string
  const topic = `${environment.KAFKA_TOPIC_PREFIX}${name}-0`
  for (const name of readdirSync(join(folder, topic))) {
    const path = join(folder, topic, name)
    if (name.endsWith('.log')) truncateSync(path, statSync(path).size - bytes)
    if (/\.(index|timeindex|snapshot)$/.test(name)) rmSync(path)
  }
}

/** One partition with its processes, and sixty stored lines of an account. */
async function filledPartition(cluster: KafkaCluster) {
  const roles = await RoleCluster.open(cluster, { partitions: 1, engines: 1 })
  try {
    const ingest = await roles.startIngest()
    const [account] = roles.accounts as [RunningWeir]
    const [engine] = roles.engines as [RunningRole]
    const post = async (line: string, key?: string) => {
      const body = JSON.stringify({ lines: [{ line }] })
      const { ingestionKey } = account.credentials
      const headers = {
        apikey: ingestionKey,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      }
      return fetch(`${ingest.url}/logs/ingest?hostname=h`, { method: 'POST', headers, body })
    }
    for (let line = 0; line < 60; line++) expect((await post(`before ${line}`)).status).toBe(200)
    const stored = await eventually(
      () => roles.storedLines(),
      count => count === 60,
    )
    expect(stored).toBe(60)
    return { roles, ingest, engine, account, post, command: commandsOf(roles) }
  } catch (error) {
    await roles.close()
    throw error
  }
}

/** Runs commands with the settings of the processes. @returns their exit codes and outputs */
function commandsOf({ environment }: RoleCluster): (...args: string[]) => Promise<string> {
  return (...args) =>
    new Promise(resolve => {
      execFile(process.execPath, [PROGRAM, ...args], { env: { ...environment } }, (error, out, err) =>
        resolve(`${error === null ? 0 : error.code} ${out}${err}`),
      )
    })
}

async function ready({ url }: RunningRole): Promise<string> {
  const response = await fetch(`${url}/readyz`)
  return `${response.status} ${await response.text()}`
}

const KEYED_NUMBERS = /--topic keyed --partition 0 --from (\d+) --to (\d+)/
const ACCEPT = ['log', 'accept-loss', '--topic', 'ingest', '--partition', '0', '--from']

await describeKafka('a partition on Kafka that lost its end', { faults: true }, cluster => {
  test('accepts nothing in any process until the loss is accepted, and later lines are found', async () => {
    const [broker] = cluster.brokers as [KafkaBroker]
    if (broker.data === undefined) return
    const { roles, ingest, engine, account, post, command } = await filledPartition(cluster)
    try {
      await broker.kill('SIGKILL')
      cutTail(broker, roles, 3_000)
      await broker.start()
      const reported = await eventually(
        () => ready(ingest),
        text => NUMBERS.test(text),
      )
      expect(reported).toMatch(/^503/)
      // The engine asks the store, which may know of more.
      const known = await eventually(
        () => ready(engine),
        text => NUMBERS.test(text),
      )
      expect(known).toMatch(/^503/)
      const refused = await post('refused')
      expect([refused.status, await refused.text()]).toEqual([503, expect.stringMatching(NUMBERS)])
      // Each process knew of other records at first, and all print the same numbers soon.
      const printed = await eventually(
        async () => [await command('verify'), await ready(ingest), await ready(engine)],
        texts => new Set(texts.map(text => NUMBERS.exec(text)?.[0])).size === 1,
      )
      const [verified = ''] = printed
      expect([...new Set(printed.map(text => NUMBERS.exec(text)?.[0]))]).toHaveLength(1)
      expect(verified).toMatch(/^1 [\s\S]*the log has lost records at its end/)
      const [, from = '', to = ''] = NUMBERS.exec(verified) ?? []
      expect(await command(...ACCEPT, String(Number(from) - 1), '--to', to)).toMatch(/^2 weir: Other records/)
      const wrong = ['--to', String(Number(to) + 1)]
      expect(await command(...ACCEPT, from, ...wrong)).toMatch(/^2 weir: Other records/)
      expect(await command(...ACCEPT, from, '--to', to)).toMatch(/^0 The loss of/)
      const taken = await eventually(
        async () => (await post('after first')).status,
        status => status === 200,
      )
      expect(taken).toBe(200)
      for (let line = 0; line < 200; line++) expect((await post(`after ${line}`)).status).toBe(200)
      const found = await eventually(
        () => exportedLines(account, { query: 'after' }),
        lines => lines.length >= 201,
      )
      expect(new Set(found.map(line => line._line)).size).toBe(201)
      expect(await countedLines(account)).toBe(261)
      expect(
        await eventually(
          () => ready(engine),
          text => text.startsWith('200'),
        ),
      ).toMatch(/^200/)
      expect(await command('verify')).toMatch(/^0 /)
    } finally {
      await roles.close()
    }
  }, 300_000)

  test('a request in flight at that moment was never stored when it was repeated, and verify blamed the store', async () => {
    const [broker] = cluster.brokers as [KafkaBroker]
    if (broker.data === undefined) return
    const { roles, ingest, account, post, command } = await filledPartition(cluster)
    try {
      // The process sleeps through the loss: it sends the request before it can notice.
      ingest.signal('SIGSTOP')
      await broker.kill('SIGKILL')
      cutTail(broker, roles, 3_000)
      await broker.start()
      const inFlight = post('in flight', 'key')
      await setTimeout(100)
      ingest.signal('SIGCONT')
      expect((await inFlight).status).toBe(503)
      const reported = await eventually(
        () => command('verify'),
        text => NUMBERS.test(text),
      )
      const [, from = ''] = NUMBERS.exec(reported) ?? []
      const [landed] = await roles.base.ingest.read(0, BigInt(from) - 1n, 1)
      expect(landed?.value.toString()).toContain('in flight')
      expect(isRefused(landed as LogRecord)).toBe(true)
      // Processes learn from each other how many records are missing.
      const accepted = await eventually(
        async () => {
          const [, first = '', last = ''] = NUMBERS.exec(await command('verify')) ?? []
          return command(...ACCEPT, first, '--to', last)
        },
        text => text.startsWith('0'),
      )
      expect(accepted).toMatch(/^0 The loss of/)
      const taken = await eventually(
        async () => (await post('in flight', 'key')).status,
        status => status === 200,
      )
      expect(taken).toBe(200)
      const found = await eventually(
        () => exportedLines(account, { query: '"in flight"' }),
        lines => lines.length >= 1,
      )
      expect(found.map(line => line._line)).toEqual(['in flight'])
      expect(await countedLines(account)).toBe(61)
      expect(await command('verify')).toMatch(/^0 /)
    } finally {
      await roles.close()
    }
  }, 300_000)

  test('a keyed partition lost its end: lines wait for the acceptance, and each later line is stored once', async () => {
    const [broker] = cluster.brokers as [KafkaBroker]
    if (broker.data === undefined) return
    const roles = await RoleCluster.open(cluster, { partitions: 2, engines: 1 })
    try {
      const ingest = await roles.startIngest()
      const [account] = roles.accounts as [RunningWeir]
      const [engine] = roles.engines as [RunningRole]
      await new ThrottledPipeline(account).publish({ limit: 100_000, windowMs: 1_000 })
      await roles.spread(account)
      const { ingestionKey } = account.credentials
      const headers = { apikey: ingestionKey, 'content-type': 'application/json' }
      const post = async (line: string, number: number) => {
        const body = JSON.stringify({ lines: [{ line, app: `app-${number % 16}`, level: 'limited' }] })
        const url = `${ingest.url}/logs/ingest?hostname=host-${number % 8}`
        return (await fetch(url, { method: 'POST', headers, body })).status
      }
      const command = commandsOf(roles)
      for (let line = 0; line < 60; line++) expect(await post(`before ${line}`, line)).toBe(200)
      const stored = await eventually(
        () => roles.storedLines(),
        count => count === 60,
      )
      expect(stored).toBe(60)

      await broker.kill('SIGKILL')
      cutTail(broker, roles, 2_000, 'weir.keyed')
      await broker.start()
      const reported = await eventually(
        () => ready(engine),
        text => KEYED_NUMBERS.test(text),
      )
      expect(reported).toMatch(/^503/)
      // Lines are still accepted: they wait on their own partitions.
      const taken = await eventually(
        () => post('after 0', 0),
        status => status === 200,
      )
      expect(taken).toBe(200)
      for (let line = 1; line < 200; line++) expect(await post(`after ${line}`, line)).toBe(200)
      const accepted = await eventually(
        async () => {
          const [, from = '', to = ''] = KEYED_NUMBERS.exec(await command('verify')) ?? []
          return command(
            'log',
            'accept-loss',
            '--topic',
            'keyed',
            '--partition',
            '0',
            '--from',
            from,
            '--to',
            to,
          )
        },
        text => text.startsWith('0'),
      )
      expect(accepted).toMatch(/^0 The loss of/)
      const found = await eventually(
        () => exportedLines(account, { query: 'after' }),
        lines => lines.length >= 200,
      )
      const lines = found.map(({ _line }) => _line)
      expect(lines.toSorted()).toEqual(Array.from({ length: 200 }, (_, line) => `after ${line}`).toSorted())
      expect(
        await eventually(
          () => ready(engine),
          text => text.startsWith('200'),
        ),
      ).toMatch(/^200/)
      expect(await command('verify')).toMatch(/^0 /)
    } finally {
      await roles.close()
    }
  }, 300_000)
})
