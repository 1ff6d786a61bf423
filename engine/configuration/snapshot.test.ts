import { expect, test } from 'vitest'
import { configurationSnapshotType } from '../../schemas/log/configuration.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { memoryLog } from '../log/memory-log.ts'
import { newestSnapshot, writeSnapshot } from './snapshot.ts'

const entity = (name: string, bytes = 1) => ({
  kind: 'k',
  entity: name,
  createdVersion: 1,
  version: 2,
  value: 'v'.repeat(bytes),
})

const newTopic = () => memoryLog({ clock: manualClock(), entropy: seededEntropy(1) }).topic('weir.config', 1)

async function append(topic: Awaited<ReturnType<typeof newTopic>>, part: number, parts: number, id = 'id') {
  const value = configurationSnapshotType.encode({
    id,
    upTo: 7,
    part,
    parts,
    entities: [entity(`${id}${part}`)],
  })
  await topic.append(0, { value, producer: null, priority: 'control' })
}

test('an empty log has no snapshot', async () => {
  expect(await newestSnapshot(await newTopic())).toBeUndefined()
})

test('a large snapshot is read back whole and in order, from several records', async () => {
  const topic = await newTopic()
  const entities = Array.from({ length: 40 }, (_, index) => entity(`e${index}`, 100_000))
  await writeSnapshot(topic, 'id', { upTo: 9n, entities })
  expect((await topic.bounds(0)).next).toBeGreaterThan(3n)
  expect(await newestSnapshot(topic)).toEqual({ upTo: 9n, entities })
})

test('a snapshot without entities counts, too', async () => {
  const topic = await newTopic()
  await writeSnapshot(topic, 'id', { upTo: 0n, entities: [] })
  expect(await newestSnapshot(topic)).toEqual({ upTo: 0n, entities: [] })
})

test('the snapshot that includes most is used, even if another was written later', async () => {
  const topic = await newTopic()
  await writeSnapshot(topic, 'fast', { upTo: 10n, entities: [entity('fast')] })
  await writeSnapshot(topic, 'slow', { upTo: 5n, entities: [entity('slow')] })
  expect((await newestSnapshot(topic))?.upTo).toBe(10n)
})

test('a snapshot with a missing part does not count', async () => {
  const topic = await newTopic()
  await writeSnapshot(topic, 'older', { upTo: 3n, entities: [entity('older')] })
  await append(topic, 0, 3)
  await append(topic, 2, 3)
  expect((await newestSnapshot(topic))?.upTo).toBe(3n)
  await append(topic, 1, 3)
  const found = await newestSnapshot(topic)
  expect(found?.entities.map(each => each.entity)).toEqual(['id0', 'id1', 'id2'])
})

test('parts of two snapshots that were written at the same time are distinguished', async () => {
  const topic = await newTopic()
  for (const [part, id] of [
    [0, 'a'],
    [0, 'b'],
    [1, 'a'],
  ] as const) {
    await append(topic, part, 2, id)
  }
  expect((await newestSnapshot(topic))?.entities.map(each => each.entity)).toEqual(['a0', 'a1'])
})

test('a snapshot thousands of records earlier is found', async () => {
  const topic = await newTopic()
  await writeSnapshot(topic, 'id', { upTo: 1n, entities: [entity('old')] })
  for (let index = 0; index < 5000; index++) await append(topic, 0, 2, `unfinished ${index}`)
  expect((await newestSnapshot(topic))?.entities).toEqual([entity('old')])
})
