import { expect, test } from 'vitest'
import { type Control, controlType } from '../../schemas/log/control.ts'
import { RegistryIds } from '../../schemas/log/registry-ids.ts'
import { BUNDLED_SCHEMAS, schemaIdOf, schemaText } from '../../schemas/log/wire-format.ts'
import { manualClock } from '../clock/manual-clock.ts'
import { seededEntropy } from '../entropy/seeded-entropy.ts'
import { LogError } from './log.ts'
import { memoryLog } from './memory-log.ts'
import { registryLog, type SchemaLookup } from './registry-log.ts'

const VALUE = controlType.encode({ behaviour: 1, body: { 'weir.Owner': { worker: 'w' } } } satisfies Control)
/** Id that another version of the program has registered for the schema of the value. */
const FOREIGN_ID = 250
const FOREIGN = Buffer.concat([Buffer.from([0, 0, 0, 0, FOREIGN_ID]), VALUE.subarray(5)])

/** A topic as the program sees it, and as other clients of the log see it. */
async function opened(lookup: SchemaLookup) {
  const inner = memoryLog({ clock: manualClock(), entropy: seededEntropy(1) })
  const ids = new RegistryIds(new Map(BUNDLED_SCHEMAS.map(({ name, id }) => [name, 100 + id])))
  const topic = await registryLog(inner, ids, lookup).topic('weir.test', 1)
  const raw = await inner.topic('weir.test', 1)
  const append = (value: Buffer) => raw.append(0, { value, producer: null, priority: 'control' })
  return { topic, raw, append }
}

const unasked = { schemaOf: () => Promise.reject(new Error('every id is known')) }

test('records have the ids of the registry on the log, and are read with the bundled ones', async () => {
  const { topic, raw } = await opened(unasked)
  await topic.append(0, { value: VALUE, producer: null, priority: 'control' })
  const [written] = await raw.read(0, 0n, 1_000)
  expect(written && schemaIdOf(written.value)).toBe(100 + (schemaIdOf(VALUE) as number))
  expect((await topic.read(0, 0n, 1_000)).map(({ value }) => value)).toEqual([VALUE])
})

test('the schema of another version is looked up once, also by reads at the same time', async () => {
  const looked: number[] = []
  const { topic, append } = await opened({
    schemaOf: async id => {
      looked.push(id)
      return schemaText('Control')
    },
  })
  for (const value of [FOREIGN, FOREIGN]) await append(value)
  const reads = await Promise.all([topic.read(0, 0n, 1_000), topic.read(0, 0n, 1_000)])
  reads.push(await topic.read(0, 0n, 1_000))
  for (const records of reads) expect(records.map(({ value }) => value)).toEqual([VALUE, VALUE])
  expect(looked).toEqual([FOREIGN_ID])
})

test('a read fails while the registry is unavailable, and the next one asks again', async () => {
  let isAway = true
  const { topic, append } = await opened({
    schemaOf: async () => {
      if (isAway) throw new LogError('LOG_UNAVAILABLE', 'The schema registry is away.')
      return schemaText('Control')
    },
  })
  await append(FOREIGN)
  await expect(topic.read(0, 0n, 1_000)).rejects.toThrow('The schema registry is away.')
  isAway = false
  expect(await topic.read(0, 0n, 1_000)).toHaveLength(1)
})
