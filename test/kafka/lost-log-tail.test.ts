import { execFile } from 'node:child_process'
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { countedLines, eventually, exportedLines } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import type { KafkaBroker } from '../support/kafka/kafka-cluster.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { RunningRole } from '../support/running-role.ts'

const PROGRAM = new URL('../../deploy/bin/weir.mjs', import.meta.url).pathname
const NUMBERS = /--topic ingest --partition 0 --from (\d+) --to (\d+)/

/** Leaves the files that a broker with a lying disk finds at its start: no index refers to records beyond the log. */
function cutTail({ data }: KafkaBroker, bytes: number): void {
  const folder = data as string
  const topic = readdirSync(folder).find(name => name.endsWith('.weir.ingest-0')) as string
  for (const name of readdirSync(join(folder, topic))) {
    const path = join(folder, topic, name)
    if (name.endsWith('.log')) truncateSync(path, statSync(path).size - bytes)
    if (/\.(index|timeindex|snapshot)$/.test(name)) rmSync(path)
  }
}

await describeKafka('a partition on Kafka that lost its end', { faults: true }, cluster => {
  test('accepts nothing in any process until the loss is accepted, and later lines are found', async () => {
    const [broker] = cluster.brokers as [KafkaBroker]
    if (broker.data === undefined) return
    const roles = await RoleCluster.open(cluster, { partitions: 1, engines: 1 })
    try {
      const ingest = await roles.startIngest()
      const [account] = roles.accounts
      if (account === undefined) throw new Error('there is no account')
      const post = async (line: string) => {
        const body = JSON.stringify({ lines: [{ line }] })
        const { ingestionKey } = account.credentials
        const headers = { apikey: ingestionKey, 'content-type': 'application/json' }
        return fetch(`${ingest.url}/logs/ingest?hostname=h`, { method: 'POST', headers, body })
      }
      const ready = async ({ url }: RunningRole) => {
        const response = await fetch(`${url}/readyz`)
        return `${response.status} ${await response.text()}`
      }
      const command = (...args: string[]): Promise<string> =>
        new Promise(resolve => {
          const options = { env: { ...roles.environment } }
          execFile(process.execPath, [PROGRAM, ...args], options, (error, out, err) =>
            resolve(`${error === null ? 0 : error.code} ${out}${err}`),
          )
        })

      for (let line = 0; line < 60; line++) expect((await post(`before ${line}`)).status).toBe(200)
      const stored = await eventually(
        () => roles.storedLines(),
        count => count === 60,
      )
      expect(stored).toBe(60)
      await broker.kill('SIGKILL')
      cutTail(broker, 3_000)
      await broker.start()
      const told = await eventually(
        () => ready(ingest),
        text => NUMBERS.test(text),
      )
      expect(told).toMatch(/^503/)
      const [engine] = roles.engines as [RunningRole]
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
      const accept = ['log', 'accept-loss', '--topic', 'ingest', '--partition', '0', '--from']
      expect(await command(...accept, String(Number(from) - 1), '--to', to)).toMatch(/^2 weir: Other records/)
      const wrong = ['--to', String(Number(to) + 1)]
      expect(await command(...accept, from, ...wrong)).toMatch(/^2 weir: Other records/)
      expect(await command(...accept, from, '--to', to)).toMatch(/^0 The loss of/)
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
  }, 180_000)
})
