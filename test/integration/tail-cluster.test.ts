import { expect, test } from 'vitest'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { openTail } from '../support/opened-tail.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { RunningWeir } from '../support/running-weir.ts'

await describeKafka('live tails in a cluster', {}, kafka => {
  test('API processes without an engine show lines while other processes are paused or killed, and accounts spread', async () => {
    const cluster = await RoleCluster.open(kafka, { partitions: 2, engines: 1 })
    try {
      const [account] = cluster.accounts as readonly [RunningWeir]
      const { url } = await cluster.startIngest()
      const second = await cluster.startApi()
      const post = async (host: string, ...lines: string[]) => {
        const { status } = await fetch(`${url}/logs/ingest?hostname=${host}`, {
          method: 'POST',
          headers: { apikey: account.credentials.ingestionKey, 'content-type': 'application/json' },
          body: JSON.stringify({ lines: lines.map(line => ({ line })) }),
        })
        expect(status).toBe(200)
      }
      await post('h', 'before')
      const one = await openTail(account)
      const other = await openTail({ credentials: { ...account.credentials, apiUrl: second.url } })
      cluster.pause()
      await post('h', 'a', 'b')
      expect((await one.until(2)).map(({ _line }) => _line)).toEqual(['a', 'b'])
      expect(await other.until(2)).toEqual(one.lines)
      cluster.resume()

      await second.end('SIGKILL')
      expect(await other.ended()).toBe(1006)
      await cluster.spread(account)
      const hosts = Array.from({ length: 20 }, (_, index) => `host-${index}`)
      for (const host of hosts) await post(host, host)
      const shown = (await one.until(2 + hosts.length)).slice(2)
      expect(shown.map(({ _line }) => _line).sort()).toEqual(hosts.toSorted())
      const stored = await eventually(
        () => exportedLines(account),
        lines => lines.length > 2 + hosts.length,
      )
      const byId = (lines: readonly { _id?: unknown }[]) =>
        lines.toSorted((a, b) => (String(a._id) < String(b._id) ? -1 : 1))
      expect(byId(one.lines)).toEqual(byId(stored.filter(({ _line }) => _line !== 'before')))
      one.close()
    } finally {
      await cluster.close()
    }
  }, 180_000)
})
