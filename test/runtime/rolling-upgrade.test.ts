import { expect, test } from 'vitest'
import { BEHAVIOUR, TENTH_BEHAVIOUR } from '../../schemas/log/behaviour-numbers.ts'
import { newestCheckpoint, newWorld, passSecond, type World } from '../support/world.ts'

// While a process of an older program is in the cluster, workers put its behaviour into force.

const lines = (...texts: string[]) => texts.map(line => ({ line, app: 'web' }))
const tablesOf = ({ store }: World) =>
  store.parts.map(({ target }) => target.table).filter(table => /lines/.test(table))

test('lines keep their older form until no older process is left, and are stored once in either form', async () => {
  const world = await newWorld()
  const first = await world.worker(undefined, TENTH_BEHAVIOUR)
  await world.append(lines('{"a":1}'))
  await passSecond(world, first)
  expect(tablesOf(world)).toEqual(['lines'])
  await first.finish()
  expect((await newestCheckpoint(world)).behaviour).toBe(TENTH_BEHAVIOUR)
  // A batch begins before the switch and ends behind it.
  await world.append(lines('{"b":2}'))
  const second = await world.worker(undefined, BEHAVIOUR)
  await world.append(lines('{"c":3}'))
  await passSecond(world, second)
  expect(tablesOf(world)).toEqual(['lines', 'lines'])
  await world.append(lines('{"d":4}'))
  await passSecond(world, second)
  expect(tablesOf(world)).toEqual(['lines', 'lines', 'slotted_lines'])
  // A number that is in force stays so, whatever a later worker announces.
  const third = await world.worker(undefined, TENTH_BEHAVIOUR)
  await world.append(lines('{"e":5}'))
  await passSecond(world, third)
  await third.finish()
  expect(tablesOf(world)).toEqual(['lines', 'lines', 'slotted_lines', 'slotted_lines'])
  expect(world.storedLines()).toEqual(['{"a":1}', '{"b":2}', '{"c":3}', '{"d":4}', '{"e":5}'])
  expect((await newestCheckpoint(world)).behaviour).toBe(BEHAVIOUR)
})

test('a worker that starts behind the switch settles each form by its own positions', async () => {
  const world = await newWorld()
  const first = await world.worker(undefined, TENTH_BEHAVIOUR)
  await world.append(lines('{"a":1}'))
  await passSecond(world, first)
  const second = await world.worker(undefined, BEHAVIOUR)
  await world.append(lines('{"b":2}'))
  await passSecond(world, second)
  // Neither has written a checkpoint: both batches are computed again.
  const third = await world.worker()
  await world.append(lines('{"c":3}'))
  await passSecond(world, third)
  expect(tablesOf(world)).toEqual(['lines', 'slotted_lines', 'slotted_lines'])
  expect(world.storedLines()).toEqual(['{"a":1}', '{"b":2}', '{"c":3}'])
})
