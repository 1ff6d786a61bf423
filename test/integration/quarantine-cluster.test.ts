import { expect, test } from 'vitest'
import { runHere } from '../support/command-world.ts'
import { deployEndlessNode, ENDLESS_NODE, toldQuarantine } from '../support/endless-node.ts'
import { eventually, exportedLines } from '../support/exported-lines.ts'
import { describeKafka } from '../support/kafka/describe-kafka.ts'
import { RoleCluster } from '../support/role-cluster.ts'
import type { RunningWeir } from '../support/running-weir.ts'

/** Another engine gets the partitions of a killed one after this time. */
const SESSION_TIMEOUT_MS = 6_000

await describeKafka('quarantine in a cluster', {}, kafka => {
  test('an engine that stands at a record ends, and another continues once that record is in quarantine', async () => {
    const cluster = await RoleCluster.open(kafka, {
      ...{ partitions: 1, engines: 0, sessionTimeoutMs: SESSION_TIMEOUT_MS },
    })
    try {
      const [account] = cluster.accounts as readonly [RunningWeir]
      const { url } = await cluster.startIngest()
      const post = async (...lines: string[]) => {
        const { status } = await fetch(`${url}/logs/ingest?hostname=web-1`, {
          method: 'POST',
          headers: { apikey: account.credentials.ingestionKey, 'content-type': 'application/json' },
          body: JSON.stringify({ lines: lines.map(line => ({ line })) }),
        })
        expect(status).toBe(200)
      }
      const stored = (count: number) =>
        eventually(
          () => exportedLines(account),
          lines => lines.length === count,
        )
      const first = await cluster.startEngine(ENDLESS_NODE)
      const node = await deployEndlessNode(account)
      await post('before')
      await stored(1)
      await post('endless', 'beside')
      await post('after')
      expect(await first.ended()).toBeNull()
      const told = toldQuarantine(first.output)
      expect(told.node).toBe(node)

      // The next engine meets the record, too, before or after it is ready.
      const output = await cluster.startEngine(ENDLESS_NODE).then(
        async engine => {
          expect(await engine.ended()).toBeNull()
          return engine.output
        },
        (error: Error) => error.message,
      )
      expect(toldQuarantine(output)).toEqual(told)

      const command = (...args: readonly string[]) => runHere(args, cluster.environment)
      expect(await command('quarantine', '--list')).toMatchObject({
        ...{ code: 0, out: 'No record is in quarantine.\n' },
      })
      expect(await command(...told.command)).toMatchObject({ code: 0, err: '' })
      const { out } = await command('quarantine', '--list', '--json')
      const listed = await account.get<{ data: object[] }>('/v3/system/quarantine')
      expect(listed.data).toEqual([JSON.parse(out)])
      expect(listed.data).toMatchObject([{ offset: Number(told.offset), node, complete: true }])

      await cluster.startEngine(ENDLESS_NODE)
      expect((await stored(2)).map(({ _line }) => _line)).toEqual(['before', 'after'])
      await cluster.stopRoles()
      const verified = await command('verify')
      expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('OK: the store agrees')])
    } finally {
      await cluster.close()
    }
  }, 300_000)
})
