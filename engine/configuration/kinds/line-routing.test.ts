import { expect, test } from 'vitest'
import { CONFIG_TOPIC, partitionOfAccount } from '../../../schemas/log/topics.ts'
import { type ManualClock, manualClock } from '../../clock/manual-clock.ts'
import { seededEntropy } from '../../entropy/seeded-entropy.ts'
import { memoryLog } from '../../log/memory-log.ts'
import { silentLogger } from '../../logger.ts'
import { MINUTE_MS } from '../../times/duration.ts'
import { ConfigurationLog } from '../configuration-log.ts'
import { type LineRouting, lineRouting } from './line-routing.ts'
import { setSpread, spreadReportsOn } from './spread.ts'

const ACCOUNT = '507f1f77bc'
const PARTITIONS = 64
const HOME = partitionOfAccount(ACCOUNT, PARTITIONS)

interface Site {
  readonly clock: ManualClock
  readonly partitionOf: LineRouting
  setSpread(enabled: boolean): Promise<void>
}

async function newSite(): Promise<Site> {
  const clock = manualClock(Date.UTC(2026, 0, 1))
  const entropy = seededEntropy(3)
  const topic = await memoryLog({ clock, entropy }).topic(CONFIG_TOPIC, 1)
  const secretKey = Buffer.alloc(32)
  const configuration = await ConfigurationLog.open({
    topic,
    clock,
    entropy,
    secretKey,
    logger: silentLogger,
  })
  let change = 0
  return {
    clock,
    partitionOf: lineRouting(configuration, PARTITIONS),
    setSpread: async enabled => {
      const atMs = clock.wallMs()
      await setSpread(configuration, {
        account: ACCOUNT,
        enabled,
        partitions: PARTITIONS,
        atMs,
        subjectId: 'test',
      })
      change++
      const reports = spreadReportsOn(configuration)
      for (let partition = 0; partition < PARTITIONS; partition++)
        await reports.report(ACCOUNT, partition, change, atMs)
    },
  }
}

/** A key of a stream that began at this time. */
function keyOf(beganMs: number): string {
  const time = beganMs.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7abc-8def-0123456789ab/7`
}

test('each host has a partition while the account is spread', async () => {
  const { partitionOf, setSpread } = await newSite()
  const partitions = () =>
    new Set(['a', 'b', 'c', 'd'].map(hostname => partitionOf({ account: ACCOUNT, hostname, key: '' })))
  expect([...partitions()]).toEqual([HOME])
  await setSpread(true)
  expect(partitions().size).toBeGreaterThan(1)
  await setSpread(false)
  expect([...partitions()]).toEqual([HOME])
})

test('a key keeps its partition, whatever has changed since', async () => {
  const { clock, partitionOf, setSpread } = await newSite()
  const route = (key: string) => partitionOf({ account: ACCOUNT, hostname: 'h', key })
  const seen = new Map<string, number>()
  const use = (key: string) => {
    const partition = route(key)
    expect(partition).toBe(seen.get(key) ?? partition)
    seen.set(key, partition)
  }
  // A stream begins every quarter of a minute and is used from then on, across four changes.
  for (let step = 0; step < 40; step++) {
    if (step % 10 === 5) await setSpread(step % 20 === 5)
    for (const key of seen.keys()) use(key)
    use(keyOf(clock.wallMs()))
    use(`plain-${step}`)
    clock.advance(MINUTE_MS / 4)
  }
  expect(new Set(seen.values()).size).toBeGreaterThan(1)
})
