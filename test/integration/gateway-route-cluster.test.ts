import { expect, test } from 'vitest'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { RoleCluster } from '../support/role-cluster.ts'

const ROUNDS = 3
const SENDERS = [0, 1, 2]

await describeKafka('gateway routes in a cluster', {}, kafka => {
  test('events that arrive at the moment of a resumption are acknowledged only if a pipeline reads them', async () => {
    const cluster = await RoleCluster.open(kafka, { partitions: 2, engines: 1 })
    try {
      const [ingest, weir] = [await cluster.startIngest(), cluster.accounts[0]]
      if (weir === undefined) throw new Error('there is no account')
      const create = async (path: string, body: object) =>
        (await weir.send<{ data: { id: string; key: string } }>('POST', path, body)).data
      const { id: pipeline } = await create('/v3/pipeline', { title: 'doors' })
      const { id: route } = await create(`/v3/pipeline/${pipeline}/source`, { type: 'http' })
      await create(`/v3/pipeline/${pipeline}/sink`, { type: 'mezmo', inputs: [route] })
      const { key } = await create(`/v3/pipeline/gateway-route/${route}/access-key`, {
        title: 'gate',
        type: 'generated',
      })
      let sawComing = Promise.withResolvers<void>()
      const push = async (events: readonly object[]) => {
        const response = await fetch(`${ingest.url}/v1/${route}`, {
          method: 'POST',
          headers: { apikey: key },
          body: JSON.stringify(events),
        })
        if ((await response.text()).includes('about to start')) sawComing.resolve()
        return response.status
      }
      const pushed = (number: number) =>
        eventually(
          () => push([{ number }]),
          status => status === 200,
        )

      const first = pushed(0)
      await weir.send('POST', `/v3/pipeline/${pipeline}/publish`, {})
      expect(await first).toBe(200)
      for (let round = 1; round <= ROUNDS; round++) {
        await weir.send('POST', `/v3/pipeline/${pipeline}/pause`, {})
        await eventually(
          () => push([]),
          status => status === 503,
        )
        // The engines are paused: the configuration says that the pipeline runs, and the log does not yet.
        cluster.pause()
        sawComing = Promise.withResolvers()
        const senders = Promise.all(SENDERS.map(sender => pushed(10 * round + sender)))
        const resumed = weir.send('POST', `/v3/pipeline/${pipeline}/resume`, {})
        await Promise.race([sawComing.promise, senders])
        cluster.resume()
        expect(await senders).toEqual(SENDERS.map(() => 200))
        await resumed
      }
      const rounds = Array.from({ length: ROUNDS }, (_, index) => index + 1)
      const expected = [0, ...rounds.flatMap(round => SENDERS.map(sender => 10 * round + sender))]
      const lines = await eventually(
        () => exportedLines(weir),
        found => found.length >= expected.length,
      )
      const numbers = lines.map(line => (JSON.parse(line._line) as { number: number }).number)
      expect(numbers.toSorted((a, b) => a - b)).toEqual(expected)
    } finally {
      await cluster.close()
    }
  }, 180_000)
})
