import { expect, test } from 'vitest'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { runWeir } from '../support/program.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { RunningWeir } from '../support/running-weir.ts'

const LOOK_EVERY_MS = 20

await describeKafka('access tokens in a cluster', {}, kafka => {
  test('a token made by the command line works at every process, and at none once it is revoked', async () => {
    const cluster = await RoleCluster.open(kafka, { partitions: 1, engines: 0 })
    try {
      const [account] = cluster.accounts as readonly [RunningWeir]
      const { url: second } = await cluster.startApi()
      const { url: ingest } = await cluster.startIngest()
      const weir = (...args: string[]) =>
        runWeir(args, {
          ...account.environment,
          WEIR_URL: account.credentials.apiUrl,
          WEIR_ACCESS_TOKEN: account.credentials.accessToken,
        })
      const created = await weir('token', 'create', 'robot', '--expires', '1h')
      expect([created.code, created.out]).toEqual([0, expect.stringMatching(/^sts_[0-9a-f]{40}\n$/)])
      const secret = created.out.trim()
      const headers = { authorization: `Token ${secret}`, 'content-type': 'application/json' }
      const read = async () => (await fetch(`${second}/v3/pipeline`, { headers })).status
      const send = async () => {
        const body = JSON.stringify({ lines: [{ line: 'a' }] })
        return (await fetch(`${ingest}/logs/ingest?hostname=h`, { method: 'POST', headers, body })).status
      }
      const reaching = async (call: () => Promise<number>, status: number) => {
        while ((await call()) !== status) await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
      }
      await Promise.all([reaching(read, 200), reaching(send, 200)])
      expect((await weir('token', 'revoke', 'robot')).code).toBe(0)
      await Promise.all([reaching(read, 401), reaching(send, 401)])
      // The process that took no part in them reports both.
      const answer = await fetch(`${second}/v1/config/audit?kind=token&limit=2`, {
        headers: { authorization: `Token ${account.credentials.accessToken}` },
      })
      expect(await answer.json()).toMatchObject({
        events: [
          { action: 'removed', name: 'robot', actor: { name: 'first start' } },
          { action: 'created', name: 'robot' },
        ],
      })
    } finally {
      await cluster.close()
    }
  }, 180_000)
})
