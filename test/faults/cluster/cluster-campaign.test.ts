import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { describeKafka } from '../../support/kafka/describe-kafka.ts'
import { Auditor } from '../audit.ts'
import { auditedAccount } from './account-audit.ts'
import { ClusterSite, type SiteAccount } from './cluster-site.ts'

const SEED = Number(process.env.SEED ?? 1)

await describeKafka('faults on a cluster', { brokers: 3, faults: true }, cluster => {
  test('the auditor finds changes that were made directly in the store', async () => {
    const site = await ClusterSite.open(cluster, SEED)
    try {
      await site.start()
      const rule = { limit: 20, windowMs: 1_000 }
      const [account] = site.accounts as [SiteAccount]
      await account.pipeline.publish(rule)
      const audit = () => auditedAccount(account, new Auditor(), rule, new Set(['control']))
      account.shipper.host = 'control'
      account.shipper.start()
      await delay(1_500)
      await account.shipper.rest()
      await site.recovery(performance.now(), site.newest)
      const row =
        "SELECT offset, row FROM weir.slotted_lines WHERE level = 'KEPT' ORDER BY offset, row LIMIT 1 OFFSET"
      await statement(
        site.store.url,
        `INSERT INTO weir.slotted_lines SELECT * FROM weir.slotted_lines WHERE (offset, row) IN (${row} 2)`,
      )
      await statement(
        site.store.url,
        `ALTER TABLE weir.slotted_lines DELETE WHERE (offset, row) IN (${row} 5) SETTINGS mutations_sync = 1`,
      )
      const amounts = (await audit()).findings.map(({ kind, amount }) => [kind, amount])
      expect(amounts).toContainEqual(['doubled', 1])
      expect(amounts).toContainEqual(['lost', 1])
      expect(amounts).toHaveLength(2)
    } finally {
      await site.close({ keepsFolder: false })
    }
  }, 300_000)
})

async function statement(url: string, sql: string): Promise<void> {
  const answer = await fetch(url, { method: 'POST', body: sql })
  if (!answer.ok) throw new Error(await answer.text())
}
