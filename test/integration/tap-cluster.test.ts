import { expect, test } from 'vitest'
import { DAY_MS } from '../../engine/times/duration.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { lineOf, type OpenedTap, tapByEvents } from '../support/opened-tap.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { RunningWeir } from '../support/running-weir.ts'

const PARTITIONS = 2
const PASSING = 5

/** ingest → at most some lines a day by app → own store */
async function deploy(account: RunningWeir) {
  const create = async (path: string, body: object) =>
    (await account.send<{ data: { id: string } }>('POST', path, body)).data.id
  const pipeline = await create('/v3/pipeline', { title: 'watched' })
  const source = await create(`/v3/pipeline/${pipeline}/source`, { type: 'log-analysis-ingestion' })
  const throttle = await create(`/v3/pipeline/${pipeline}/transform`, {
    type: 'throttle',
    inputs: [source],
    user_config: { threshold: PASSING, window_ms: DAY_MS, key_field: '.app' },
  })
  await create(`/v3/pipeline/${pipeline}/sink`, { type: 'mezmo', inputs: [throttle], user_config: {} })
  const publish = () => account.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
  await publish()
  const sourceTap = `/v3/pipeline/${pipeline}/source/${source}/tap?limit=1000`
  const throttleTap = `/v3/pipeline/${pipeline}/transform/${throttle}/tap?limit=1000`
  const rename = (title: string) =>
    account.send('PUT', `/v3/pipeline/${pipeline}/source/${source}`, {
      type: 'log-analysis-ingestion',
      title,
    })
  return { sourceTap, throttleTap, publish, rename }
}

async function nextLines(tap: OpenedTap, count: number): Promise<string[]> {
  const lines: string[] = []
  while (lines.length < count) lines.push(String(lineOf(await tap.next())))
  return lines.sort()
}

await describeKafka('taps in a cluster', {}, kafka => {
  test('an API process without an engine shows events that leave nodes, on one partition and on all', async () => {
    const cluster = await RoleCluster.open(kafka, { partitions: PARTITIONS, engines: 1 })
    try {
      const [account] = cluster.accounts as readonly [RunningWeir]
      const { url } = await cluster.startIngest()
      const post = async (host: string, lines: readonly string[], app = 'x') => {
        const { status } = await fetch(`${url}/logs/ingest?hostname=${host}`, {
          method: 'POST',
          headers: { apikey: account.credentials.ingestionKey, 'content-type': 'application/json' },
          body: JSON.stringify({ lines: lines.map(line => ({ line, app })) }),
        })
        expect(status).toBe(200)
      }
      const deployed = await deploy(account)
      await post('h', ['before'])
      const source = await tapByEvents(account, deployed.sourceTap)
      expect(await source.next()).toMatchObject({ type: 'revision', revision: 1 })
      await post('h', ['a', 'b'])
      expect(await nextLines(source, 2)).toEqual(['a', 'b'])
      await deployed.rename('renamed')
      await deployed.publish()
      await post('h', ['c'])
      expect(await source.next()).toMatchObject({ type: 'revision', revision: 2 })
      expect(lineOf(await source.next())).toBe('c')
      source.close()

      await cluster.spread(account)
      const everywhere = await tapByEvents(account, deployed.sourceTap)
      const throttled = await tapByEvents(account, deployed.throttleTap)
      await everywhere.next()
      await throttled.next()
      const hosts = Array.from({ length: 20 }, (_, index) => `host-${index}`)
      for (const host of hosts) await post(host, [host])
      expect(await nextLines(everywhere, hosts.length)).toEqual(hosts.toSorted())
      // Four have passed before, so one is left.
      expect(hosts).toContain(lineOf(await throttled.next()))
      await post('h', ['of another app'], 'y')
      expect(lineOf(await throttled.next())).toBe('of another app')
      throttled.close()
      everywhere.close()
    } finally {
      await cluster.close()
    }
  }, 180_000)
})
