import { expect, test } from 'vitest'
import { manualClock } from '../../engine/clock/manual-clock.ts'
import { seededEntropy } from '../../engine/entropy/seeded-entropy.ts'
import type { NewRecord, Topic } from '../../engine/log/log.ts'
import { memoryLog } from '../../engine/log/memory-log.ts'
import { openPartitionedTopics } from '../../engine/log/partitioned-topics.ts'
import { silentLogger } from '../../engine/logger.ts'
import { CATALOGUE } from '../../engine/nodes/catalogue.ts'
import { PartitionWorker } from '../../engine/worker/partition-worker.ts'
import { partitionOfAccount } from '../../schemas/log/topics.ts'
import { lineBatchValue, SAMPLE_ACCOUNT } from '../support/line-batches.ts'
import { MemoryStore } from '../support/memory-store.ts'
import { node, SampleConfiguration, SOURCE, settle } from '../support/world.ts'

const PARTITIONS = 3
const HOME = partitionOfAccount(SAMPLE_ACCOUNT, PARTITIONS)
const APPEND_MS = 7
const SEND_MS = 20
const NODES = [SOURCE, node('sink', 'all', 'mezmo', ['source'])]

test('a partition reports the time for which a change kept it from reading, and no other time', async () => {
  const clock = manualClock()
  const log = memoryLog({ clock, entropy: seededEntropy(7) })
  const { ingest, checkpoints, keyed } = await openPartitionedTopics(log, PARTITIONS)
  const configuration = new SampleConfiguration()
  const pauses: (readonly [step: string, pauseMs: number])[] = []
  const worker = new PartitionWorker({
    catalogue: CATALOGUE,
    partition: HOME,
    topic: slow(ingest, APPEND_MS),
    checkpoints,
    targets: { ingest, keyed: slow(keyed.topic, SEND_MS) },
    store: new MemoryStore(),
    clock,
    configuration,
    logger: silentLogger,
    workerName: 'worker',
    onCutPause: (...pause) => pauses.push(pause),
  })
  /** Appends time themselves: a slow one moves the clock for all that wait with it. */
  function slow(topic: Topic, takesMs: number): Topic {
    return new Proxy(topic, {
      get: (target, name) => {
        if (name !== 'append') {
          const member = Reflect.get(target, name)
          return typeof member === 'function' ? member.bind(target) : member
        }
        return (partition: number, record: NewRecord) => {
          clock.advance(takesMs)
          return target.append(partition, record)
        }
      },
    })
  }
  const taken = async () => {
    await settle(worker)
    return pauses.splice(0)
  }
  const sendLines = (line: string) =>
    ingest.append(HOME, {
      value: lineBatchValue([{ lines: [{ line }] }]),
      producer: null,
      priority: 'ingest',
    })

  await worker.start()
  await sendLines('before')
  expect(await taken()).toEqual([])
  configuration.deploy(NODES)
  expect(await taken()).toEqual([
    ['append', APPEND_MS],
    ['apply', 0],
  ])
  await sendLines('between')
  expect(await taken()).toEqual([])
  configuration.set({
    kind: 'spread',
    entity: SAMPLE_ACCOUNT,
    version: 1,
    payload: JSON.stringify({ isSpread: true }),
  })
  await taken()
  configuration.deploy(NODES, 2)
  // Each keyed partition receives it.
  expect(await taken()).toEqual([
    ['append', APPEND_MS],
    ['apply', PARTITIONS * SEND_MS],
  ])
  configuration.deploy(NODES, 2)
  expect(await taken()).toEqual([])
})
