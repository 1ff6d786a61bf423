import { setTimeout } from 'node:timers/promises'
import { pino } from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { ConfigurationLog } from '../../engine/configuration/configuration-log.ts'
import type { EndMark, MarkKeeper } from '../../engine/configuration/end-mark.ts'
import { quarantines } from '../../engine/configuration/kinds/quarantine.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import { GuardedTopic } from '../../engine/log/guarded-topic.ts'
import type { Topic } from '../../engine/log/log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { CONFIG_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue } from '../../test/support/line-batches.ts'
import { newWorld } from '../../test/support/world.ts'
import { configurationEnd } from '../configuration-guard.ts'
import type { Installation } from '../installation.ts'
import { quarantineInInstallation } from './quarantine-installation.ts'

type Parts = Parameters<typeof quarantineInInstallation>[0]

/** Mark of the configuration's end in a store that takes a moment to write it. */
class SlowMark implements MarkKeeper {
  readonly place = 'the store'
  mark: EndMark | undefined

  async read(): Promise<EndMark | undefined> {
    return this.mark
  }

  async write(mark: EndMark): Promise<void> {
    await setTimeout(1)
    this.mark = mark
  }
}

let installation: Parts
let mark: SlowMark

beforeEach(async () => {
  const { log, clock, store } = await newWorld()
  const topics = await openPartitionedTopics(log, 2)
  const logger = pino({ level: 'silent' })
  const configuration = await ConfigurationLog.open({
    topic: await log.topic(CONFIG_TOPIC, 1),
    clock,
    entropy: seededEntropy(3),
    secretKey: Buffer.alloc(32, 1),
    logger,
  })
  const guarded = (topic: Topic) =>
    new GuardedTopic(topic, { look: async () => undefined, monotonicMs: () => clock.monotonicMs() })
  const { ingest, checkpoints, keyed } = topics
  mark = new SlowMark()
  const end = configurationEnd({
    ...{ configuration, ingest, checkpoints, clock, logger, isShared: false },
    ...{ file: undefined, store: mark },
  })
  installation = {
    ...{ checkpoints, configuration, end, clock, lostConfiguration: undefined },
    ingest: guarded(ingest),
    keyed: { ...keyed, topic: guarded(keyed.topic) },
    opening: { store } as unknown as Installation['opening'],
  }
})

const task = (topic: 'ingest' | 'keyed', offset: number) =>
  ({ task: 'quarantine', topic, partition: 1, offset, node: 'tidy', by: 'ann@web-1' }) as const

test.each([
  ['ingest', 2],
  ['keyed', 0],
] as const)('a record of %s is put into quarantine in its own topic', async (name, before) => {
  const { ingest, keyed, configuration } = installation
  const topic = { ingest, keyed: keyed.topic }[name]
  const value = lineBatchValue([{ lines: [{ line: 'stuck' }] }])
  for (let record = 0; record <= before; record++)
    await topic.append(1, { value, producer: null, priority: 'ingest' })
  await quarantineInInstallation(installation, task(name, before))
  expect(configuration.list(quarantines).map(({ value: each }) => each)).toMatchObject([
    { topic: topic.name, partition: 1, offset: before, isComplete: true },
  ])
  // A configuration log that loses the quarantine must be recognised, so its end is marked before the command ends.
  expect(mark.mark?.next).toBe(configuration.nextOffset)
})

test('an installation that has lost changes of its configuration gets no others', async () => {
  const lostConfiguration = { from: 3n, to: 5n, version: 6, witnesses: ['the store'] }
  const { configuration } = installation
  const before = configuration.nextOffset
  await expect(
    quarantineInInstallation({ ...installation, lostConfiguration }, task('ingest', 0)),
  ).rejects.toMatchObject({ name: 'ConfigurationLostError' })
  expect(configuration.nextOffset).toBe(before)
})
