import { expect, test } from 'vitest'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { silentLogger } from '../logger.ts'
import { bootstrap } from './bootstrap.ts'
import { ConfigurationLog, replace } from './configuration-log.ts'
import { accounts } from './entities.ts'
import { lineRules, noLineRules } from './kinds/line-rules.ts'
import { leastRetentionDays } from './retention-history.ts'

const AUTHOR = { subjectId: 'test', account: '' }

async function open(snapshotEveryEvents?: number) {
  const clock = manualClock()
  const entropy = seededEntropy(3)
  const topic = await memoryLog({ clock, entropy }).topic('weir.config', 1)
  const secretKey = Buffer.alloc(32, 7)
  const options = { topic, clock, entropy, secretKey, logger: silentLogger }
  const log = await ConfigurationLog.open({ ...options, ...(snapshotEveryEvents && { snapshotEveryEvents }) })
  await bootstrap(log, { clock, entropy }, { accountId: '0123456789' })
  const setRetention = async (retentionDays: number) => {
    const entity = log.get(accounts, '0123456789')
    if (entity === undefined) throw new Error('the account is gone')
    await log.append([replace(accounts, entity, { ...entity.value, retentionDays })], AUTHOR)
  }
  const setRules = async (...rules: (readonly [days: number, active: boolean])[]) => {
    const account = '0123456789'
    const rule = { name: '', priority: 1, host: '', app: 'a', level: '', query: '' }
    const retentionRules = rules.map(([days, active], index) => ({ id: `${index}`, days, active, ...rule }))
    const value = { ...noLineRules(account), retentionRules }
    await log.append([{ kind: lineRules, id: account, expectedVersion: -1, value }], AUTHOR)
  }
  return { topic, setRetention, setRules }
}

test('the shortest retention that an account ever had counts, not the present one', async () => {
  const { topic, setRetention } = await open()
  expect((await leastRetentionDays(topic))('0123456789')).toBe(30)
  for (const days of [60, 3, 90]) await setRetention(days)
  expect((await leastRetentionDays(topic))('0123456789')).toBe(3)
})

test('the default counts if it is shorter, because lines may arrive before the cut', async () => {
  const { topic, setRetention } = await open()
  await setRetention(365)
  expect((await leastRetentionDays(topic))('0123456789')).toBe(30)
  expect((await leastRetentionDays(topic))('nobody')).toBe(30)
})

test('snapshots are skipped', async () => {
  const { topic, setRetention } = await open(2)
  for (const days of [60, 50, 7, 40, 45]) await setRetention(days)
  expect((await topic.bounds(0)).next).toBeGreaterThan(6n)
  expect((await leastRetentionDays(topic))('0123456789')).toBe(7)
})

test('rules that were ever active count, too', async () => {
  const { topic, setRules } = await open()
  await setRules([45, true], [3, false])
  expect((await leastRetentionDays(topic))('0123456789')).toBe(30)
  await setRules([7, true])
  await setRules()
  expect((await leastRetentionDays(topic))('0123456789')).toBe(7)
  expect((await leastRetentionDays(topic))('nobody')).toBe(30)
})
