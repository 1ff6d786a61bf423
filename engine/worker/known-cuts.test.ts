import { beforeEach, expect, test } from 'vitest'
import { BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { checkpointType } from '../../schemas/log/checkpoint.ts'
import { type Cut, controlType } from '../../schemas/log/control.ts'
import { CHECKPOINT_TOPIC, INGEST_TOPIC } from '../../schemas/log/topics.ts'
import { lineBatchValue } from '../../test/support/line-batches.ts'
import { withReplaced } from '../../test/support/replaced-methods.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import type { Topic } from '../log/log.ts'
import { memoryLog } from '../log/memory-log.ts'
import { CheckpointLog } from '../replay/checkpoint-log.ts'
import { knownCuts } from './known-cuts.ts'

let topic: Topic
let checkpoints: Topic
beforeEach(async () => {
  const log = memoryLog({ clock: manualClock(), entropy: seededEntropy(1) })
  topic = await log.topic(INGEST_TOPIC, 2)
  checkpoints = await log.topic(CHECKPOINT_TOPIC, 2)
})

const cut = (entity: string, version: number): Cut => ({ kind: 'pipeline', entity, version, payload: '' })

async function append(partition: number, value: Buffer): Promise<bigint> {
  return (await topic.append(partition, { value, producer: null, priority: 'control' })).offset
}

const appendCut = (partition: number, appended: Cut) =>
  append(partition, controlType.encode({ behaviour: BEHAVIOUR, body: { 'weir.Cut': appended } }))

const found = async (isOver?: () => boolean) =>
  (await knownCuts(topic, checkpoints, isOver)).map(({ entity, version }) => `${entity} ${version}`).sort()

test('the newest cut of each entity counts, whichever partition has it', async () => {
  await append(0, lineBatchValue([{ lines: [{ line: 'x' }] }]))
  for (const version of [1, 3, 2]) await appendCut(0, cut('p', version))
  await appendCut(1, cut('p', 2))
  await appendCut(1, cut('q', 1))
  expect(await found()).toEqual(['p 3', 'q 1'])
})

test('cuts of the newest checkpoint count, and the records that it includes are not read', async () => {
  await appendCut(0, cut('before', 1))
  const nextOffset = (await appendCut(0, cut('later', 1))) as bigint
  const empty = { stored: [], producers: [], states: [] }
  const head = { behaviour: BEHAVIOUR, logId: topic.logId, nextOffset: Number(nextOffset) }
  const checkpoint = { ...head, timeMs: 0, sliceMs: 1_000, cuts: [cut('kept', 7)], ...empty }
  const log = new CheckpointLog(checkpoints, { topic, partition: 0 })
  await log.write(1n, nextOffset, checkpointType.encode(checkpoint))
  expect(await found()).toEqual(['kept 7', 'later 1'])
})

test('a search that is over gives the cuts that were found so far', async () => {
  await appendCut(0, cut('p', 1))
  await appendCut(1, cut('q', 1))
  let asked = 0
  // Partition 0 is read, and the search is over before partition 1.
  expect(await found(() => ++asked > 2)).toEqual(['p 1'])
  expect(await found(() => true)).toEqual([])
})

test('a start failed when the owner of a partition trimmed the log while it was read', async () => {
  await appendCut(0, cut('trimmed', 1))
  await appendCut(0, cut('kept', 1))
  let reads = 0
  const trimmedMeanwhile = withReplaced(topic, {
    async read(...place) {
      if (reads++ === 0) await topic.trim(0, 1n)
      return topic.read(...place)
    },
  })
  expect(await knownCuts(trimmedMeanwhile, checkpoints)).toMatchObject([{ entity: 'kept' }])
})
